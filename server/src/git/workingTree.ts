/**
 * How a working tree differs from a commit, without running anything that the repository's configuration names: the
 * index is read by ourselves, files are compared raw, and git is only asked what is ignored, where something new lies.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { type BytePath, folderOf, foldersOf, joined, onDisk } from "./bytePath";
import { runGit } from "./git";
import { type IndexEntry, type IndexFile, type IndexStat, readIndex } from "./indexFile";
import type { GitPlace } from "./place";
import { WorkingFiles } from "./workingFile";

/** `present`: the file on disk counts instead of the commit's. `absent`: nothing is there any more. */
export type WorkingChange = "present" | "absent";

export type WorkingChanges = ReadonlyMap<BytePath, WorkingChange>;

const symlinkMode = 0o120000;
const regularMode = 0o100000;
const typeMask = 0o170000;

/**
 * Compares the whole working tree with `base`, the blobs of a commit by path. Untracked files that are not ignored are
 * `present`. Nothing differs where nothing was ever checked out.
 */
export async function scanWorkingTree(
  place: GitPlace & { readonly workTree: string },
  base: ReadonlyMap<BytePath, string>,
  signal?: AbortSignal,
): Promise<WorkingChanges> {
  const index = await readIndex(place, signal);
  if (index === undefined) return new Map();
  const files = new WorkingFiles(place.workTree);
  const changes = compareTracked(index, base, files);
  const tracked = new Set(index.entries.map(({ path }) => path));
  const skipped = skippedPaths(index);
  for (const path of base.keys()) {
    // In the commit, but no longer in the index: `git rm --cached` leaves the file where it was.
    if (!tracked.has(path) && !isSkipped(path, skipped))
      changes.set(path, files.stat(path) ? "present" : "absent");
  }
  if (hasUntracked(place.workTree, index.entries, tracked)) {
    for (const path of await listUntracked(place, signal)) if (!base.has(path)) changes.set(path, "present");
  }
  return changes;
}

/**
 * The same for single paths, after an event: the index is read only where something of the commit is gone, and git is
 * asked what is ignored only where something new lies.
 */
export async function checkPaths(
  place: GitPlace & { readonly workTree: string },
  base: (path: BytePath) => string | undefined,
  paths: readonly BytePath[],
  signal?: AbortSignal,
): Promise<WorkingChanges> {
  const files = new WorkingFiles(place.workTree);
  const changes = new Map<BytePath, WorkingChange>();
  const fresh: BytePath[] = [];
  const gone: BytePath[] = [];
  for (const path of paths) {
    const blob = base(path);
    const isThere = files.stat(path) !== undefined;
    if (blob === undefined && isThere) fresh.push(path);
    else if (blob !== undefined && !isThere) gone.push(path);
    else if (blob !== undefined && hashFile(files, path, blob.length) !== blob) changes.set(path, "present");
  }
  const ignored = fresh.length === 0 ? fresh : await listIgnored(place, fresh, signal);
  for (const path of fresh) if (!ignored.includes(path)) changes.set(path, "present");
  if (gone.length > 0) {
    const skipped = skippedPaths(await readIndex(place, signal));
    for (const path of gone) if (!isSkipped(path, skipped)) changes.set(path, "absent");
  }
  return changes;
}

/** Files and links in git's index. */
export async function listTracked(place: GitPlace, signal?: AbortSignal): Promise<BytePath[]> {
  const entries = (await readIndex(place, signal))?.entries ?? [];
  return entries.filter(({ mode }) => isDocument(mode)).map(({ path }) => path);
}

function isDocument(mode: number): boolean {
  return (mode & typeMask) === regularMode || (mode & typeMask) === symlinkMode;
}

function compareTracked(
  { entries, mtimeNs }: IndexFile,
  base: ReadonlyMap<BytePath, string>,
  files: WorkingFiles,
): Map<BytePath, WorkingChange> {
  const changes = new Map<BytePath, WorkingChange>();
  for (const entry of entries) {
    const { path, hash, mode, stage } = entry;
    if (!isDocument(mode)) continue;
    const stat = files.stat(path);
    if (stat === undefined) {
      if (base.has(path) && !entry.isSkipped) changes.set(path, "absent");
    } else if (stage !== 0) changes.set(path, "present");
    else if (isUnchanged(entry, stat, mtimeNs)) {
      if (base.get(path) !== hash) changes.set(path, "present");
    } else if (base.get(path) !== hashFile(files, path, hash.length)) changes.set(path, "present");
  }
  return changes;
}

/** Whether the file is the one that git last found equal to the blob; a doubtful one is not. */
function isUnchanged({ stat: known, mode }: IndexEntry, stat: fs.BigIntStats, indexMtimeNs: bigint): boolean {
  if (known === undefined) return false;
  if (stat.isSymbolicLink() !== ((mode & typeMask) === symlinkMode)) return false;
  return stat.mtimeNs < indexMtimeNs && isSameStat(known, stat);
}

const billion = 1_000_000_000n;

/** Nanoseconds are 0 where git was built without them. On Windows a file's ctime is something else. */
function isSameStat(known: IndexStat, stat: fs.BigIntStats): boolean {
  const sameTime = (seconds: number, nanoseconds: number, time: bigint) =>
    Number((time / billion) & 0xffffffffn) === seconds &&
    (nanoseconds === 0 || Number(time % billion) === nanoseconds);
  return (
    Number(stat.size & 0xffffffffn) === known.size &&
    sameTime(known.mtimeS, known.mtimeNs, stat.mtimeNs) &&
    (process.platform === "win32" || sameTime(known.ctimeS, known.ctimeNs, stat.ctimeNs))
  );
}

/** Larger files are compared piece by piece. */
const pieceBytes = 1024 * 1024;

/** The hash that git would give to the raw bytes; `""` where they cannot be read. */
function hashFile(files: WorkingFiles, path: BytePath, hashLength: number): string {
  const stat = files.stat(path);
  if (stat === undefined) return "";
  const hash = createHash(hashLength === 64 ? "sha256" : "sha1");
  try {
    const place = onDisk(files.root, path);
    if (stat.isSymbolicLink()) {
      const target = fs.readlinkSync(place, { encoding: "buffer" });
      return hash.update(`blob ${target.length}\0`).update(target).digest("hex");
    }
    const descriptor = fs.openSync(place, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    try {
      hash.update(`blob ${stat.size}\0`);
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, Number(stat.size) + 1));
      for (let read = -1; read !== 0; ) {
        read = fs.readSync(descriptor, piece, 0, piece.length, null);
        hash.update(piece.subarray(0, read));
      }
      return hash.digest("hex");
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

/**
 * Whether any folder that holds tracked files also holds something else. Most working trees do not, and need no git.
 */
function hasUntracked(root: string, entries: readonly IndexEntry[], tracked: ReadonlySet<BytePath>): boolean {
  const folders = new Set(foldersOf(entries.map(({ path }) => path)));
  for (const folder of folders) {
    for (const { name, isFolder } of readFolder(root, folder)) {
      const path = joined(folder, name);
      if (path === ".git" || tracked.has(path)) continue;
      if (!isFolder || !folders.has(path)) return true;
    }
  }
  return false;
}

export interface FolderEntry {
  /** One character a byte. */
  readonly name: string;
  readonly isFolder: boolean;
  readonly isLink: boolean;
  readonly isFile: boolean;
}

/** Empty for a folder that is not there or cannot be read. */
export function readFolder(root: string, folder: BytePath): FolderEntry[] {
  try {
    // The types of Node do not know that names may be asked for in this encoding.
    const options = { withFileTypes: true, encoding: "latin1" as "utf8" } as const;
    return fs.readdirSync(folder === "" ? root : onDisk(root, folder), options).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
      isFile: entry.isFile(),
    }));
  } catch {
    return [];
  }
}

/** Nested repositories are named as `folder/` and left out. */
async function listUntracked(place: GitPlace, signal: AbortSignal | undefined): Promise<BytePath[]> {
  const output = await runGit(place, ["ls-files", "-o", "--exclude-standard", "-z", "--full-name"], {
    signal,
  });
  return splitPaths(output).filter((path) => !path.endsWith("/"));
}

/** Whether git passes over a file or folder of the working tree. */
export async function isIgnored(place: GitPlace, path: BytePath, signal?: AbortSignal): Promise<boolean> {
  return (await listIgnored(place, [path], signal)).length > 0;
}

async function listIgnored(
  place: GitPlace,
  paths: readonly BytePath[],
  signal: AbortSignal | undefined,
): Promise<BytePath[]> {
  // This command knows no literal paths; `./` keeps a name like `:(top)x` from being more than a name.
  const output = await runGit(place, ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"], {
    input: Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1"),
    acceptedExitCode: 1,
    signal,
  });
  return splitPaths(output).map((path) => path.slice(2) as BytePath);
}

function splitPaths(output: Buffer): BytePath[] {
  return output
    .toString("latin1")
    .split("\0")
    .filter((path) => path !== "") as BytePath[];
}

/** Files left out of the working tree, and folders left out as a whole, which end in `/`. */
function skippedPaths(index: IndexFile | undefined): ReadonlySet<string> {
  return new Set((index?.entries ?? []).filter((entry) => entry.isSkipped).map(({ path }) => path));
}

function isSkipped(path: BytePath, skipped: ReadonlySet<string>): boolean {
  if (skipped.size === 0) return false;
  if (skipped.has(path)) return true;
  for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
    if (skipped.has(`${folder}/`)) return true;
  }
  return false;
}
