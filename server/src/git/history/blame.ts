/**
 * Runs `git blame --porcelain` and parses its output.
 *
 * A group consists of a header `<hash> <original line> <final line> <count>`, the fields of the commit (at its first
 * occurrence) and of the file, and the lines, each after a tab. Lines after the first have a header of their own,
 * `<hash> <original line> <final line>`.
 */
import { isServiceError, ServiceError } from "#base/error";
import { zonedDate } from "#base/zonedDate";
import { type BytePath, bytePath, bytesOf, textOf } from "#git/bytePath";
import { type GitRequest, linesOutOfRange, runGitRequest } from "#git/gitRequest";
import { TimeSlice } from "#platform/timeSlice";
import { unquotePath } from "./quotedPath";

export interface BlamedLines {
  readonly hash: string;
  /** The file's name in that commit. */
  readonly path: string;
  /** 1-based. */
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
  /** In line order. Adjacent ranges differ in commit or path. */
  readonly lines: readonly BlamedLines[];
  readonly commits: ReadonlyMap<string, BlamedCommit>;
}

export interface BlameOptions {
  /** Hashes of commits to ignore, all in this repository. */
  readonly ignored: readonly string[];
  readonly ignoreWhitespace: boolean;
  /** Detects lines moved within the file, or from files that the same commit changed. */
  readonly followMoves: boolean;
  /** 1-based, inclusive; all lines if absent. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/**
 * Blames a file that is known to exist in `commit`.
 *
 * Throws what `runGitRequest` throws, FILE_NOT_FOUND for a name that is not UTF-8, and INVALID_QUERY_PARAMS for lines
 * beyond the end of the file.
 */
export async function blame(
  request: GitRequest,
  commit: string,
  path: BytePath,
  { ignored, ignoreWhitespace, followMoves, lines }: BlameOptions,
): Promise<BlamedFile> {
  const name = textOf(path);
  if (!Buffer.from(name).equals(bytesOf(path))) {
    throw new ServiceError(
      "FILE_NOT_FOUND",
      `The name of ${JSON.stringify(name)} is not UTF-8, so git blame cannot be run on it.`,
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
    return await parseBlame(await runBlame(request, args));
  } catch (error) {
    throw linesOutOfRange(error) ?? error;
  }
}

/**
 * Retries without the user's configuration if `blame.ignoreRevsFile` names a file that does not exist in this
 * repository, because no option overrides that setting.
 */
async function runBlame(request: GitRequest, args: readonly string[]): Promise<Buffer> {
  try {
    return await runGitRequest(request, args);
  } catch (error) {
    const isIgnoreFile = isServiceError(error, "GIT_FAILED") && /open object name list/.test(error.message);
    if (!isIgnoreFile) throw error;
    return await runGitRequest(request, args, { ignoresUserConfig: true });
  }
}

/** The header fields of a commit, by git's names. */
type Fields = Map<string, string>;

const groupHead = /^([0-9a-f]{40,64}) \d+ (\d+)(?: (\d+))?$/;

/** Ignores malformed lines, so that no output makes it fail. Yields to the event loop regularly. */
export async function parseBlame(output: Uint8Array): Promise<BlamedFile> {
  const slice = new TimeSlice();
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
      if (slice.isExpired) await slice.yieldToEventLoop();
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
  return textOf(unquotePath(bytePath(bytes)));
}

/** Lines arrive in order without gaps, so a line of the same commit and file extends the last range. */
function addLine(lines: BlamedLines[], hash: string, path: string, line: number): void {
  const last = lines.at(-1);
  if (last !== undefined && last.hash === hash && last.path === path) {
    lines[lines.length - 1] = { ...last, lineCount: last.lineCount + 1 };
  } else lines.push({ hash, path, startLine: line, lineCount: 1 });
}

function commitOf(hash: string, values: Fields): BlamedCommit {
  const previous = values.get("previous");
  // Git prints the hash for a commit without a message.
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
