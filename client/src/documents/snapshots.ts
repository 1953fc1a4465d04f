/** Files at a commit, as read-only documents with the scheme `trawl`. */
import * as vscode from "vscode";
import { type CallError, callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import type { FileSource, TreeNode } from "#contract/history";
import {
  emptyTree,
  parseSnapshotUri,
  type SnapshotLocation,
  snapshotDocumentUri,
  snapshotScheme,
} from "#contract/snapshotUri";

/** Limit of the cache, in UTF-16 units. */
const maxCachedCharacters = 16 * 1024 * 1024;

export class Snapshots implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #service: Pick<ServiceClient, "call">;
  /** Cached files, least recently used first. */
  readonly #sources = new Map<string, Promise<FileSource>>();
  /** Bytes of cached files that are not valid UTF-8. */
  readonly #bytes = new WeakMap<FileSource, Promise<Uint8Array>>();
  #cachedCharacters = 0;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registration: vscode.Disposable;

  constructor(service: Pick<ServiceClient, "call">) {
    this.#service = service;
    this.#registration = vscode.workspace.registerFileSystemProvider(snapshotScheme, this, {
      isReadonly: true,
      isCaseSensitive: true,
    });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  /** Returns a file, from the cache if possible. Rejects with a `CallError`. */
  source(snapshot: SnapshotLocation): Promise<FileSource> {
    // Uncommitted files may change, so they are not cached.
    if (snapshot.commit === "") return this.#fetch(snapshot);
    const key = JSON.stringify([snapshot.repository, snapshot.commit, snapshot.path]);
    const cached = this.#sources.get(key);
    if (cached !== undefined) {
      this.#sources.delete(key);
      this.#sources.set(key, cached);
      return cached;
    }
    const request = this.#fetch(snapshot);
    this.#sources.set(key, request);
    request.then(
      ({ source }) => this.#evict(source.length),
      () => this.#sources.delete(key),
    );
    return request;
  }

  /** Returns the entries of a folder; none for a submodule. Rejects with a `CallError`. */
  async folder(snapshot: SnapshotLocation): Promise<readonly TreeNode[] | undefined> {
    const node = await this.#node(snapshot);
    return node === undefined || node.type === "blob" ? undefined : node.children;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    if (isAboveFiles(uri)) return folderStat;
    const snapshot = snapshotOf(uri);
    if (snapshot.path === "") return folderStat;
    if (snapshot.commit === emptyTree) return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 0 };
    try {
      const { length } = await this.#content(snapshot);
      return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: length };
    } catch (error) {
      const node = await this.#node(snapshot).catch(() => undefined);
      if (node === undefined || node.type === "blob") throw fileError(uri, callError(error));
      return folderStat;
    }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const snapshot = snapshotOf(uri);
    if (snapshot.commit === emptyTree) return new Uint8Array();
    try {
      return await this.#content(snapshot);
    } catch (error) {
      throw fileError(uri, callError(error));
    }
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    if (isAboveFiles(uri)) return uri.path.includes("@") ? [["-", vscode.FileType.Directory]] : [];
    try {
      const children = await this.folder(snapshotOf(uri));
      if (children === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return children.map(({ name, type }) => [
        name,
        type === "blob" ? vscode.FileType.File : vscode.FileType.Directory,
      ]);
    } catch (error) {
      throw error instanceof vscode.FileSystemError ? error : fileError(uri, callError(error));
    }
  }

  /** A commit never changes. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  /** Returns the bytes of a file: text would not do for images, or for encodings that only the editor can decode. */
  async #content(snapshot: SnapshotLocation): Promise<Uint8Array> {
    const file = await this.source(snapshot);
    if (!file.source.includes("\uFFFD")) return new TextEncoder().encode(file.source);
    const cached = this.#bytes.get(file);
    if (cached !== undefined) return cached;
    const request = this.#fetch(snapshot, "base64").then(({ source }) => Buffer.from(source, "base64"));
    this.#bytes.set(file, request);
    request.catch(() => this.#bytes.delete(file));
    return request;
  }

  #fetch(
    { repository: repo, commit, path }: SnapshotLocation,
    encoding: "utf-8" | "base64" = "utf-8",
  ): Promise<FileSource> {
    const ref = commit === "" ? {} : { ref: commit };
    return this.#service.call("source", { repo, path, ...ref, encoding });
  }

  /** Returns `undefined` if there is no such path. */
  async #node({ repository, commit, path }: SnapshotLocation): Promise<TreeNode | undefined> {
    const { tree } = await this.#service.call("tree", {
      repoName: repository,
      paths: path === "" ? [] : [path],
      ...(commit === "" ? {} : { revisionName: commit }),
    });
    const segments = path === "" ? [] : path.split("/");
    return segments.reduce<TreeNode | undefined>(
      (node, segment) => node?.children.find(({ name }) => name === segment),
      tree,
    );
  }

  #evict(length: number): void {
    this.#cachedCharacters += length;
    for (const [key, source] of this.#sources) {
      if (this.#cachedCharacters <= maxCachedCharacters || this.#sources.size === 1) return;
      this.#sources.delete(key);
      source.then(
        (dropped) => {
          this.#cachedCharacters -= dropped.source.length;
        },
        () => undefined,
      );
    }
  }
}

const folderStat: vscode.FileStat = { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };

/** Whether a URI without an authority is part of the prefix before the path, which editors show as parent folders. */
function isAboveFiles({ authority, path }: vscode.Uri): boolean {
  return authority === "" && /^\/[^@]*(?:@[0-9a-f]*)?$/.test(path);
}

/** Returns the URI of a file; `revision` replaces the commit's short name in the title. */
export function snapshotDocument(snapshot: SnapshotLocation, revision?: string): vscode.Uri {
  return vscode.Uri.from(snapshotDocumentUri(snapshot, revision));
}

function snapshotOf(uri: vscode.Uri): SnapshotLocation {
  const snapshot = parseSnapshotUri(uri);
  if (snapshot === undefined) throw vscode.FileSystemError.FileNotFound(uri);
  return snapshot;
}

function fileError(uri: vscode.Uri, { errorCode, message }: CallError): vscode.FileSystemError {
  switch (errorCode) {
    case "FILE_NOT_FOUND":
    case "NOT_FOUND":
    case "INVALID_GIT_REF":
    case "INVALID_QUERY_PARAMS":
      return vscode.FileSystemError.FileNotFound(uri);
    case "REPOSITORY_NOT_TRUSTED":
      return vscode.FileSystemError.NoPermissions(message);
    default:
      return vscode.FileSystemError.Unavailable(message);
  }
}
