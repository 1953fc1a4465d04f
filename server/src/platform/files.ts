/**
 * Every write to disk goes through this layer, so that a test can make each one fail in turn.
 *
 * Reading is not wrapped: readers use `node:fs` where they are.
 */
import * as fs from "node:fs";
import { dirname } from "node:path";

export interface Files {
  mkdir(path: string): void;
  /** Creates or truncates; gives a descriptor. */
  create(path: string): number;
  /** Writes all of `bytes` at the descriptor's position. */
  write(descriptor: number, bytes: Uint8Array): void;
  fsync(descriptor: number): void;
  close(descriptor: number): void;
  rename(from: string, to: string): void;
  /** Makes the entry of a renamed file durable, where the system can. */
  fsyncFolder(path: string): void;
  /** A file that is not there is no error. */
  remove(path: string): void;
}

export const diskFiles: Files = {
  mkdir(path) {
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  },
  create(path) {
    return fs.openSync(path, "w", 0o600);
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
};

/**
 * Writes `bytes` beside `path` and renames: a reader sees the old file or the new one, whole. Gives false where the
 * system does not promise that the old one stays away when the power goes.
 */
export function replaceFile(files: Files, path: string, bytes: Uint8Array): boolean {
  const draft = `${path}.draft`;
  try {
    const descriptor = files.create(draft);
    try {
      files.write(descriptor, bytes);
      files.fsync(descriptor);
    } finally {
      files.close(descriptor);
    }
    files.rename(draft, path);
  } catch (error) {
    files.remove(draft);
    throw error;
  }
  try {
    files.fsyncFolder(dirname(path));
    return true;
  } catch {
    // Some network folders cannot; and what is renamed is renamed.
    return false;
  }
}
