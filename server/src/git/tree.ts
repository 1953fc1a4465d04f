/** Trees: what lies where at a commit, and how two of them differ. Contents are not read. */
import { ServiceError, throwIfAborted } from "#base/error";
import type { BytePath } from "./bytePath";
import { runGit } from "./git";
import { fewObjects, ObjectFiles } from "./objectFiles";
import type { GitPlace } from "./place";
import { diffTreeFiles, listTreeFiles, rootTreeOf } from "./treeFiles";

/** A file or a symbolic link, whose content is its target. Submodules are other repositories and left out. */
export interface TreeEntry {
  readonly path: BytePath;
  readonly hash: string;
  readonly isSymlink: boolean;
}

/** A path that differs between two trees; `entry` is what the second has there, absent where it has nothing. */
export interface TreeChange {
  readonly path: BytePath;
  readonly entry?: TreeEntry;
}

/** `tree`: the full hash of a tree or a commit. Entries in git's order. */
export async function listTree(place: GitPlace, tree: string, signal?: AbortSignal): Promise<TreeEntry[]> {
  throwIfAborted(signal);
  const listed = ObjectFiles.use(place, (files) => files && listTreeFiles(files, tree));
  if (listed !== undefined) {
    return listed
      .filter(({ mode }) => mode !== submoduleMode)
      .map(({ path, mode, hash }) => entryOf(path, mode, hash));
  }
  return parseTree(await runGit(place, ["ls-tree", "-r", "-z", "--full-tree", tree], { signal }));
}

/**
 * The root tree of each commit, through at most one process; `undefined` for a commit that is not in the repository (a
 * shallow clone, damage).
 */
export async function rootTrees(
  place: GitPlace,
  commits: readonly string[],
  signal?: AbortSignal,
): Promise<(string | undefined)[]> {
  throwIfAborted(signal);
  const known = commits.length > fewObjects ? undefined : rootTreesFromFiles(place, commits);
  if (known !== undefined) return known;
  const input = commits.map((commit) => `${commit}^{tree}\n`).join("");
  const output = await runGit(place, ["cat-file", "--batch-check", "--buffer"], { input, signal });
  const lines = output.toString("latin1").split("\n");
  return commits.map((_, at) => /^([0-9a-f]{40,64}) tree \d+$/.exec(lines[at] ?? "")?.[1]);
}

/** `undefined` where git must be asked for one of them. */
function rootTreesFromFiles(place: GitPlace, commits: readonly string[]): string[] | undefined {
  return ObjectFiles.use(place, (files) => {
    const trees: string[] = [];
    for (const commit of commits) {
      const tree = files && rootTreeOf(files, commit);
      if (tree === undefined) return undefined;
      trees.push(tree);
    }
    return trees;
  });
}

/**
 * Compares pairs of trees (full hashes of trees, not of commits) through at most one process. Gives for each pair, in
 * their order, what `to` has differently than `from`.
 */
export async function diffTrees(
  place: GitPlace,
  pairs: readonly { readonly from: string; readonly to: string }[],
  signal?: AbortSignal,
): Promise<TreeChange[][]> {
  const answers: TreeChange[][] = pairs.map(() => []);
  const asked = [...pairs.entries()].filter(([, { from, to }]) => from !== to);
  if (asked.length === 0) return answers;
  throwIfAborted(signal);
  const compared = diffsFromFiles(
    place,
    asked.map(([, pair]) => pair),
  );
  if (compared !== undefined) {
    for (const [at, [index]] of asked.entries()) answers[index] = compared[at] ?? [];
    return answers;
  }
  const output = await runGit(
    place,
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
    { input: asked.map(([, { from, to }]) => `${from} ${to}\n`).join(""), signal },
  );
  const parsed = parseTreeDiffs(output);
  if (parsed.length !== asked.length) {
    throw new ServiceError("GIT_FAILED", `git diff-tree answered ${parsed.length} of ${asked.length} pairs.`);
  }
  for (const [place, [index]] of asked.entries()) answers[index] = parsed[place] ?? [];
  return answers;
}

/** `undefined` where git must be asked for one of them. */
function diffsFromFiles(
  place: GitPlace,
  pairs: readonly { readonly from: string; readonly to: string }[],
): TreeChange[][] | undefined {
  if (pairs.length > fewObjects) return undefined;
  return ObjectFiles.use(place, (files) => {
    const all: TreeChange[][] = [];
    for (const { from, to } of pairs) {
      const changes = files && diffTreeFiles(files, from, to);
      if (changes === undefined) return undefined;
      all.push(changes.map(({ path, to: now }) => changeOf(path, now?.mode ?? absentMode, now?.hash ?? "")));
    }
    return all;
  });
}

const symlinkMode = "120000";
const submoduleMode = "160000";
const absentMode = "000000";

/** `<mode> SP <type> SP <hash> TAB <path> NUL`, repeated. */
export function parseTree(output: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < output.length; ) {
    const tab = output.indexOf(0x09, at);
    const end = output.indexOf(0, tab);
    if (tab < 0 || end < 0) throw new ServiceError("GIT_FAILED", "The output of git ls-tree ends too early.");
    const [mode = "", type, hash = ""] = output.toString("latin1", at, tab).split(" ");
    if (type === "blob") entries.push(entryOf(output.toString("latin1", tab + 1, end), mode, hash));
    at = end + 1;
  }
  return entries;
}

/**
 * One list a pair. A pair begins with the line `<hash> SP <hash>`; then come `:<mode> <mode> <hash> <hash> <status>
 * NUL <path> NUL`, repeated.
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
      throw new ServiceError("GIT_FAILED", "The output of git diff-tree ends too early.");
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

/** Of what the second tree has there; the mode `000000` where that is nothing. */
function changeOf(path: BytePath, mode: string, hash: string): TreeChange {
  const isDocument = mode !== absentMode && mode !== submoduleMode;
  return isDocument ? { path, entry: entryOf(path, mode, hash) } : { path };
}

function entryOf(path: string, mode: string, hash: string): TreeEntry {
  return { path: path as BytePath, hash, isSymlink: mode === symlinkMode };
}
