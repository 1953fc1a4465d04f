/** The team searches of the open folders, read from their files and kept up to date. */
import * as vscode from "vscode";
import { setting } from "#client/workbench/settings";
import { parseTeamFile, type SharedFile } from "./teamFile";

export interface TeamFile extends SharedFile {
  readonly folder: vscode.WorkspaceFolder;
  readonly uri: vscode.Uri;
}

export class TeamSearches implements vscode.Disposable {
  #files: readonly TeamFile[] = [];
  #watchers: readonly vscode.Disposable[] = [];
  #isWatching = false;
  #reading: Promise<void> = Promise.resolve();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    const rewatch = () => this.#isWatching && this.#watch();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.onDidChangeWorkspaceFolders(rewatch),
      vscode.workspace.onDidGrantWorkspaceTrust(rewatch),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("trawl.search.sharedFile")) rewatch();
      }),
    );
  }

  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Returns the existing files; the first call starts watching. */
  async files(): Promise<readonly TeamFile[]> {
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#watch();
    }
    await this.#reading;
    return this.#files;
  }

  dispose(): void {
    this.#unwatch();
    this.#subscriptions.dispose();
  }

  /** Replaces the watchers by those for the current folders, and reads the files. */
  #watch(): void {
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

/** Returns the path of the team's file in each open folder, whether it exists or not; none in untrusted folders. */
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

/** Code lenses that run the searches of a team's file. */
export class TeamFileLenses implements vscode.CodeLensProvider {
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!sharedFiles().some(({ uri }) => uri.toString() === document.uri.toString())) return [];
    return parseTeamFile(document.getText()).searches.map(({ offset, state, name }) => {
      const position = document.positionAt(offset);
      return new vscode.CodeLens(new vscode.Range(position, position), {
        title: vscode.l10n.t("Run"),
        tooltip: vscode.l10n.t("Search for {0}", name),
        command: "trawl.search.runSaved",
        arguments: [{ name, state }],
      });
    });
  }
}
