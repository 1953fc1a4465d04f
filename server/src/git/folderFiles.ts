/** The files of a plain folder, without git. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { type BytePath, joined, onDisk } from "./bytePath";
import { readFolder } from "./workingTree";

export interface FolderFile {
  readonly path: BytePath;
  readonly size: number;
  /** When its content was written, and when anything of it changed; nanoseconds since 1970. */
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** Folders of other version control systems hold what nobody wrote. */
export const neverRead: ReadonlySet<string> = new Set([".git", ".hg", ".svn"]);

/** Files and symbolic links (which are not followed) below `root`, folder by folder. What cannot be read is left out. */
export function* walkFolder(root: string): Generator<FolderFile> {
  const waiting: BytePath[] = ["" as BytePath];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, isFolder, isFile, isLink } of readFolder(root, folder)) {
      const path = joined(folder, name);
      if (isFolder && !neverRead.has(name)) waiting.push(path);
      const stat = isFile || isLink ? lstat(root, path) : undefined;
      if (stat) yield { path, size: Number(stat.size), mtimeNs: stat.mtimeNs, ctimeNs: stat.ctimeNs };
    }
  }
}

function lstat(root: string, path: BytePath): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(onDisk(root, path), { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Changes whenever a file of the folder appears, goes, or is written. */
export function digestFolder(files: Iterable<FolderFile>): string {
  const lines = [...files].map(({ path, size, mtimeNs }) => `${path}\0${size} ${mtimeNs}\n`).sort();
  const hash = createHash("sha256");
  for (const line of lines) hash.update(line, "latin1");
  return hash.digest("hex");
}
