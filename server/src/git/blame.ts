/**
 * Who wrote each line of a file, as `git blame --porcelain` tells it.
 *
 * A group is a line `<hash> <line then> <line now> <count>`, what is known of the commit (the first time it occurs) and
 * of the file in it, and then each line behind a tab, those after the first again with `<hash> <line then> <line now>`
 * before them.
 */
import { isServiceError, ServiceError } from "#base/error";
import { zonedDate } from "#base/zonedDate";
import { Pace } from "#platform/pace";
import { type BytePath, bytePath, bytesOf, textOf } from "./bytePath";
import { askGit, noSuchLines, type Question } from "./question";
import { unquoted } from "./quoting";

export interface BlamedLines {
  readonly hash: string;
  /** The file's name in that commit. */
  readonly path: string;
  /** From 1. */
  readonly startLine: number;
  readonly lineCount: number;
}

export interface BlamedCommit {
  readonly hash: string;
  /** ISO 8601 with offset. */
  readonly date: string;
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly previous?: { readonly hash: string; readonly path: string };
}

export interface BlamedFile {
  /** In order of the lines; neighbours differ. */
  readonly lines: readonly BlamedLines[];
  readonly commits: ReadonlyMap<string, BlamedCommit>;
}

export interface BlameOptions {
  /** Hashes of commits of this repository. */
  readonly ignored: readonly string[];
  readonly ignoreWhitespace: boolean;
  /** Within the file, and from files that the same commit changed. */
  readonly followMoves: boolean;
  /** From 1; absent: all of them. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/**
 * `path` is in `commit`, both checked.
 *
 * Throws what `askGit` throws, FILE_NOT_FOUND for a name that cannot be given to git, and INVALID_QUERY_PARAMS for
 * lines that the file does not have.
 */
export async function blame(
  question: Question,
  commit: string,
  path: BytePath,
  { ignored, ignoreWhitespace, followMoves, lines }: BlameOptions,
): Promise<BlamedFile> {
  const name = textOf(path);
  if (!Buffer.from(name).equals(bytesOf(path))) {
    throw new ServiceError(
      "FILE_NOT_FOUND",
      `The name of ${JSON.stringify(name)} is not UTF-8: git cannot be asked who wrote it.`,
    );
  }
  const args = [
    ...["-c", "core.quotePath=false", "-c", "diff.algorithm=default", "-c", "diff.indentHeuristic=true"],
    ...["blame", "--porcelain", "--encoding=UTF-8", "--no-textconv", "--ignore-revs-file="],
    ...ignored.map((hash) => `--ignore-rev=${hash}`),
    ...(ignoreWhitespace ? ["-w"] : []),
    ...(followMoves ? ["-M", "-C"] : []),
    ...(lines === undefined ? [] : ["-L", `${lines.first},${lines.last}`]),
    ...[commit, "--", name],
  ];
  try {
    return await parseBlame(await askBlame(question, args));
  } catch (error) {
    throw noSuchLines(error) ?? error;
  }
}

/**
 * Many people have a file of commits to ignore in their settings, which git then wants to be in every repository. No
 * option takes it back.
 *
 * Throws FILE_NOT_FOUND where the clone left contents behind to be fetched later: we fetch nothing.
 */
async function askBlame(question: Question, args: readonly string[]): Promise<Buffer> {
  try {
    return await askGit(question, args);
  } catch (error) {
    if (!isServiceError(error, "GIT_FAILED")) throw error;
    if (/open object name list/.test(error.message)) {
      return await askGit(question, args, { isImpersonal: true });
    }
    if (!/promisor|could not fetch/i.test(error.message)) throw error;
    throw new ServiceError(
      "FILE_NOT_FOUND",
      "The file's earlier contents are not in this clone, which has only a part.",
      {
        cause: error,
      },
    );
  }
}

/** What is known of a commit, by the words that git uses. */
type Fields = Map<string, string>;

const groupHead = /^([0-9a-f]{40,64}) \d+ (\d+)(?: (\d+))?$/;

/** Lines that are none of blame's are passed over, so that no output makes it fail. Others have the thread in between. */
export async function parseBlame(output: Uint8Array): Promise<BlamedFile> {
  const pace = new Pace();
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.length);
  const lines: BlamedLines[] = [];
  const known = new Map<string, Fields>();
  let hash = "";
  let path = "";
  let startLine = 0;
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, at);
    const end = newline < 0 ? bytes.length : newline;
    const start = at;
    at = end + 1;
    if (bytes[start] === 0x09) {
      if (hash !== "") addLine(lines, hash, path, startLine);
      if (pace.isOver) await pace.rest();
      continue;
    }
    const text = bytes.toString("utf8", start, end);
    const head = groupHead.exec(text);
    if (head !== null) {
      hash = head[1] ?? "";
      startLine = Number(head[2]);
      path = pathOf(known.get(hash)) ?? path;
      continue;
    }
    const fields: Fields = known.get(hash) ?? new Map();
    known.set(hash, fields);
    readField(bytes.subarray(start, end), text, fields);
    path = pathOf(fields) ?? path;
  }
  const commits = new Map([...known].map(([of, fields]) => [of, commitOf(of, fields)]));
  return { lines, commits };
}

function pathOf(fields: Fields | undefined): string | undefined {
  return fields?.get("filename");
}

function readField(bytes: Buffer, text: string, values: Fields): void {
  const space = text.indexOf(" ");
  const name = space < 0 ? text : text.slice(0, space);
  const isPath = name === "filename" || name === "previous";
  const value = isPath ? "" : text.slice(name.length + 1);
  if (name === "filename") values.set(name, pathText(bytes.subarray(name.length + 1)));
  else if (name === "previous") {
    const rest = bytes.subarray(name.length + 1);
    const gap = rest.indexOf(0x20);
    if (gap > 0 && !values.has("previous")) {
      values.set("previous", rest.toString("latin1", 0, gap));
      values.set("previousPath", pathText(rest.subarray(gap + 1)));
    }
  } else if (!values.has(name)) values.set(name, value);
}

function pathText(bytes: Buffer): string {
  return textOf(unquoted(bytePath(bytes)));
}

/** Lines follow one another without gaps: a line of the same commit and file continues the lines before. */
function addLine(lines: BlamedLines[], hash: string, path: string, line: number): void {
  const last = lines.at(-1);
  if (last !== undefined && last.hash === hash && last.path === path) {
    lines[lines.length - 1] = { ...last, lineCount: last.lineCount + 1 };
  } else lines.push({ hash, path, startLine: line, lineCount: 1 });
}

function commitOf(hash: string, values: Fields): BlamedCommit {
  const previous = values.get("previous");
  // Git writes the hash where a commit has no message.
  const summary = values.get("summary") ?? "";
  return {
    hash,
    date: zonedDate(Number(values.get("author-time") ?? 0), values.get("author-tz") ?? "+0000"),
    message: summary === `(${hash})` ? "" : summary,
    authorName: values.get("author") ?? "",
    authorEmail: (values.get("author-mail") ?? "").replace(/^<|>$/g, ""),
    ...(previous === undefined
      ? {}
      : { previous: { hash: previous, path: values.get("previousPath") ?? "" } }),
  };
}
