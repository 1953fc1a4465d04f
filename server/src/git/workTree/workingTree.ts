/**
 * Compares a working tree with a commit, without running anything that the repository's configuration names: the index
 * is parsed here, files are compared as raw bytes, and git only decides whether new files are ignored.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { ancestorsOf, type BytePath, diskPath, isDirectlyIn, joinPath, parentOf } from "#git/bytePath";
import { runGit } from "#git/git";
import type { GitRepository } from "#git/repository";
import { type IndexEntry, type IndexFile, readIndex, statColumns } from "./indexFile";
import { WorkingFiles } from "./workingFile";

/** `present`: the file on disk replaces the commit's. `absent`: the file was deleted. */
export type WorkingChange = "present" | "absent";

export type WorkingChanges = ReadonlyMap<BytePath, WorkingChange>;

const symlinkType = 0o120000;
const regularType = 0o100000;
const typeMask = 0o170000;

/**
 * Compares the whole working tree with `base`, the blob hashes of a commit by path. Untracked files that are not
 * ignored are `present`. Without an index, nothing was ever checked out, so nothing is `absent`. Checks no file before
 * `isWatched` resolves.
 */
export async function scanWorkingTree(
  repository: GitRepository & { readonly workTree: string },
  base: ReadonlyMap<BytePath, string>,
  signal?: AbortSignal,
  isWatched?: Promise<void> | void,
): Promise<WorkingChanges> {
  const [index] = await Promise.all([readIndex(repository, signal), isWatched]);
  const files = new WorkingFiles(repository.workTree);
  if (index === undefined) return scanUntracked(repository, base, files, signal);
  const { changes, commonCount, uncounted } = compareTracked(index, base, files);
  if (commonCount < base.size) {
    const tracked = new Set(index.entries.map(({ path }) => path));
    const skipped = skippedPaths(index);
    for (const path of base.keys()) {
      // In the commit, but no longer in the index: `git rm --cached` does not delete the file.
      if (!tracked.has(path) && !isSkipped(path, skipped))
        changes.set(path, files.stat(path) ? "present" : "absent");
    }
  }
  if (hasUntracked(repository.workTree, index.entries, uncounted)) {
    for (const path of await listUntracked(repository, signal))
      if (!base.has(path)) changes.set(path, "present");
  }
  return changes;
}

/** Compares a working tree that has no index, in which every file is untracked. */
async function scanUntracked(
  repository: GitRepository & { readonly workTree: string },
  base: ReadonlyMap<BytePath, string>,
  files: WorkingFiles,
  signal: AbortSignal | undefined,
): Promise<WorkingChanges> {
  const changes = new Map<BytePath, WorkingChange>();
  if (!hasUntracked(repository.workTree, [], [])) return changes;
  for (const path of await listUntracked(repository, signal)) {
    const blob = base.get(path);
    if (blob === undefined || blob !== hashFile(files, path, blob.length)) changes.set(path, "present");
  }
  return changes;
}

/**
 * Compares only `paths`, after a file-system event. Reads the index only if a file was deleted, and runs git only if a
 * file was created.
 */
export async function checkPaths(
  repository: GitRepository & { readonly workTree: string },
  base: (path: BytePath) => string | undefined,
  paths: readonly BytePath[],
  signal?: AbortSignal,
): Promise<WorkingChanges> {
  const files = new WorkingFiles(repository.workTree);
  const changes = new Map<BytePath, WorkingChange>();
  const untracked: BytePath[] = [];
  const gone: BytePath[] = [];
  for (const path of paths) {
    const blob = base(path);
    const exists = files.stat(path) !== undefined;
    if (blob === undefined && exists) untracked.push(path);
    else if (blob !== undefined && !exists) gone.push(path);
    else if (blob !== undefined && hashFile(files, path, blob.length) !== blob) changes.set(path, "present");
  }
  const ignored = untracked.length === 0 ? untracked : await listIgnored(repository, untracked, signal);
  for (const path of untracked) if (!ignored.includes(path)) changes.set(path, "present");
  if (gone.length > 0) {
    const index = await readIndex(repository, signal);
    const skipped = skippedPaths(index);
    for (const path of gone)
      if (index !== undefined && !isSkipped(path, skipped)) changes.set(path, "absent");
  }
  return changes;
}

/** Lists the files and symbolic links in git's index. */
export async function listTracked(repository: GitRepository, signal?: AbortSignal): Promise<BytePath[]> {
  const entries = (await readIndex(repository, signal))?.entries ?? [];
  return entries.filter(({ mode }) => isDocument(mode)).map(({ path }) => path);
}

function isDocument(mode: number): boolean {
  return (mode & typeMask) === regularType || (mode & typeMask) === symlinkType;
}

interface ComparedFiles {
  readonly changes: Map<BytePath, WorkingChange>;
  /** How many paths are both in the index and in the commit. */
  readonly commonCount: number;
  /** Tracked paths that are not files on disk. */
  readonly uncounted: readonly BytePath[];
}

function compareTracked(
  index: IndexFile,
  base: ReadonlyMap<BytePath, string>,
  files: WorkingFiles,
): ComparedFiles {
  const changes = new Map<BytePath, WorkingChange>();
  const uncounted: BytePath[] = [];
  let commonCount = 0;
  let previous: string | undefined;
  for (const entry of index.entries) {
    const { path, hash, mode, stage } = entry;
    const known = base.get(path);
    // A path has several entries during a merge.
    if (known !== undefined && path !== previous) commonCount++;
    previous = path;
    const stat = isDocument(mode) ? files.stat(path) : undefined;
    if (stat === undefined) uncounted.push(path);
    if (!isDocument(mode)) {
      // In the commit, it is a file; in the index, a submodule.
      if (known !== undefined) changes.set(path, files.stat(path) ? "present" : "absent");
    } else if (stat === undefined) {
      if (known !== undefined && !entry.isSkipped) changes.set(path, "absent");
    } else if (stage !== 0) changes.set(path, "present");
    else if (isUnchanged(entry, stat, index)) {
      if (known !== hash) changes.set(path, "present");
    } else if (known !== hashFile(files, path, hash.length)) changes.set(path, "present");
  }
  return { changes, commonCount, uncounted };
}

/** Whether the file's stat data still matches the index, and is not racily clean. */
function isUnchanged({ statAt, mode }: IndexEntry, stat: fs.Stats, { stats, mtimeMs }: IndexFile): boolean {
  if (statAt < 0) return false;
  if (stat.isSymbolicLink() !== ((mode & typeMask) === symlinkType)) return false;
  return stat.mtimeMs < mtimeMs && isSameStat(stats, statAt, stat);
}

/**
 * Ignores nanoseconds of 0, because git may be built without them. Ignores ctime on Windows, where it means something
 * else. A time that does not fit into the index never matches.
 */
function isSameStat(known: Uint32Array, at: number, stat: fs.Stats): boolean {
  const sameTime = (column: number, ms: number) => {
    const seconds = known[at + column] ?? 0;
    const nanoseconds = known[at + column + 1] ?? 0;
    // Computed as Node does, so that the same time is the same number, exact to a quarter of a microsecond.
    return nanoseconds === 0 ? Math.floor(ms / 1000) === seconds : ms === seconds * 1000 + nanoseconds / 1e6;
  };
  return (
    stat.size % 2 ** 32 === known[at + statColumns.size] &&
    sameTime(statColumns.mtimeS, stat.mtimeMs) &&
    (process.platform === "win32" || sameTime(statColumns.ctimeS, stat.ctimeMs))
  );
}

/** Files are hashed in chunks of this size. */
const pieceBytes = 1024 * 1024;

/** Returns the blob hash of a file's raw bytes, or `""` if it cannot be read. */
function hashFile(files: WorkingFiles, path: BytePath, hashLength: number): string {
  const stat = files.stat(path);
  if (stat === undefined) return "";
  const hash = createHash(hashLength === 64 ? "sha256" : "sha1");
  try {
    const location = diskPath(files.root, path);
    if (stat.isSymbolicLink()) {
      const target = fs.readlinkSync(location, { encoding: "buffer" });
      return hash.update(`blob ${target.length}\0`).update(target).digest("hex");
    }
    const descriptor = fs.openSync(location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
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
 * Whether any folder of tracked files also contains untracked entries. If not, git need not be run. `uncounted` are
 * tracked paths that are not files on disk.
 *
 * A folder in which all tracked files and folders exist, and that has as many entries, contains nothing else.
 */
function hasUntracked(root: string, entries: readonly IndexEntry[], uncounted: readonly BytePath[]): boolean {
  const folders = ancestorsOf(entries.map(({ path }) => path));
  const mustCompare = new Set(ancestorsOf(uncounted));
  const counts = new Map(folders.map((folder) => [folder, 0]));
  const count = (folder: BytePath, added: number) => counts.set(folder, (counts.get(folder) ?? 0) + added);
  let previous: string | undefined;
  let last = "" as BytePath;
  let inLast = 0;
  for (const { path } of entries) {
    if (path === previous) continue;
    previous = path;
    if (!isDirectlyIn(path, last)) {
      count(last, inLast);
      last = parentOf(path);
      inLast = 0;
    }
    inLast++;
  }
  count(last, inLast);
  for (const folder of folders) if (folder !== "") count(parentOf(folder), 1);
  let tracked: ReadonlySet<string> | undefined;
  for (const folder of folders) {
    if (!mustCompare.has(folder) && countEntries(root, folder) === counts.get(folder)) continue;
    tracked ??= new Set(entries.map(({ path }) => path));
    for (const { name, isFolder } of readFolder(root, folder)) {
      const path = joinPath(folder, name);
      if (path === ".git" || tracked.has(path)) continue;
      if (!isFolder || !counts.has(path)) return true;
    }
  }
  return false;
}

function countEntries(root: string, folder: BytePath): number | undefined {
  try {
    return fs.readdirSync(diskPath(root, folder), "latin1").length;
  } catch {
    return undefined;
  }
}

export interface FolderEntry {
  /** One character per byte. */
  readonly name: string;
  readonly isFolder: boolean;
  readonly isLink: boolean;
  readonly isFile: boolean;
}

/** Lists a folder. Returns an empty list if it does not exist or cannot be read. */
export function readFolder(root: string, folder: BytePath): FolderEntry[] {
  try {
    // Node's types do not allow this encoding for names.
    const options = { withFileTypes: true, encoding: "latin1" as "utf8" } as const;
    return fs.readdirSync(folder === "" ? root : diskPath(root, folder), options).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
      isFile: entry.isFile(),
    }));
  } catch {
    return [];
  }
}

/** Lists untracked files that are not ignored. Omits nested repositories, which git lists as `folder/`. */
async function listUntracked(
  repository: GitRepository,
  signal: AbortSignal | undefined,
): Promise<BytePath[]> {
  const output = await runGit(repository, ["ls-files", "-o", "--exclude-standard", "-z", "--full-name"], {
    signal,
  });
  return splitPaths(output).filter((path) => !path.endsWith("/"));
}

/** Whether git ignores a file or folder of the working tree. */
export async function isIgnored(
  repository: GitRepository,
  path: BytePath,
  signal?: AbortSignal,
): Promise<boolean> {
  return (await listIgnored(repository, [path], signal)).length > 0;
}

async function listIgnored(
  repository: GitRepository,
  paths: readonly BytePath[],
  signal: AbortSignal | undefined,
): Promise<BytePath[]> {
  // This command rejects `--literal-pathspecs`; `./` keeps a name like `:(top)x` from being a pathspec.
  const output = await runGit(repository, ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"], {
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

/** Returns the paths that sparse checkout excludes. Those of sparse directories end in `/`. */
function skippedPaths(index: IndexFile | undefined): ReadonlySet<string> {
  return new Set((index?.entries ?? []).filter((entry) => entry.isSkipped).map(({ path }) => path));
}

function isSkipped(path: BytePath, skipped: ReadonlySet<string>): boolean {
  if (skipped.size === 0) return false;
  if (skipped.has(path)) return true;
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
    if (skipped.has(`${folder}/`)) return true;
  }
  return false;
}
