/**
 * What differs between two commits.
 *
 * One call prints the list of changed files, with names as bytes between NULs, and behind it the patch of each file
 * in the same order. Names are taken from the list alone, and hunks are read by the counts in their heads, so that no
 * name and no line of a file can be mistaken for anything else.
 */
import { isServiceError, ServiceError } from "#base/error";
import { type BytePath, isText, textOf } from "./bytePath";
import { askGit, type Question } from "./question";

/** `start` counts lines from 1, and is 0 where there are none. */
export interface LineRange {
  readonly start: number;
  readonly lines: number;
}

export interface Hunk {
  readonly oldRange: LineRange;
  readonly newRange: LineRange;
  /** Lines with their marker, joined by newlines. */
  readonly body: string;
  /** The line that git thinks it stands under, or empty. */
  readonly heading: string;
}

export interface ChangedFile {
  /** Absent for an added file. */
  readonly oldPath?: string;
  /** Absent for a deleted file. */
  readonly newPath?: string;
  /** As git writes them, `100644`; absent with their path. */
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly isBinary: boolean;
  readonly hunks: readonly Hunk[];
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
  path: string | undefined,
): Promise<readonly ChangedFile[]> {
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
  if (path === undefined) return parseDiff(await ask(withPatch));

  // A name that is no text has U+FFFD in it here, and cannot be an argument.
  const isReadable = !path.includes("\ufffd");
  if (isReadable) {
    // A file that is on both sides was not renamed, and needs no look at the others.
    const narrow = await ask(withPatch, [path]);
    const { changes } = parseChanges(narrow);
    if (changes.every(({ status }) => status === "M" || status === "T")) return parseDiff(narrow);
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
    const patch = await ask(withPatch, known.map(textOf));
    // Among fewer files git may see other renames.
    if (sameChanges(parseChanges(patch).changes, chosen)) return parseDiff(patch);
  }
  return parseDiff(await ask(withPatch), ({ oldName, newName }) => isWanted(oldName) || isWanted(newName));
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

interface Change {
  /** Git's letter: `A`, `D`, `M`, `R`, `T`. */
  readonly status: string;
  readonly oldMode: string;
  readonly newMode: string;
  /** Absent for an added file. */
  readonly oldName?: BytePath;
  /** Absent for a deleted file. */
  readonly newName?: BytePath;
}

function sameChanges(left: readonly Change[], right: readonly Change[]): boolean {
  return left.length === right.length && left.every((change, at) => sameChange(change, right[at]));
}

function sameChange(left: Change, right: Change | undefined): boolean {
  return left.status === right?.status && left.oldName === right.oldName && left.newName === right.newName;
}

const recordHead = /^:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/;
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
    const [, oldMode = "", newMode = "", status = ""] = head;
    const name = field();
    changes.push({
      status,
      oldMode,
      newMode,
      ...(status === "A" ? {} : { oldName: name }),
      ...(status === "D" ? {} : { newName: status === "R" || status === "C" ? field() : name }),
    });
  }
  return { changes, end: output[at] === 0 ? at + 1 : at };
}

/**
 * The list and the patch behind it; only the files that `isWanted` are taken.
 *
 * Throws UNEXPECTED_ERROR where the two do not fit together.
 */
export function parseDiff(
  output: Buffer,
  isWanted: (change: Change) => boolean = () => true,
): readonly ChangedFile[] {
  const { changes, end } = parseChanges(output);
  const patch = new PatchReader(output, end);
  const files: ChangedFile[] = [];
  for (const change of changes) {
    // Git prints a change of type as two files.
    const halves = change.status === "T" ? [withoutNew(change), withoutOld(change)] : [change];
    for (const half of halves) {
      const { hunks, isBinary } = patch.file(isWanted(change));
      if (isWanted(change)) files.push({ ...present(half), isBinary, hunks });
    }
  }
  if (!patch.isAtEnd) throw damaged("a patch has more files than its list");
  return files;
}

function withoutNew({ newName: _, ...change }: Change): Change {
  return change;
}

function withoutOld({ oldName: _, ...change }: Change): Change {
  return change;
}

function present({ oldName, newName, oldMode, newMode }: Change): Omit<ChangedFile, "hunks" | "isBinary"> {
  return {
    ...(oldName === undefined ? {} : { oldPath: textOf(oldName), oldMode }),
    ...(newName === undefined ? {} : { newPath: textOf(newName), newMode }),
  };
}

const fileHead = "diff --git ";
const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (.*))?$/s;
const newline = "\n".charCodeAt(0);
const space = " ".charCodeAt(0);
const plus = "+".charCodeAt(0);
const minus = "-".charCodeAt(0);
const backslash = "\\".charCodeAt(0);

/** Reads a patch file by file, hunk by hunk, each line by its first byte alone. */
class PatchReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next file, its hunks only if `isWanted`. Throws UNEXPECTED_ERROR where none follows. */
  file(isWanted: boolean): { hunks: readonly Hunk[]; isBinary: boolean } {
    if (!this.#startsWith(fileHead)) throw damaged("a patch has fewer files than its list");
    this.#skipLine();
    const hunks: Hunk[] = [];
    let isBinary = false;
    while (!this.isAtEnd && !this.#startsWith(fileHead)) {
      if (this.#startsWith("@@ ")) {
        const hunk = this.#hunk(isWanted);
        if (hunk !== undefined) hunks.push(hunk);
      } else {
        isBinary ||= this.#startsWith("Binary files ");
        this.#skipLine();
      }
    }
    return { hunks, isBinary };
  }

  #hunk(isWanted: boolean): Hunk | undefined {
    const headStart = this.#at;
    this.#skipLine();
    const head = hunkHead.exec(this.#bytes.toString("utf8", headStart, this.#lineEnd()));
    if (!head) throw damaged("the head of a hunk is none");
    const [, oldStart, oldLines = "1", newStart, newLines = "1", heading = ""] = head;
    const start = this.#at;
    let oldLeft = Number(oldLines);
    let newLeft = Number(newLines);
    while (oldLeft > 0 || newLeft > 0 || this.#bytes[this.#at] === backslash) {
      const marker = this.#bytes[this.#at];
      if (marker === space || marker === minus) oldLeft--;
      if (marker === space || marker === plus) newLeft--;
      if (marker === undefined || oldLeft < 0 || newLeft < 0 || !isMarker(marker)) {
        throw damaged("a hunk does not have the lines that it says");
      }
      this.#skipLine();
    }
    if (!isWanted) return undefined;
    return {
      oldRange: { start: Number(oldStart), lines: Number(oldLines) },
      newRange: { start: Number(newStart), lines: Number(newLines) },
      body: this.#bytes.toString("utf8", start, this.#lineEnd()),
      heading: heading.trim(),
    };
  }

  /** The end of the line that was passed last, without its newline. */
  #lineEnd(): number {
    return this.#bytes[this.#at - 1] === newline ? this.#at - 1 : this.#at;
  }

  #skipLine(): void {
    const end = this.#bytes.indexOf(newline, this.#at);
    this.#at = end < 0 ? this.#bytes.length : end + 1;
  }

  #startsWith(text: string): boolean {
    return this.#bytes.toString("latin1", this.#at, this.#at + text.length) === text;
  }
}

function isMarker(byte: number): boolean {
  return byte === space || byte === plus || byte === minus || byte === backslash;
}

function damaged(what: string): ServiceError {
  return new ServiceError("UNEXPECTED_ERROR", `Git's answer cannot be read: ${what}.`);
}
