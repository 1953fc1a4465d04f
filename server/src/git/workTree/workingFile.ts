/** Reads files of a working tree as raw bytes, without filters or line-ending conversion. */
import * as fs from "node:fs";
import { type BytePath, diskPath, isDirectlyIn, parentOf } from "#git/bytePath";

export type FileContent =
  | { readonly kind: "content"; readonly bytes: Buffer }
  | { readonly kind: "tooLarge"; readonly size: number }
  | { readonly kind: "unreadable" }
  /** Does not exist, or is not a file: a folder, a device, or a path through a symbolic link. */
  | { readonly kind: "absent" };

/**
 * Reads files below a root. Short-lived, because it caches which folders exist.
 *
 * Does not follow folders that are symbolic links, because git does not track files through them.
 */
export class WorkingFiles {
  readonly root: string;
  readonly #isRealFolder = new Map<BytePath, boolean>([["" as BytePath, true]]);
  /** The last folder that exists. */
  #lastFolder = "" as BytePath;

  constructor(root: string) {
    this.root = root;
  }

  /** Returns the `lstat` data of a file or symbolic link, and `undefined` for everything else. */
  stat(path: BytePath): fs.Stats | undefined {
    if (!this.#isInFolder(path)) return undefined;
    const stat = this.#lstat(path);
    return stat?.isFile() || stat?.isSymbolicLink() ? stat : undefined;
  }

  /** Whether `path` is a folder, not reached through symbolic links. */
  isFolder(path: BytePath): boolean {
    return this.#isFolder(path);
  }

  /** Reads a whole file, or the target of a symbolic link. */
  read(path: BytePath, maxBytes: number): FileContent {
    const stat = this.stat(path);
    if (stat === undefined) return { kind: "absent" };
    const location = diskPath(this.root, path);
    try {
      if (stat.isSymbolicLink()) {
        return { kind: "content", bytes: fs.readlinkSync(location, { encoding: "buffer" }) };
      }
      if (stat.size > maxBytes) return { kind: "tooLarge", size: stat.size };
      return readRegular(location, maxBytes);
    } catch (error) {
      const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
      return { kind: isGone ? "absent" : "unreadable" };
    }
  }

  /** Whether the folder that contains `path` exists. Mostly, the path before was in the same one. */
  #isInFolder(path: BytePath): boolean {
    if (isDirectlyIn(path, this.#lastFolder)) return true;
    const folder = parentOf(path);
    const isReal = this.#isFolder(folder);
    if (isReal) this.#lastFolder = folder;
    return isReal;
  }

  #isFolder(folder: BytePath): boolean {
    const known = this.#isRealFolder.get(folder);
    if (known !== undefined) return known;
    const isReal = this.#isFolder(parentOf(folder)) && this.#lstat(folder)?.isDirectory() === true;
    this.#isRealFolder.set(folder, isReal);
    return isReal;
  }

  #lstat(path: BytePath): fs.Stats | undefined {
    try {
      return fs.lstatSync(diskPath(this.root, path), { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }
}

/** Opens without following links or waiting for a FIFO's writer, because the file may have been replaced. */
function readRegular(location: string | Buffer, maxBytes: number): FileContent {
  const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
  const descriptor = fs.openSync(location, flags);
  try {
    const opened = fs.fstatSync(descriptor);
    if (!opened.isFile()) return { kind: "absent" };
    if (opened.size > maxBytes) return { kind: "tooLarge", size: opened.size };
    const bytes = Buffer.allocUnsafe(opened.size);
    let length = 0;
    while (length < bytes.length) {
      const read = fs.readSync(descriptor, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return { kind: "content", bytes: bytes.subarray(0, length) };
  } finally {
    fs.closeSync(descriptor);
  }
}
