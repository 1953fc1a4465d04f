/** Files as they stood in a commit, as read-only documents of the scheme `trawl`. */
import * as vscode from "vscode";
import { type CallError, callError } from "#client/callError";
import type { ServiceClient } from "#client/serviceClient";
import type { FileSource, TreeNode } from "#contract/history";
import {
  emptyTree,
  type SnapshotPlace,
  snapshotPlace,
  snapshotScheme,
  snapshotUri,
} from "#contract/snapshotUri";

/** Characters of text that are kept. */
const keptAtMost = 16 * 1024 * 1024;

export class Snapshots implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #service: Pick<ServiceClient, "call">;
  /** By address, those used last at the end. */
  readonly #sources = new Map<string, Promise<FileSource>>();
  /** Of those that are no UTF-8. */
  readonly #bytes = new WeakMap<FileSource, Promise<Uint8Array>>();
  #kept = 0;
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

  /** Rejects with a `CallError`. */
  source(place: SnapshotPlace): Promise<FileSource> {
    // What is in no commit may be another text the next time.
    if (place.commit === "") return this.#ask(place);
    const key = JSON.stringify([place.repository, place.commit, place.path]);
    const known = this.#sources.get(key);
    if (known !== undefined) {
      this.#sources.delete(key);
      this.#sources.set(key, known);
      return known;
    }
    const asked = this.#ask(place);
    this.#sources.set(key, asked);
    asked.then(
      ({ source }) => this.#keep(source.length),
      () => this.#sources.delete(key),
    );
    return asked;
  }

  /** What is in a folder; in a submodule nothing. Rejects with a `CallError`. */
  async folder(place: SnapshotPlace): Promise<readonly TreeNode[] | undefined> {
    const node = await this.#node(place);
    return node === undefined || node.type === "blob" ? undefined : node.children;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    if (isAboveFiles(uri)) return folderStat;
    const place = placeOf(uri);
    if (place.path === "") return folderStat;
    if (place.commit === emptyTree) return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 0 };
    try {
      const { length } = await this.#content(place);
      return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: length };
    } catch (error) {
      const node = await this.#node(place).catch(() => undefined);
      if (node === undefined || node.type === "blob") throw fileError(uri, callError(error));
      return folderStat;
    }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const place = placeOf(uri);
    if (place.commit === emptyTree) return new Uint8Array();
    try {
      return await this.#content(place);
    } catch (error) {
      throw fileError(uri, callError(error));
    }
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    if (isAboveFiles(uri)) return uri.path.includes("@") ? [["-", vscode.FileType.Directory]] : [];
    try {
      const children = await this.folder(placeOf(uri));
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

  /** Its bytes: of a picture, or a text in an encoding that the person's editor knows, a text would not do. */
  async #content(place: SnapshotPlace): Promise<Uint8Array> {
    const file = await this.source(place);
    if (!file.source.includes("\uFFFD")) return new TextEncoder().encode(file.source);
    const known = this.#bytes.get(file);
    if (known !== undefined) return known;
    const asked = this.#ask(place, "base64").then(({ source }) => Buffer.from(source, "base64"));
    this.#bytes.set(file, asked);
    asked.catch(() => this.#bytes.delete(file));
    return asked;
  }

  #ask(
    { repository: repo, commit, path }: SnapshotPlace,
    encoding: "utf-8" | "base64" = "utf-8",
  ): Promise<FileSource> {
    const ref = commit === "" ? {} : { ref: commit };
    return this.#service.call("source", { repo, path, ...ref, encoding });
  }

  /** `undefined` for what is not there. */
  async #node({ repository, commit, path }: SnapshotPlace): Promise<TreeNode | undefined> {
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

  #keep(length: number): void {
    this.#kept += length;
    for (const [key, source] of this.#sources) {
      if (this.#kept <= keptAtMost || this.#sources.size === 1) return;
      this.#sources.delete(key);
      source.then(
        (dropped) => {
          this.#kept -= dropped.source.length;
        },
        () => undefined,
      );
    }
  }
}

const folderStat: vscode.FileStat = { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };

/** A part of what stands before the path, which an editor shows as folders above the file. */
function isAboveFiles({ path }: vscode.Uri): boolean {
  return /^\/[^@]*(?:@[0-9a-f]*)?$/.test(path);
}

/** `revision`: what the title calls the commit, if not by its short name. */
export function snapshotDocument(place: SnapshotPlace, revision?: string): vscode.Uri {
  return vscode.Uri.from(snapshotUri(place, revision));
}

function placeOf(uri: vscode.Uri): SnapshotPlace {
  const place = snapshotPlace(uri);
  if (place === undefined) throw vscode.FileSystemError.FileNotFound(uri);
  return place;
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
