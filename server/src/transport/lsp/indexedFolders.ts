/** Adds folders of an editor to the index: the open ones, if the user trusts them, and the configured roots. */
import { isServiceError } from "#base/error";
import type { EditorSettings } from "#contract/editorOptions";
import type { Caller } from "#contract/service";
import { expandHome } from "#platform/environment";

export interface IndexedFoldersOptions {
  readonly caller: Promise<Caller>;
  /** Whether to index open folders, because there are no paths on the command line. */
  readonly indexesFolders: boolean;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
}

export class IndexedFolders {
  readonly #options: IndexedFoldersOptions;
  readonly #openFolders = new Set<string>();
  #settings: EditorSettings = {};
  /** Paths that were added or are being added. */
  #added = new Set<string>();
  #roots: readonly string[] = [];
  /** Updates run one after another. */
  #lastUpdate: Promise<void> = Promise.resolve();

  constructor(options: IndexedFoldersOptions) {
    this.#options = options;
  }

  get openFolders(): readonly string[] {
    return [...this.#openFolders];
  }

  /** Records opened and closed folders. Call `update` to apply the change. */
  change(added: readonly string[], removed: readonly string[]): void {
    for (const path of removed) {
      this.#openFolders.delete(path);
      this.#added.delete(path);
    }
    for (const path of added) this.#openFolders.add(path);
  }

  /** Records new settings. Call `update` to apply them. */
  configure(settings: EditorSettings): void {
    this.#settings = settings;
  }

  /** Adds missing folders to the index, and removes former roots. Never rejects: errors go to `report`. */
  update(): Promise<void> {
    this.#lastUpdate = this.#lastUpdate.then(() => this.#update());
    return this.#lastUpdate;
  }

  async #update(): Promise<void> {
    const { isTrusted = true, discovery = "workspace" } = this.#settings;
    const roots = (this.#settings.roots ?? []).map(expandHome);
    const includesOpenFolders = this.#options.indexesFolders && isTrusted && discovery !== "off";
    const wanted = [...roots, ...(includesOpenFolders ? this.#openFolders : [])];
    const removedRoots = this.#roots.filter((root) => !wanted.includes(root));
    this.#roots = roots;
    for (const path of removedRoots) {
      this.#added.delete(path);
      await this.#call("removePaths", path);
    }
    for (const path of wanted) {
      if (this.#added.has(path)) continue;
      this.#added.add(path);
      await this.#call("addPaths", path);
    }
  }

  async #call(operation: "addPaths" | "removePaths", path: string): Promise<void> {
    const { caller, signal, report } = this.#options;
    try {
      const request = operation === "addPaths" ? { paths: [path], areOpen: true } : { paths: [path] };
      await (await caller)(operation, request, { credentials: { kind: "local" }, signal });
    } catch (error) {
      if (operation === "addPaths") this.#added.delete(path);
      // A path that was already removed is not an error.
      if (operation === "addPaths" || !isServiceError(error, "NOT_FOUND")) report(error);
    }
  }
}
