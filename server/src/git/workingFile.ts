/** One file of a working tree as it lies on disk: raw bytes, no filter and no conversion of line ends. */
import * as fs from "node:fs";
import { type BytePath, folderOf, onDisk } from "./bytePath";

export type ReadFile =
  | { readonly kind: "content"; readonly bytes: Buffer }
  | { readonly kind: "tooLarge"; readonly size: number }
  | { readonly kind: "unreadable" }
  /** Nothing is there, or no file: a folder, a device, or a path that leads out of the tree through a link. */
  | { readonly kind: "absent" };

/**
 * Files below one root, for a while: folders are looked at once.
 *
 * A path with a symbolic link for a folder is not followed: git knows no files behind one.
 */
export class WorkingFiles {
  readonly root: string;
  readonly #isRealFolder = new Map<BytePath, boolean>([["" as BytePath, true]]);

  constructor(root: string) {
    this.root = root;
  }

  /** What `lstat` tells of a file or symbolic link; `undefined` for everything else. */
  stat(path: BytePath): fs.BigIntStats | undefined {
    if (!this.#isFolder(folderOf(path))) return undefined;
    const stat = this.#lstat(path);
    return stat?.isFile() || stat?.isSymbolicLink() ? stat : undefined;
  }

  /** Whether it is a folder of the tree. */
  isFolder(path: BytePath): boolean {
    return this.#isFolder(path);
  }

  /** Reads a file whole; of a symbolic link its target. */
  read(path: BytePath, maxBytes: number): ReadFile {
    const stat = this.stat(path);
    if (stat === undefined) return { kind: "absent" };
    const place = onDisk(this.root, path);
    try {
      if (stat.isSymbolicLink()) {
        return { kind: "content", bytes: fs.readlinkSync(place, { encoding: "buffer" }) };
      }
      if (stat.size > maxBytes) return { kind: "tooLarge", size: Number(stat.size) };
      return readRegular(place, maxBytes);
    } catch (error) {
      const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
      return { kind: isGone ? "absent" : "unreadable" };
    }
  }

  #isFolder(folder: BytePath): boolean {
    const known = this.#isRealFolder.get(folder);
    if (known !== undefined) return known;
    const isReal = this.#isFolder(folderOf(folder)) && this.#lstat(folder)?.isDirectory() === true;
    this.#isRealFolder.set(folder, isReal);
    return isReal;
  }

  #lstat(path: BytePath): fs.BigIntStats | undefined {
    try {
      return fs.lstatSync(onDisk(this.root, path), { throwIfNoEntry: false, bigint: true });
    } catch {
      return undefined;
    }
  }
}

/** Opened without following links and without waiting for a writer: it may be something else by now. */
function readRegular(place: string | Buffer, maxBytes: number): ReadFile {
  const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
  const descriptor = fs.openSync(place, flags);
  try {
    const opened = fs.fstatSync(descriptor, { bigint: true });
    if (!opened.isFile()) return { kind: "absent" };
    if (opened.size > maxBytes) return { kind: "tooLarge", size: Number(opened.size) };
    const bytes = Buffer.allocUnsafe(Number(opened.size));
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
