/** Finds the repository that a document belongs to, and sets the context key `trawl.fileIndexed`. */
import { dirname } from "node:path";
import * as vscode from "vscode";
import { type CloneLocation, findCloneLocation } from "#client/model/cloneLocation";
import type { ServiceClient } from "#client/server/serviceClient";
import { setContext } from "#client/workbench/commands";
import { parseSnapshotUri, snapshotScheme } from "#contract/snapshotUri";

/** A file of a repository, at a commit or, without one, in the working tree. */
export interface IndexedFile extends CloneLocation {
  readonly commit?: string;
}

type Service = Pick<ServiceClient, "call" | "state" | "onState" | "onIndexing">;

/** How long a server may take after its start to find the clones of the open folders, in milliseconds. */
const discoveryMs = 5_000;

export class IndexedFiles implements vscode.Disposable {
  readonly #service: Service;
  readonly #subscriptions: vscode.Disposable;
  /** By folder: whether it is in a clone. Used until the server is started. */
  readonly #inClones = new Map<string, Promise<boolean>>();
  #repositories = -1;
  #startedAt = 0;

  constructor(service: Service) {
    this.#service = service;
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => this.#updateContext()),
      service.onState((state) => {
        if (state === "running") this.#startedAt = Date.now();
        void this.#updateContext();
      }),
      service.onIndexing(({ total }) => {
        if (total === this.#repositories) return;
        this.#repositories = total;
        void this.#updateContext();
      }),
    );
    // Before this, it is unknown whether a file is indexed.
    setContext("trawl.active", true);
    void this.#updateContext();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Finds the repository of a file, if any. Starts the server for local files. Rejects with a `CallError`. */
  async find(uri: vscode.Uri): Promise<IndexedFile | undefined> {
    if (uri.scheme === "file") {
      const found = await findCloneLocation(this.#service, uri.fsPath);
      const isEarly = Date.now() - this.#startedAt < discoveryMs;
      if (found !== undefined || !isEarly || !(await this.#isInClone(dirname(uri.fsPath)))) return found;
      await this.#waitForDiscovery();
      return findCloneLocation(this.#service, uri.fsPath);
    }
    const snapshot = parseSnapshotUri(uri);
    if (snapshot === undefined || snapshot.path === "") return undefined;
    const { commit, ...file } = snapshot;
    return commit === "" ? file : { ...file, commit };
  }

  async #updateContext(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const isIndexed = uri !== undefined && (await this.#isIndexed(uri).catch(() => false));
    if (uri === vscode.window.activeTextEditor?.document.uri) setContext("trawl.fileIndexed", isIndexed);
  }

  /** Without a running server, any clone counts: it is likely to be indexed once there is one. */
  async #isIndexed(uri: vscode.Uri): Promise<boolean> {
    if (uri.scheme === snapshotScheme) return true;
    if (uri.scheme !== "file") return false;
    if (this.#service.state === "running") {
      return (await findCloneLocation(this.#service, uri.fsPath)) !== undefined;
    }
    return this.#isInClone(dirname(uri.fsPath));
  }

  /** Resolves when another repository is known, or after `discoveryMs`. */
  #waitForDiscovery(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timeout);
        subscription.dispose();
        resolve();
      };
      const before = this.#repositories;
      const timeout = setTimeout(end, discoveryMs);
      const subscription = this.#service.onIndexing(({ total }) => {
        if (total !== before) end();
      });
    });
  }

  #isInClone(folder: string): Promise<boolean> {
    const cached = this.#inClones.get(folder);
    if (cached !== undefined) return cached;
    const found = this.#findClone(folder);
    this.#inClones.set(folder, found);
    return found;
  }

  async #findClone(folder: string): Promise<boolean> {
    const git = vscode.Uri.joinPath(vscode.Uri.file(folder), ".git");
    const isRoot = await vscode.workspace.fs.stat(git).then(
      () => true,
      () => false,
    );
    const parent = dirname(folder);
    return isRoot || (parent !== folder && (await this.#isInClone(parent)));
  }
}
