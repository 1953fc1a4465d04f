/** Lists trees and compares pairs of trees, without reading blobs. */

import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import type { BytePath } from "#git/bytePath";
import { runGit } from "#git/git";
import { isPartialClone } from "#git/missingObjects";
import type { GitRepository } from "#git/repository";
import { treeOfCommit } from "./commitHeader";
import { absentMode, submoduleMode, symlinkMode } from "./fileMode";
import { maxDirectReads, ObjectDatabase } from "./objectDatabase";
import { type ObjectResult, readObjects } from "./readObjects";
import { diffTreeFiles, listTreeFiles } from "./treeObject";

/** A file, or a symbolic link, whose content is its target. Submodules are omitted. */
export interface TreeEntry {
  readonly path: BytePath;
  readonly hash: string;
  readonly isSymlink: boolean;
}

/** A path that differs between two trees. `entry` is the second tree's, absent if that has none. */
export interface TreeChange {
  readonly path: BytePath;
  readonly entry?: TreeEntry;
}

/** Lists the files of a tree or commit, given by its full hash, in git's order. */
export async function listTree(
  repository: GitRepository,
  tree: string,
  signal?: AbortSignal,
): Promise<TreeEntry[]> {
  throwIfAborted(signal);
  const listed = ObjectDatabase.use(repository, (files) => files && listTreeFiles(files, tree));
  if (listed !== undefined) {
    return listed
      .filter(({ mode }) => mode !== submoduleMode)
      .map(({ path, mode, hash }) => entryOf(path, mode, hash));
  }
  return parseTree(await runGit(repository, ["ls-tree", "-r", "-z", "--full-tree", tree], { signal }));
}

/**
 * Returns the root tree of each commit, or `undefined` for a commit that is not in the repository (a shallow clone,
 * damage). The tree itself may be missing. Starts at most one process.
 */
export async function rootTrees(
  repository: GitRepository,
  commits: readonly string[],
  signal?: AbortSignal,
): Promise<(string | undefined)[]> {
  const trees: (string | undefined)[] = commits.map(() => undefined);
  const onObject = (object: ObjectResult, index: number): undefined => {
    if (object.kind === "content") trees[index] = treeOfCommit(object);
  };
  await readObjects(repository, commits, maxCommitBytes, onObject, signal);
  return trees;
}

const maxCommitBytes = 16 * 1024 * 1024;

interface TreePair {
  readonly from: string;
  readonly to: string;
}

/**
 * Compares pairs of trees (full hashes of trees, not of commits). Returns, for each pair in order, the changes from
 * `from` to `to`, or `undefined` if a part of either is missing from the repository. If nothing is missing, starts at
 * most one process.
 */
export async function diffTrees(
  repository: GitRepository,
  pairs: readonly TreePair[],
  signal?: AbortSignal,
): Promise<(TreeChange[] | undefined)[]> {
  try {
    return await diffCompleteTrees(repository, pairs, signal);
  } catch (error) {
    if (!isServiceError(error, "NOT_FOUND")) throw error;
    if (pairs.length === 1) return [undefined];
    const middle = pairs.length >>> 1;
    const left = await diffTrees(repository, pairs.slice(0, middle), signal);
    return [...left, ...(await diffTrees(repository, pairs.slice(middle), signal))];
  }
}

/** Like `diffTrees`, but throws NOT_FOUND if a part of any tree is missing. */
async function diffCompleteTrees(
  repository: GitRepository,
  pairs: readonly TreePair[],
  signal?: AbortSignal,
): Promise<TreeChange[][]> {
  const results: TreeChange[][] = pairs.map(() => []);
  const unequal = [...pairs.entries()].filter(([, { from, to }]) => from !== to);
  if (unequal.length === 0) return results;
  throwIfAborted(signal);
  const compared = diffsFromFiles(
    repository,
    unequal.map(([, pair]) => pair),
  );
  if (compared !== undefined) {
    for (const [at, [index]] of unequal.entries()) results[index] = compared[at] ?? [];
    return results;
  }
  const output = await runGit(
    repository,
    [
      "diff-tree",
      "--stdin",
      "-r",
      "-z",
      "--raw",
      "--no-renames",
      "--no-ext-diff",
      "--no-textconv",
      "--no-abbrev",
    ],
    { input: unequal.map(([, { from, to }]) => `${from} ${to}\n`).join(""), signal },
  );
  const parsed = parseTreeDiffs(output);
  if (parsed.length !== unequal.length) {
    throw new ServiceError(
      "GIT_FAILED",
      `git diff-tree compared ${parsed.length} of ${unequal.length} pairs of trees.`,
    );
  }
  for (const [at, [index]] of unequal.entries()) results[index] = parsed[at] ?? [];
  return results;
}

/** Returns `undefined` if git must be used for any of the pairs. */
function diffsFromFiles(repository: GitRepository, pairs: readonly TreePair[]): TreeChange[][] | undefined {
  if (pairs.length > maxDirectReads) return undefined;
  return ObjectDatabase.use(repository, (files) => {
    const all: TreeChange[][] = [];
    for (const { from, to } of pairs) {
      const changes = files && diffTreeFiles(files, from, to);
      if (changes === undefined) return undefined;
      all.push(changes.map(({ path, to: now }) => changeOf(path, now?.mode ?? absentMode, now?.hash ?? "")));
    }
    return all;
  });
}

/**
 * Returns the hashes of objects that the trees refer to and the repository does not contain. Checks only partial
 * clones, and returns an empty set for others.
 *
 * Unlike other commands, `rev-list --missing=print` does not search all promised objects for each missing one.
 */
export async function findMissingObjects(
  repository: GitRepository,
  trees: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (!isPartialClone(repository)) return found;
  const output = await runGit(
    repository,
    ["rev-list", "--objects", "--missing=print", "--no-walk", "--stdin"],
    {
      input: trees.map((tree) => `${tree}\n`).join(""),
      signal,
    },
  );
  for (const [, hash = ""] of output.toString("latin1").matchAll(/^\?([0-9a-f]+)$/gm)) found.add(hash);
  return found;
}

/** Parses `<mode> SP <type> SP <hash> TAB <path> NUL` records. Throws GIT_FAILED if they are truncated. */
export function parseTree(output: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < output.length; ) {
    const tab = output.indexOf(0x09, at);
    const end = output.indexOf(0, tab);
    if (tab < 0 || end < 0) throw new ServiceError("GIT_FAILED", "The output of git ls-tree is truncated.");
    const [mode = "", type, hash = ""] = output.toString("latin1", at, tab).split(" ");
    if (type === "blob") entries.push(entryOf(output.toString("latin1", tab + 1, end), mode, hash));
    at = end + 1;
  }
  return entries;
}

/**
 * Returns one list per pair. A pair starts with the line `<hash> SP <hash>`, followed by records `:<mode> <mode> <hash>
 * <hash> <status> NUL <path> NUL`.
 */
export function parseTreeDiffs(output: Buffer): TreeChange[][] {
  const pairs: TreeChange[][] = [];
  for (let at = 0; at < output.length; ) {
    if (output[at] !== 0x3a) {
      const end = endOfPairLine(output, at);
      pairs.push([]);
      at = end + 1;
      continue;
    }
    const headEnd = output.indexOf(0, at);
    const end = output.indexOf(0, headEnd + 1);
    if (headEnd < 0 || end < 0)
      throw new ServiceError("GIT_FAILED", "The output of git diff-tree is truncated.");
    const [, mode = "", , hash = ""] = output.toString("latin1", at + 1, headEnd).split(" ");
    const path = output.toString("latin1", headEnd + 1, end) as BytePath;
    pairs.at(-1)?.push(changeOf(path, mode, hash));
    at = end + 1;
  }
  return pairs;
}

function endOfPairLine(output: Buffer, start: number): number {
  for (let at = start; at < output.length; at++) if (output[at] === 0x0a || output[at] === 0) return at;
  return output.length;
}

/** `mode` and `hash` are the second tree's; the mode is `000000` for a deleted path. */
function changeOf(path: BytePath, mode: string, hash: string): TreeChange {
  const isDocument = mode !== absentMode && mode !== submoduleMode;
  return isDocument ? { path, entry: entryOf(path, mode, hash) } : { path };
}

function entryOf(path: string, mode: string, hash: string): TreeEntry {
  return { path: path as BytePath, hash, isSymlink: mode === symlinkMode };
}
