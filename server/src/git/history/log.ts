/**
 * Lists and searches commits.
 *
 * With a filter, git walks the history once and prints hashes; then the details of one page are read. So the total is
 * known without another walk, a further page costs little, and `--skip`, which miscounts with `--follow`, is not needed.
 * Without a filter, only the page is listed, and the total is counted (`count.ts`). Details, and the first pages, are
 * read from the repository's files if possible (`storedCommits.ts`).
 */
import { isServiceError, ServiceError } from "#base/error";
import { type BytePath, bytesOf, isUtf8, textOf } from "#git/bytePath";
import {
  type GitRequest,
  linesOutOfRange,
  maxGitOutputBytes,
  responseTooLarge,
  runGitRequest,
  streamGitRequest,
} from "#git/gitRequest";
import type { Commit } from "./commit";
import { readStoredCommits, readStoredPage } from "./storedCommits";

/** Criteria for a commit itself. */
export interface CommitCriteria {
  /** POSIX basic regular expressions, case-insensitive. */
  readonly message?: string;
  readonly author?: string;
  /** Committer dates in seconds since 1970, inclusive. */
  readonly since?: number;
  readonly until?: number;
}

export interface CommitFilter {
  /** Full hash. Commits reachable from it are excluded. */
  readonly excludes?: string;
  readonly path?: HistoryPath;
  /** Lines of `path` as of the commit that the list starts at; 1-based, inclusive. */
  readonly lines?: { readonly first: number; readonly last: number };
  readonly criteria?: CommitCriteria;
}

export interface HistoryPath {
  readonly name: BytePath;
  /** Whether to follow renames; not for a folder. */
  readonly isFollowed: boolean;
}

/**
 * A commit of a list. If a file is followed, `path` is its name in the commit, and `oldPath` its name before a rename.
 */
export interface ListedCommit {
  readonly hash: string;
  readonly path?: string;
  readonly oldPath?: string;
}

/** All commits of a list, newest first. */
export interface CommitList {
  readonly total: number;
  /** Approximate size in memory. */
  readonly bytes: number;
  slice(start: number, count: number): readonly ListedCommit[];
}

/**
 * Lists the commits reachable from `commit` that match the filter.
 *
 * Throws INVALID_QUERY_PARAMS for expressions and lines that git rejects, and what `runGitRequest` throws.
 */
export async function listCommits(
  request: GitRequest,
  commit: string,
  filter: CommitFilter,
): Promise<CommitList> {
  const { excludes, path, lines, criteria } = filter;
  const chosen = [...criteriaArguments(criteria), ...excluding(excludes)];
  try {
    if (path !== undefined && lines !== undefined) {
      // Git refuses to trace lines from a commit that is itself excluded.
      if (excludes === commit) return toCommitList([]);
      const range = ["-s", `-L${lines.first},${lines.last}:${textOf(path.name)}`, commit];
      const list = parseHashList(await runGitRequest(request, ["log", ...hashFormat, ...chosen, ...range]));
      // `-L` does not print the name of the file.
      const followed = await followFile(request, commit, path.name);
      const named = new Map(followed.map((each) => [each.hash, each]));
      return toCommitList(list.slice(0, list.total).map((each) => named.get(each.hash) ?? each));
    }
    if (path?.isFollowed) {
      const followed = toCommitList(await followFile(request, commit, path.name, excluding(excludes)));
      return criteria === undefined ? followed : await filterCommits(request, commit, followed, criteria);
    }
    // Only `log` applies the mailmap; `rev-list` does not have to read every commit.
    const command = criteria?.author === undefined ? ["rev-list"] : ["log", ...hashFormat, "--no-follow"];
    return parseHashList(await runForPath(request, [...command, ...chosen], commit, path?.name));
  } catch (error) {
    throw toCallerError(error, filter);
  }
}

/**
 * Returns the commits of a list starting at `commit` that match the criteria. Filtering afterward is necessary because
 * `--follow` misses renames in commits that are filtered out. Throws what `listCommits` throws.
 */
export async function filterCommits(
  request: GitRequest,
  commit: string,
  list: CommitList,
  criteria: CommitCriteria,
): Promise<CommitList> {
  const all = list.slice(0, list.total);
  const args = ["log", "--no-walk=unsorted", ...hashFormat, ...criteriaArguments(criteria), "--stdin"];
  // For an empty list, git would start at HEAD.
  const input = [commit, ...all.map(({ hash }) => hash), ""].join("\n");
  try {
    const passed = new Set((await runGitRequest(request, args, { input })).toString("latin1").split("\n"));
    return toCommitList(all.filter(({ hash }) => passed.has(hash)));
  } catch (error) {
    throw toCallerError(error);
  }
}

/** Returns one page of the commits reachable from `commit`, newest first. Throws what `runGitRequest` throws. */
export async function readCommitPage(
  request: GitRequest,
  commit: string,
  skipped: number,
  count: number,
): Promise<readonly Commit[]> {
  const stored = readStoredPage(request.gitRepository, commit, skipped, count);
  if (stored !== undefined) return stored;
  const page = [`--skip=${skipped}`, `--max-count=${count}`];
  return parseCommits(
    await runGitRequest(request, ["log", ...commitFormat, "--no-follow", ...page, commit, "--"]),
  );
}

export interface CommitSearch {
  /** Full hashes of the commits to start at. */
  readonly from: readonly string[];
  /** Literal, case-insensitive texts. Each must occur within a line of the message. */
  readonly messages: readonly string[];
  /** Literal, case-insensitive text in the author's `Name <email>`. */
  readonly author?: string;
  readonly since?: number;
  readonly until?: number;
}

/**
 * Passes matching commits to `onCommits`, newest first, as they are found, until it returns true.
 *
 * Throws what `streamGitRequest` throws.
 */
export async function searchCommits(
  request: GitRequest,
  { from, messages, author, since, until }: CommitSearch,
  onCommits: (commits: readonly Commit[]) => Promise<boolean>,
): Promise<void> {
  const reader = new CommitReader();
  const args = [
    "log",
    ...commitFormat,
    "--no-follow",
    "--fixed-strings",
    "--regexp-ignore-case",
    "--all-match",
    ...messages.map((text) => `--grep=${text}`),
    ...(author === undefined ? [] : [`--author=${author}`]),
    ...dateArguments(since, until),
    ...from,
    "--",
  ];
  await streamGitRequest(request, args, (chunk) => onCommits(reader.push(chunk)));
}

/** Reads the details of these commits, in the same order. Throws what `runGitRequest` throws. */
export async function readCommits(
  request: GitRequest,
  hashes: readonly string[],
): Promise<readonly Commit[]> {
  if (hashes.length === 0) return [];
  const stored = readStoredCommits(request.gitRepository, hashes);
  if (stored !== undefined) return stored;
  const args = ["log", "--no-walk=unsorted", ...commitFormat, "--stdin"];
  return parseCommits(await runGitRequest(request, args, { input: `${hashes.join("\n")}\n` }));
}

async function followFile(
  request: GitRequest,
  commit: string,
  name: BytePath,
  chosen: readonly string[] = [],
): Promise<readonly ListedCommit[]> {
  const follow = ["--follow", "--name-status", "-z"];
  return parseFollowed(await runForPath(request, ["log", ...hashFormat, ...chosen, ...follow], commit, name));
}

function runForPath(
  request: GitRequest,
  args: readonly string[],
  commit: string,
  name: BytePath | undefined,
): Promise<Buffer> {
  const call = pathArguments(args, commit, name);
  return runGitRequest(request, call.args, call);
}

/** Returns arguments for the history of a path. A name that is not UTF-8 is passed on standard input. */
export function pathArguments(
  args: readonly string[],
  commit: string,
  name: BytePath | undefined,
): { readonly args: readonly string[]; readonly input?: Buffer } {
  if (name === undefined) return { args: [...args, commit, "--"] };
  if (isUtf8(name)) return { args: [...args, commit, "--", textOf(name)] };
  const input = Buffer.concat([Buffer.from("--\n"), bytesOf(name), Buffer.from("\n")]);
  return { args: [...args, "--stdin", commit], input };
}

const hashFormat: readonly string[] = ["--format=%H", "--no-notes"];

function criteriaArguments({ message, author, since, until }: CommitCriteria = {}): string[] {
  return [
    "--encoding=UTF-8",
    "--basic-regexp",
    "--regexp-ignore-case",
    ...(message === undefined ? [] : [`--grep=${message}`]),
    ...(author === undefined ? [] : [`--author=${author}`]),
    ...dateArguments(since, until),
  ];
}

function excluding(commit: string | undefined): string[] {
  return commit === undefined ? [] : [`^${commit}`];
}

function dateArguments(since: number | undefined, until: number | undefined): string[] {
  return [
    ...(since === undefined ? [] : [`--since=@${since} +0000`]),
    ...(until === undefined ? [] : [`--until=@${until} +0000`]),
  ];
}

/** Converts git's errors about invalid expressions and lines to INVALID_QUERY_PARAMS. */
function toCallerError(error: unknown, { lines }: CommitFilter = {}): unknown {
  if (!isServiceError(error, "GIT_FAILED")) return error;
  const stderr = /fatal: (.*)/s.exec(error.message)?.[1] ?? "";
  const expression = /^(command line|header), '.*': (.*)$/s.exec(stderr);
  if (expression) {
    const field = expression[1] === "header" ? "author" : "query";
    return invalidParameter(`"${field}" is not a valid basic regular expression: ${expression[2]}.`, error);
  }
  return (lines && linesOutOfRange(error)) ?? error;
}

function invalidParameter(message: string, cause: unknown): ServiceError {
  return new ServiceError("INVALID_QUERY_PARAMS", message, { cause });
}

/** Parses one hash per line, lazily: a list may have a million commits. */
export function parseHashList(output: Buffer): CommitList {
  const width = output.indexOf("\n") + 1;
  const total = width === 0 ? 0 : Math.floor(output.length / width);
  return {
    total,
    bytes: output.length,
    slice: (start, count) => {
      const end = Math.min(total, start + count) * width;
      const lines = output.toString("latin1", Math.min(total, start) * width, end).split("\n");
      return lines.slice(0, -1).map((hash) => ({ hash }));
    },
  };
}

function toCommitList(commits: readonly ListedCommit[]): CommitList {
  const bytes = commits.reduce((sum, { path = "", oldPath = "" }) => sum + path.length + oldPath.length, 0);
  return {
    total: commits.length,
    // Approximate size of an object and its hash.
    bytes: 2 * bytes + 150 * commits.length,
    slice: (start, count) => commits.slice(start, start + count),
  };
}

const hashPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const statusPattern = /^\n?([A-Z])\d*$/;

/**
 * Parses `<hash> NUL { [LF] <status> NUL <name> NUL [ <new name> NUL ] }` for each commit, with two names for `R` and
 * `C`. Ignores anything else.
 */
export function parseFollowed(output: Buffer): readonly ListedCommit[] {
  const fields = output.toString("latin1").split("\0");
  const commits: ListedCommit[] = [];
  for (let at = 0; at < fields.length; ) {
    const hash = fields[at++] ?? "";
    if (!hashPattern.test(hash)) continue;
    let names: { path?: string; oldPath?: string } = {};
    for (let status = statusAt(at); status !== undefined; status = statusAt(at)) {
      const isRename = status === "R" || status === "C";
      const [name, newName] = [fields[at + 1] ?? "", fields[at + 2] ?? ""].map(nameText);
      // If the file replaced others, it comes first. The others are not followed.
      if (names.path === undefined && name !== undefined) {
        names = isRename && newName !== undefined ? { path: newName, oldPath: name } : { path: name };
      }
      at += isRename ? 3 : 2;
    }
    commits.push({ hash, ...names });
  }
  return commits;

  function statusAt(index: number): string | undefined {
    return statusPattern.exec(fields[index] ?? "")?.[1];
  }
}

function nameText(bytes: string): string {
  return textOf(bytes as BytePath);
}

/** Each field ends with NUL, which commits cannot contain. See `parseCommits`. */
export const commitFormat: readonly string[] = [
  "-z",
  `--format=${["%H", "%P", "%aI", "%cI", "%aN", "%aE", "%cN", "%cE", "%D", "%s", "%b"].join("%x00")}`,
  "--encoding=UTF-8",
  "--no-notes",
  "--decorate=short",
  // Explicit, so that no configuration adds or hides refs.
  ...["HEAD", "refs/heads/*", "refs/remotes/*", "refs/tags/*"].map((refs) => `--decorate-refs=${refs}`),
];

const fieldsOfCommit = 11;

/** Parses output in `commitFormat`. Ignores a truncated commit at the end. */
export function parseCommits(output: Buffer): readonly Commit[] {
  const fields = output.toString("utf8").split("\0");
  const commits: Commit[] = [];
  for (let at = 0; at + fieldsOfCommit < fields.length; at += fieldsOfCommit) {
    const [hash, parents, date, commitDate, name, email, committer, committerEmail, refs, subject, body] =
      fields.slice(at, at + fieldsOfCommit) as [string, ...string[]];
    commits.push({
      hash,
      parents: parents ? parents.split(" ") : [],
      date: withOffset(date ?? ""),
      commitDate: withOffset(commitDate ?? ""),
      authorName: name ?? "",
      authorEmail: email ?? "",
      committerName: committer ?? "",
      committerEmail: committerEmail ?? "",
      refs: refs ?? "",
      subject: subject ?? "",
      body: body ?? "",
    });
  }
  return commits;
}

/** Parses a stream of commits, however it is split into chunks. */
export class CommitReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #fields = 0;

  /** Returns the commits completed by `chunk`. Throws ANSWER_TOO_LARGE if one exceeds the output limit. */
  push(chunk: Buffer): readonly Commit[] {
    let end = 0;
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) {
      this.#fields++;
      if (this.#fields < fieldsOfCommit) continue;
      this.#fields = 0;
      end = at + 1;
    }
    if (end === 0) {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes > maxGitOutputBytes) throw responseTooLarge();
      return [];
    }
    const whole = Buffer.concat([...this.#chunks, chunk.subarray(0, end)]);
    this.#chunks = [chunk.subarray(end)];
    this.#bytes = chunk.length - end;
    return parseCommits(whole);
  }
}

/** Since version 2.45 git prints `Z` instead of `+00:00`. */
function withOffset(date: string): string {
  return date.endsWith("Z") ? `${date.slice(0, -1)}+00:00` : date;
}
