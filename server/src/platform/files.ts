/**
 * The layer for writes to the index, the catalog and other files that must survive failures. A test can make each of
 * these writes fail in turn.
 *
 * Reads are not wrapped: readers use `node:fs` directly. So do the lock and the database.
 */
import * as fs from "node:fs";
import { dirname } from "node:path";

export interface Files {
  mkdir(path: string): void;
  /** Creates or truncates a file, and returns a descriptor. A new file has the permissions `mode`, by default 0600. */
  create(path: string, mode?: number): number;
  /** Writes all of `bytes` at the descriptor's position. */
  write(descriptor: number, bytes: Uint8Array): void;
  fsync(descriptor: number): void;
  close(descriptor: number): void;
  rename(from: string, to: string): void;
  /** Gives a file a second name. */
  link(from: string, to: string): void;
  /** Makes a rename durable, on systems that support it. */
  fsyncFolder(path: string): void;
  /** A file that does not exist is not an error. */
  remove(path: string): void;
  /** Removes a folder with everything in it. A folder that does not exist is not an error. */
  removeFolder(path: string): void;
  setModified(path: string, time: Date): void;
}

export const diskFiles: Files = {
  mkdir(path) {
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  },
  create(path, mode = 0o600) {
    return fs.openSync(path, "w", mode);
  },
  write(descriptor, bytes) {
    for (let done = 0; done < bytes.length; ) {
      done += fs.writeSync(descriptor, bytes, done, bytes.length - done);
    }
  },
  fsync(descriptor) {
    fs.fsyncSync(descriptor);
  },
  close(descriptor) {
    fs.closeSync(descriptor);
  },
  rename(from, to) {
    fs.renameSync(from, to);
  },
  link(from, to) {
    fs.linkSync(from, to);
  },
  fsyncFolder(path) {
    if (process.platform === "win32") return;
    const descriptor = fs.openSync(path, "r");
    try {
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  },
  remove(path) {
    fs.rmSync(path, { force: true });
  },
  removeFolder(path) {
    fs.rmSync(path, { force: true, recursive: true });
  },
  setModified(path, time) {
    fs.utimesSync(path, time, time);
  },
};

/**
 * Replaces a file atomically: readers see either the whole old file or the whole new one. Returns false if the rename
 * may not survive a power failure. If it throws, the old file is unchanged. `mode` are the permissions of the new one, by
 * default 0600.
 */
export function replaceFile(files: Files, path: string, bytes: Uint8Array, mode?: number): boolean {
  replace(files, path, bytes, true, mode);
  return flushRename(files, path);
}

/** Like `replaceFile`, but faster: a power failure may leave an empty file, or the old one. */
export function replaceFileUnflushed(files: Files, path: string, bytes: Uint8Array, mode?: number): void {
  replace(files, path, bytes, false, mode);
}

function replace(files: Files, path: string, bytes: Uint8Array, flushes: boolean, mode?: number): void {
  const draft = `${path}.draft`;
  try {
    const descriptor = files.create(draft, mode);
    try {
      files.write(descriptor, bytes);
      if (flushes) files.fsync(descriptor);
    } finally {
      files.close(descriptor);
    }
    files.rename(draft, path);
  } catch (error) {
    files.remove(draft);
    throw error;
  }
}

/** Flushes the rename of a file to disk. Returns false if it may not survive a power failure. */
export function flushRename(files: Files, path: string): boolean {
  try {
    files.fsyncFolder(dirname(path));
    return true;
  } catch {
    // Some network file systems cannot fsync a folder. The rename itself has succeeded.
    return false;
  }
}

/** Returns the path without symbolic links, or `undefined` if it does not exist or cannot be read. */
export function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the size of a file, 0 if it does not exist. */
export function fileBytes(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
