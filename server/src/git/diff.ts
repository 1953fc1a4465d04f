/**
 * What differs between two commits.
 *
 * One call prints the list of changed files, with names as bytes between NULs, and behind it, in the same order, the
 * patch of each file, or how many lines it has. Names are taken from the list alone, and hunks are read by the counts in
 * their heads, so that no name and no line of a file can be mistaken for anything else.
 */
import { isServiceError, ServiceError } from "#base/error";
import { type BytePath, isText, textOf } from "./bytePath";
import { damaged, type Hunk, PatchReader } from "./patchReader";
import { askGit, type Question } from "./question";

export interface ChangedFile {
  /** Absent for an added file. */
  readonly oldPath?: string;
  /** Absent for a deleted file. */
  readonly newPath?: string;
  /** As git writes them, `100644`; absent with their path. */
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly isBinary: boolean;
  /** None where only counts were asked for. */
  readonly hunks: readonly Hunk[];
  /** Only where counts were asked for, and git has them: not for files that became links, or the other way round. */
  readonly addedLines?: number;
  readonly removedLines?: number;
}

export interface DiffScope {
  /** A file or a folder; absent for everything. */
  readonly path?: string | undefined;
  /** Counts are told without the texts, however large those are. */
  readonly detail?: "hunks" | "counts";
}

/**
 * The changes from `base` to `head`, which are commits, in order of the new names. A file that became a link, or a
 * link a file, is deleted and added.
 *
 * With a `path` only those of this file, or of the files below this folder, under the old name or the new one. Throws
 * what `askGit` throws.
 */
export async function diffCommits(
  question: Question,
  base: string,
  head: string,
  { path, detail = "hunks" }: DiffScope = {},
): Promise<readonly ChangedFile[]> {
  const [format, parse] = detail === "hunks" ? [withPatch, parseDiff] : [withCounts, parseCounts];
  const ask = async (args: readonly string[], paths: readonly string[] = []) => {
    try {
      return await askGit(question, [
        "diff-tree",
        "-r",
        "-M",
        "-l1000",
        "-z",
        ...args,
        base,
        head,
        "--",
        ...paths,
      ]);
    } catch (error) {
      throw incomplete(error) ?? error;
    }
  };
  if (path === undefined) return parse(await ask(format));

  // A name that is no text has U+FFFD in it here, and cannot be an argument.
  const isReadable = !path.includes("\ufffd");
  if (isReadable) {
    // A file that is on both sides was not renamed, and needs no look at the others.
    const narrow = await ask(format, [path]);
    const { changes } = parseChanges(narrow);
    if (changes.every(({ status }) => status === "M" || status === "T")) return parse(narrow);
  }

  const isWanted = (name: BytePath | undefined) => {
    const text = name === undefined ? "" : textOf(name);
    return text === path || text.startsWith(`${path}/`);
  };
  const all = parseChanges(await ask(["--raw", "--ignore-submodules=none"])).changes;
  const chosen = all.filter(({ oldName, newName }) => isWanted(oldName) || isWanted(newName));
  const names = new Set(chosen.flatMap(({ oldName, newName }) => [oldName, newName]));
  const known = [...names].filter((name) => name !== undefined);
  if (known.length <= maxPathArguments && known.every(isText)) {
    const narrow = await ask(format, known.map(textOf));
    // Among fewer files git may see other renames.
    if (sameChanges(parseChanges(narrow).changes, chosen)) return parse(narrow);
  }
  return parse(await ask(format), ({ oldName, newName }) => isWanted(oldName) || isWanted(newName));
}

/** The newest commit that both come from, or `undefined`, also where one is no commit. */
export async function mergeBase(question: Question, base: string, head: string): Promise<string | undefined> {
  try {
    const output = await askGit(question, ["merge-base", base, head], { acceptedExitCode: 1 });
    return output.toString("latin1").split("\n")[0] || undefined;
  } catch (error) {
    if (isServiceError(error, "GIT_FAILED") && /not a valid commit/i.test(error.message)) return undefined;
    throw error;
  }
}

/** What is told where a clone has only a part of its objects; `undefined` where that is not why git failed. */
function incomplete(error: unknown): ServiceError | undefined {
  if (!isServiceError(error, "GIT_FAILED")) return undefined;
  if (!/promisor remote|unable to read|could not fetch/i.test(error.message)) return undefined;
  const message = "Contents of these revisions are not in this clone, which has only a part.";
  return new ServiceError("NOT_FOUND", message, { cause: error });
}

/** More would not fit into a command line everywhere. */
const maxPathArguments = 100;

/** `diff-tree` heeds few settings; these are the ones that would change what it prints. */
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
  /** Git's letter: `A`, `D`, `M`, `R`, `T`. */
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

function sameChanges(left: readonly Change[], right: readonly Change[]): boolean {
  return left.length === right.length && left.every((change, at) => sameChange(change, right[at]));
}

function sameChange(left: Change, right: Change | undefined): boolean {
  return left.status === right?.status && left.oldName === right.oldName && left.newName === right.newName;
}

const recordHead = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;
const colon = ":".charCodeAt(0);

/**
 * The list: `:<mode> <mode> <hash> <hash> <status> NUL <name> NUL [ <new name> NUL ]` for each file, two names for
 * `R`. `end` is the place behind it, and behind the NUL that parts it from the patch.
 *
 * Throws UNEXPECTED_ERROR for what is no such list.
 */
export function parseChanges(output: Buffer): { changes: readonly Change[]; end: number } {
  const changes: Change[] = [];
  let at = 0;
  const field = () => {
    const end = output.indexOf(0, at);
    if (end < 0) throw damaged("a list of changes is cut off");
    const bytes = output.toString("latin1", at, end);
    at = end + 1;
    return bytes as BytePath;
  };
  while (output[at] === colon) {
    const head = recordHead.exec(field());
    if (!head) throw damaged("a change is none");
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
 * The list and the patch behind it; only the files that `isWanted` are taken. Others have the thread in between.
 *
 * Throws UNEXPECTED_ERROR where the two do not fit together, and ANSWER_TOO_LARGE.
 */
export async function parseDiff(
  output: Buffer,
  isWanted: (change: Change) => boolean = () => true,
): Promise<readonly ChangedFile[]> {
  const { changes, end } = parseChanges(output);
  const patch = new PatchReader(output, end);
  const files: ChangedFile[] = [];
  for (const change of changes) {
    for (const half of halvesOf(change)) {
      const { hunks, isBinary } = await patch.file(isWanted(change));
      if (isWanted(change)) files.push({ ...present(half), isBinary, hunks });
    }
  }
  if (!patch.isAtEnd) throw damaged("a patch has more files than its list");
  return files;
}

/**
 * The list and the counts behind it: `<added> TAB <removed> TAB <name> NUL` for each file, with `-` for what is no text,
 * and for a rename no name but a NUL and both names. Only the files that `isWanted` are taken.
 *
 * Throws UNEXPECTED_ERROR where the two do not fit together.
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
    if (!head) throw damaged("a list has more files than its counts");
    const [, added = "", removed = "", name] = head;
    at += name === "" ? 3 : 1;
    if (!isWanted(change)) continue;
    const isBinary = added === "-" && !change.isSame;
    // Git counts the lines of a change of type as if it were none.
    const isCounted = !isBinary && change.status !== "T";
    const numberOf = (text: string) => (change.isSame ? 0 : Number(text));
    const counts = isCounted ? { addedLines: numberOf(added), removedLines: numberOf(removed) } : {};
    for (const half of halvesOf(change)) files.push({ ...present(half), isBinary, hunks: [], ...counts });
  }
  if (at !== fields.length - 1) throw damaged("counts have more files than their list");
  return files;
}

const countsHead = /^(\d+|-)\t(\d+|-)\t(.*)$/s;

/** Git prints a change of type as two files. */
function halvesOf(change: Change): readonly Change[] {
  if (change.status !== "T") return [change];
  const { oldName, newName, ...rest } = change;
  return [
    { ...rest, ...(oldName === undefined ? {} : { oldName }) },
    { ...rest, ...(newName === undefined ? {} : { newName }) },
  ];
}

function present({ oldName, newName, oldMode, newMode }: Change): Omit<ChangedFile, "hunks" | "isBinary"> {
  return {
    ...(oldName === undefined ? {} : { oldPath: textOf(oldName), oldMode }),
    ...(newName === undefined ? {} : { newPath: textOf(newName), newMode }),
  };
}
