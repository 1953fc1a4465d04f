/**
 * Compares two commits with `git diff-tree`.
 *
 * One process prints the list of changed files, with NUL-terminated names, followed by the patch or the line counts of
 * each file in the same order. Names are only taken from the list, and hunks are read by the line counts in their
 * headers, so that no name or line of a file can be mistaken for syntax.
 */
import { isServiceError } from "#base/error";
import { type BytePath, isUtf8, textOf } from "#git/bytePath";
import { type GitRequest, runGitRequest } from "#git/gitRequest";
import { type Hunk, malformedOutput, PatchReader } from "./patchReader";

export interface ChangedFile {
  /** Absent for an added file. */
  readonly oldPath?: string;
  /** Absent for a deleted file. */
  readonly newPath?: string;
  /** Octal, such as `100644`; absent with their path. */
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly isBinary: boolean;
  /** Empty if only counts were requested. */
  readonly hunks: readonly Hunk[];
  /** Only if counts were requested, and neither for a binary file nor for a file that became a link or vice versa. */
  readonly addedLines?: number;
  readonly removedLines?: number;
}

export interface DiffScope {
  /** Restricts the diff to a file or folder. */
  readonly path?: string | undefined;
  /** `counts` works for patches of any size. */
  readonly detail?: "hunks" | "counts";
}

/**
 * Returns the changes from commit `base` to commit `head`, in order of the new names. A file that became a link, or
 * vice versa, is reported as deleted and added.
 *
 * `path` matches the old or the new name. Throws what `runGitRequest` throws.
 */
export async function diffCommits(
  request: GitRequest,
  base: string,
  head: string,
  { path, detail = "hunks" }: DiffScope = {},
): Promise<readonly ChangedFile[]> {
  const [format, parse] = detail === "hunks" ? [withPatch, parseDiff] : [withCounts, parseCounts];
  const runDiff = (args: readonly string[], paths: readonly string[] = []) =>
    runGitRequest(request, ["diff-tree", "-r", "-M", "-l1000", "-z", ...args, base, head, "--", ...paths]);
  if (path === undefined) return parse(await runDiff(format));

  // A name that is not UTF-8 contains U+FFFD here, and cannot be an argument.
  const isReadable = !path.includes("\ufffd");
  if (isReadable) {
    // A file that exists on both sides was not renamed, so other files do not matter.
    const narrow = await runDiff(format, [path]);
    const { changes } = parseChanges(narrow);
    if (changes.every(({ status }) => status === "M" || status === "T")) return parse(narrow);
  }

  const isWanted = (name: BytePath | undefined) => {
    const text = name === undefined ? "" : textOf(name);
    return text === path || text.startsWith(`${path}/`);
  };
  const all = parseChanges(await runDiff(["--raw", "--ignore-submodules=none"])).changes;
  const chosen = all.filter(({ oldName, newName }) => isWanted(oldName) || isWanted(newName));
  const names = new Set(chosen.flatMap(({ oldName, newName }) => [oldName, newName]));
  const known = [...names].filter((name) => name !== undefined);
  if (known.length <= maxPathArguments && known.every(isUtf8)) {
    const narrow = await runDiff(format, known.map(textOf));
    // Among fewer files, git may detect other renames.
    if (areSameChanges(parseChanges(narrow).changes, chosen)) return parse(narrow);
  }
  return parse(await runDiff(format), ({ oldName, newName }) => isWanted(oldName) || isWanted(newName));
}

/** Returns the best common ancestor, or `undefined` if there is none, or one argument is not a commit. */
export async function mergeBase(
  request: GitRequest,
  base: string,
  head: string,
): Promise<string | undefined> {
  try {
    const output = await runGitRequest(request, ["merge-base", base, head], { acceptedExitCode: 1 });
    return output.toString("latin1").split("\n")[0] || undefined;
  } catch (error) {
    if (isServiceError(error, "GIT_FAILED") && /not a valid commit/i.test(error.message)) return undefined;
    throw error;
  }
}

/** More may not fit into a command line. */
const maxPathArguments = 100;

/** Overrides all settings that change what `diff-tree` prints. */
const withPatch: readonly string[] = [
  "--raw",
  "-p",
  "-U3",
  "--inter-hunk-context=0",
  "--ignore-submodules=none",
  "--submodule=short",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "-O/dev/null",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

const withCounts: readonly string[] = [
  "--raw",
  "--numstat",
  "--ignore-submodules=none",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  "-O/dev/null",
];

interface Change {
  /** Git's status letter: `A`, `D`, `M`, `R`, `T`. */
  readonly status: string;
  readonly oldMode: string;
  readonly newMode: string;
  /** Absent for an added file. */
  readonly oldName?: BytePath;
  /** Absent for a deleted file. */
  readonly newName?: BytePath;
  /** Whether both sides have the same content. */
  readonly isSame: boolean;
}

function areSameChanges(left: readonly Change[], right: readonly Change[]): boolean {
  return left.length === right.length && left.every((change, at) => isSameChange(change, right[at]));
}

function isSameChange(left: Change, right: Change | undefined): boolean {
  return left.status === right?.status && left.oldName === right.oldName && left.newName === right.newName;
}

const recordHead = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;
const colon = ":".charCodeAt(0);

/**
 * Parses the list of changes: `:<mode> <mode> <hash> <hash> <status> NUL <name> NUL [ <new name> NUL ]` for each file,
 * with two names for `R`. `end` is the byte offset after the list and the NUL that separates it from the patch.
 *
 * Throws UNEXPECTED_ERROR for malformed output.
 */
export function parseChanges(output: Buffer): { changes: readonly Change[]; end: number } {
  const changes: Change[] = [];
  let at = 0;
  const field = () => {
    const end = output.indexOf(0, at);
    if (end < 0) throw malformedOutput("truncated list of changes");
    const bytes = output.toString("latin1", at, end);
    at = end + 1;
    return bytes as BytePath;
  };
  while (output[at] === colon) {
    const head = recordHead.exec(field());
    if (!head) throw malformedOutput("malformed change");
    const [, oldMode = "", newMode = "", oldHash, newHash, status = ""] = head;
    const name = field();
    changes.push({
      status,
      oldMode,
      newMode,
      isSame: oldHash === newHash,
      ...(status === "A" ? {} : { oldName: name }),
      ...(status === "D" ? {} : { newName: status === "R" || status === "C" ? field() : name }),
    });
  }
  return { changes, end: output[at] === 0 ? at + 1 : at };
}

/**
 * Parses the list of changes and the patch after it; returns only the files that are `isWanted`. Yields to the event
 * loop regularly.
 *
 * Throws UNEXPECTED_ERROR if list and patch do not match, and ANSWER_TOO_LARGE.
 */
export async function parseDiff(
  output: Buffer,
  isWanted: (change: Change) => boolean = () => true,
): Promise<readonly ChangedFile[]> {
  const { changes, end } = parseChanges(output);
  const patch = new PatchReader(output, end);
  const files: ChangedFile[] = [];
  for (const change of changes) {
    for (const part of splitTypeChange(change)) {
      const { hunks, isBinary } = await patch.readFile(isWanted(change));
      if (isWanted(change)) files.push({ ...toChangedFile(part), isBinary, hunks });
    }
  }
  if (!patch.isAtEnd) throw malformedOutput("the patch has more files than the list of changes");
  return files;
}

/**
 * Parses the list of changes and the counts after it: `<added> TAB <removed> TAB <name> NUL` for each file, with `-`
 * for binary files, and for a rename NUL and both names instead of the name. Returns only the files that are
 * `isWanted`.
 *
 * Throws UNEXPECTED_ERROR if list and counts do not match.
 */
export function parseCounts(
  output: Buffer,
  isWanted: (change: Change) => boolean = () => true,
): readonly ChangedFile[] {
  const { changes, end } = parseChanges(output);
  const fields = output.toString("latin1", end).split("\0");
  const files: ChangedFile[] = [];
  let at = 0;
  for (const change of changes) {
    const head = countsHead.exec(fields[at] ?? "");
    if (!head) throw malformedOutput("the list of changes has more files than the counts");
    const [, added = "", removed = "", name] = head;
    at += name === "" ? 3 : 1;
    if (!isWanted(change)) continue;
    const isBinary = added === "-" && !change.isSame;
    // For a type change, git counts lines as if the type were the same.
    const isCounted = !isBinary && change.status !== "T";
    const numberOf = (text: string) => (change.isSame ? 0 : Number(text));
    const counts = isCounted ? { addedLines: numberOf(added), removedLines: numberOf(removed) } : {};
    for (const part of splitTypeChange(change))
      files.push({ ...toChangedFile(part), isBinary, hunks: [], ...counts });
  }
  if (at !== fields.length - 1) throw malformedOutput("the counts have more files than the list of changes");
  return files;
}

const countsHead = /^(\d+|-)\t(\d+|-)\t(.*)$/s;

/** Git prints a type change as two files. */
function splitTypeChange(change: Change): readonly Change[] {
  if (change.status !== "T") return [change];
  const { oldName, newName, ...rest } = change;
  return [
    { ...rest, ...(oldName === undefined ? {} : { oldName }) },
    { ...rest, ...(newName === undefined ? {} : { newName }) },
  ];
}

function toChangedFile({
  oldName,
  newName,
  oldMode,
  newMode,
}: Change): Omit<ChangedFile, "hunks" | "isBinary"> {
  return {
    ...(oldName === undefined ? {} : { oldPath: textOf(oldName), oldMode }),
    ...(newName === undefined ? {} : { newPath: textOf(newName), newMode }),
  };
}
