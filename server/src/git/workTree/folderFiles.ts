/** Lists the files of a plain folder, without git. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { type BytePath, bytePathFromText, diskPath, joinPath } from "#git/bytePath";
import { readFolder } from "./workingTree";

export interface FolderFile {
  readonly path: BytePath;
  readonly size: number;
  /** Nanoseconds since 1970. */
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** Folders that contain the data of version control systems. */
export const skippedFolders: ReadonlySet<string> = new Set([".git", ".hg", ".svn"]);

export interface WalkOptions {
  /** Names of the entries of the root to yield; if absent, all. */
  readonly entries?: readonly string[] | undefined;
  /** Whether to skip packages that are installed below the root. */
  readonly skipsPackages?: boolean;
}

/** Yields files and symbolic links (which are not followed) below `root`. Skips what cannot be read. */
export function* walkFolder(
  root: string,
  { entries, skipsPackages = false }: WalkOptions = {},
): Generator<FolderFile> {
  const wanted = entries && new Set<string>(entries.map(bytePathFromText));
  const isSkipped = (name: string) => skippedFolders.has(name) || (skipsPackages && name === "node_modules");
  const queue: BytePath[] = ["" as BytePath];
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const { name, isFolder, isFile, isLink } of readFolder(root, folder)) {
      if (folder === "" && wanted?.has(name) === false) continue;
      const path = joinPath(folder, name);
      if (isFolder && !isSkipped(name)) queue.push(path);
      const stat = isFile || isLink ? lstat(root, path) : undefined;
      if (stat) yield { path, size: Number(stat.size), mtimeNs: stat.mtimeNs, ctimeNs: stat.ctimeNs };
    }
  }
}

function lstat(root: string, path: BytePath): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(diskPath(root, path), { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** Returns a digest that changes whenever a file is created, deleted or written. */
export function digestFolder(files: Iterable<FolderFile>): string {
  const lines = [...files].map(({ path, size, mtimeNs }) => `${path}\0${size} ${mtimeNs}\n`).sort();
  const hash = createHash("sha256");
  for (const line of lines) hash.update(line, "latin1");
  return hash.digest("hex");
}
