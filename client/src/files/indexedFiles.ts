/** Which repository the file of a document belongs to, and the context key `trawl.fileIndexed`. */
import { dirname } from "node:path";
import * as vscode from "vscode";
import { setContext } from "#client/commands";
import { type PlaceInClone, placeInClone } from "#client/search/workspacePlaces";
import type { ServiceClient } from "#client/serviceClient";
import { snapshotPlace, snapshotScheme } from "#contract/snapshotUri";

/** A file of a repository: as it stood in a commit, or, without one, in the working tree. */
export interface IndexedFile extends PlaceInClone {
  readonly commit?: string;
}

type Service = Pick<ServiceClient, "call" | "state" | "onState" | "onIndexing">;

/** How long a server that has just started may take to find the clones of the open folders, in milliseconds. */
const discoveryMs = 5_000;

export class IndexedFiles implements vscode.Disposable {
  readonly #service: Service;
  readonly #subscriptions: vscode.Disposable;
  /** By folder: whether it lies in a clone, for as long as nobody has started the server. */
  readonly #inClones = new Map<string, Promise<boolean>>();
  #repositories = -1;
  #startedAt = 0;

  constructor(service: Service) {
    this.#service = service;
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => this.#tell()),
      service.onState((state) => {
        if (state === "running") this.#startedAt = Date.now();
        void this.#tell();
      }),
      service.onIndexing(({ total }) => {
        if (total === this.#repositories) return;
        this.#repositories = total;
        void this.#tell();
      }),
    );
    // Before that, nobody can say of a file that it is not indexed.
    setContext("trawl.active", true);
    void this.#tell();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** `undefined` for what belongs to no repository. Starts the server for local files. Rejects with a `CallError`. */
  async find(uri: vscode.Uri): Promise<IndexedFile | undefined> {
    if (uri.scheme === "file") {
      const found = await placeInClone(this.#service, uri.fsPath);
      const isEarly = Date.now() - this.#startedAt < discoveryMs;
      if (found !== undefined || !isEarly || !(await this.#isInClone(dirname(uri.fsPath)))) return found;
      await this.#discovered();
      return placeInClone(this.#service, uri.fsPath);
    }
    const place = snapshotPlace(uri);
    if (place === undefined || place.path === "") return undefined;
    const { commit, ...file } = place;
    return commit === "" ? file : { ...file, commit };
  }

  async #tell(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const isIndexed = uri !== undefined && (await this.#isIndexed(uri).catch(() => false));
    if (uri === vscode.window.activeTextEditor?.document.uri) setContext("trawl.fileIndexed", isIndexed);
  }

  /** Without a server that runs, every clone counts: it is likely to be indexed as soon as one does. */
  async #isIndexed(uri: vscode.Uri): Promise<boolean> {
    if (uri.scheme === snapshotScheme) return true;
    if (uri.scheme !== "file") return false;
    if (this.#service.state === "running") {
      return (await placeInClone(this.#service, uri.fsPath)) !== undefined;
    }
    return this.#isInClone(dirname(uri.fsPath));
  }

  /** Resolves when another repository is known, or when it is not likely any more. */
  #discovered(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(waiting);
        listening.dispose();
        resolve();
      };
      const known = this.#repositories;
      const waiting = setTimeout(end, discoveryMs);
      const listening = this.#service.onIndexing(({ total }) => {
        if (total !== known) end();
      });
    });
  }

  #isInClone(folder: string): Promise<boolean> {
    const known = this.#inClones.get(folder);
    if (known !== undefined) return known;
    const found = this.#lookForClone(folder);
    this.#inClones.set(folder, found);
    return found;
  }

  async #lookForClone(folder: string): Promise<boolean> {
    const git = vscode.Uri.joinPath(vscode.Uri.file(folder), ".git");
    const isRoot = await vscode.workspace.fs.stat(git).then(
      () => true,
      () => false,
    );
    const above = dirname(folder);
    return isRoot || (above !== folder && (await this.#isInClone(above)));
  }
}
