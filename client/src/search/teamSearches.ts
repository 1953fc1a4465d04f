/** The team's searches of the open folders, read from their files and kept current. */
import * as vscode from "vscode";
import { setting } from "#client/settings";
import { parseTeamFile, type SharedFile } from "./teamFile";

export interface TeamFile extends SharedFile {
  readonly folder: vscode.WorkspaceFolder;
  readonly uri: vscode.Uri;
}

export class TeamSearches implements vscode.Disposable {
  #files: readonly TeamFile[] = [];
  #watchers: readonly vscode.Disposable[] = [];
  #isStarted = false;
  #reading: Promise<void> = Promise.resolve();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    const again = () => this.#isStarted && this.#follow();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      vscode.workspace.onDidGrantWorkspaceTrust(again),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("trawl.search.sharedFile")) again();
      }),
    );
  }

  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Those that are there; the first call begins to watch for them. */
  async files(): Promise<readonly TeamFile[]> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#follow();
    }
    await this.#reading;
    return this.#files;
  }

  dispose(): void {
    this.#unwatch();
    this.#subscriptions.dispose();
  }

  /** Throws away the watchers, and begins with the folders as they are now. */
  #follow(): void {
    this.#unwatch();
    const read = () => {
      this.#reading = this.#reading.then(() => this.#read());
    };
    this.#watchers = sharedFiles().map(({ folder, path }) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, path));
      watcher.onDidChange(read);
      watcher.onDidCreate(read);
      watcher.onDidDelete(read);
      return watcher;
    });
    read();
  }

  async #read(): Promise<void> {
    const found = await Promise.all(
      sharedFiles().map(async ({ folder, uri }): Promise<TeamFile | undefined> => {
        try {
          const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
          return { folder, uri, ...parseTeamFile(text) };
        } catch {
          return undefined;
        }
      }),
    );
    this.#files = found.filter((file) => file !== undefined);
    this.#changed.fire();
  }

  #unwatch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = [];
  }
}

/** Where the open folders have or would have theirs; none in folders that the person does not trust. */
export function sharedFiles(): readonly {
  readonly folder: vscode.WorkspaceFolder;
  readonly path: string;
  readonly uri: vscode.Uri;
}[] {
  if (!vscode.workspace.isTrusted) return [];
  return (vscode.workspace.workspaceFolders ?? []).flatMap((folder) => {
    const path = setting("search.sharedFile", folder).replaceAll("\\", "/").replace(/^\/+/, "");
    const isInside = path !== "" && !path.split("/").includes("..");
    return isInside ? [{ folder, path, uri: vscode.Uri.joinPath(folder.uri, path) }] : [];
  });
}

/** "Run" above each search of a team's file. */
export class TeamFileLenses implements vscode.CodeLensProvider {
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!sharedFiles().some(({ uri }) => uri.toString() === document.uri.toString())) return [];
    return parseTeamFile(document.getText()).searches.map(({ offset, state, name }) => {
      const place = document.positionAt(offset);
      return new vscode.CodeLens(new vscode.Range(place, place), {
        title: vscode.l10n.t("Run"),
        tooltip: vscode.l10n.t("Search for {0}", name),
        command: "trawl.search.runSaved",
        arguments: [{ name, state }],
      });
    });
  }
}
