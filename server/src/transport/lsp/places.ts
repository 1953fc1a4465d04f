/** Which folders of an editor are added to the index: those that are open, where the person trusts them, and roots. */
import { isServiceError } from "#base/error";
import type { Caller } from "#contract/service";
import type { EditorSettings } from "#contract/settings";

export interface PlacesOptions {
  readonly caller: Promise<Caller>;
  /** Whether open folders count: there were no paths on the command line. */
  readonly indexFolders: boolean;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
}

export class Places {
  readonly #options: PlacesOptions;
  readonly #open = new Set<string>();
  #settings: EditorSettings = {};
  /** What was added, or is being added. */
  #added = new Set<string>();
  #roots: readonly string[] = [];
  /** Changes follow one another. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  get open(): readonly string[] {
    return [...this.#open];
  }

  change(added: readonly string[], removed: readonly string[]): void {
    for (const path of removed) {
      this.#open.delete(path);
      this.#added.delete(path);
    }
    for (const path of added) this.#open.add(path);
  }

  configure(settings: EditorSettings): void {
    this.#settings = settings;
  }

  /** Adds what is to be added and is not yet, and forgets roots that are none any more. Never rejects. */
  follow(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#follow());
    return this.#turn;
  }

  async #follow(): Promise<void> {
    const { isTrusted = true, discovery = "workspace", roots = [] } = this.#settings;
    const takesOpen = this.#options.indexFolders && isTrusted && discovery !== "off";
    const wanted = [...roots, ...(takesOpen ? this.#open : [])];
    const gone = this.#roots.filter((root) => !wanted.includes(root));
    this.#roots = roots;
    for (const path of gone) {
      this.#added.delete(path);
      await this.#call("removePaths", path);
    }
    for (const path of wanted) {
      if (this.#added.has(path)) continue;
      this.#added.add(path);
      await this.#call("addPaths", path);
    }
  }

  async #call(row: "addPaths" | "removePaths", path: string): Promise<void> {
    const { caller, signal, report } = this.#options;
    try {
      const request = row === "addPaths" ? { paths: [path], areOpen: true } : { paths: [path] };
      await (await caller)(row, request, { credentials: { kind: "local" }, signal });
    } catch (error) {
      if (row === "addPaths") this.#added.delete(path);
      // Somebody else has removed it already.
      if (row === "addPaths" || !isServiceError(error, "NOT_FOUND")) report(error);
    }
  }
}
