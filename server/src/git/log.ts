/**
 * Commits: which ones there are, and what is known of each.
 *
 * Where there is a filter, git walks the history once and gives hashes; a page of them is then described by a second,
 * short call. So the total is known without counting again, every further page of the same list costs the short call
 * alone, and `--skip`, which counts wrongly while a rename is followed, is not needed. Without a filter git counts much
 * faster than it lists.
 */
import { isServiceError, ServiceError } from "#base/error";
import { type BytePath, bytesOf, isText, textOf } from "./bytePath";
import { answerTooLarge, askGit, maxGitAnswerBytes, noSuchLines, type Question, streamGit } from "./question";

export interface Commit {
  readonly hash: string;
  readonly parents: readonly string[];
  /** Author date, ISO 8601 with offset; empty where the commit's own is unreadable. */
  readonly date: string;
  /** Committer date, written the same way. */
  readonly commitDate: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly committerName: string;
  readonly committerEmail: string;
  /** Short names of the refs that name it, as in `HEAD -> main, tag: v1`. */
  readonly refs: string;
  readonly subject: string;
  /** What follows the subject, with its final newline. */
  readonly body: string;
}

/** What is asked of commits themselves. */
export interface CommitTraits {
  /** POSIX basic expressions, in any case. */
  readonly message?: string;
  readonly author?: string;
  /** Committer dates, seconds since 1970, both included. */
  readonly since?: number;
  readonly until?: number;
}

export interface CommitFilter {
  /** Full hash: commits that lead to this one are left out. */
  readonly notIn?: string;
  readonly path?: HistoryPath;
  /** Lines of the file `path` as it is in the commit that the list begins at, from 1, both included. */
  readonly lines?: { readonly first: number; readonly last: number };
  readonly traits?: CommitTraits;
}

export interface HistoryPath {
  readonly name: BytePath;
  /** Whether the names that it had before belong to it, too; a folder has none. */
  readonly isFollowed: boolean;
}

/** A commit of a list; where a file was followed, with its name in that commit, and in the one before if another. */
export interface ListedCommit {
  readonly hash: string;
  readonly path?: string;
  readonly oldPath?: string;
}

/** All commits of a list, newest first. */
export interface CommitList {
  readonly total: number;
  /** What it takes to keep it. */
  readonly bytes: number;
  slice(start: number, count: number): readonly ListedCommit[];
}

/**
 * The commits that lead to `commit` and pass the filter.
 *
 * Throws INVALID_QUERY_PARAMS for expressions and lines that git refuses, and what `askGit` throws.
 */
export async function listCommits(
  question: Question,
  commit: string,
  filter: CommitFilter,
): Promise<CommitList> {
  const { notIn, path, lines, traits } = filter;
  const chosen = [...traitArguments(traits), ...without(notIn)];
  try {
    if (path !== undefined && lines !== undefined) {
      const range = ["-s", `-L${lines.first},${lines.last}:${textOf(path.name)}`, commit];
      const list = plainList(await askGit(question, ["log", ...listed, ...chosen, ...range]));
      // Which name the file had is not told with lines.
      const followed = await followFile(question, commit, path.name);
      const named = new Map(followed.map((each) => [each.hash, each]));
      return listOf(list.slice(0, list.total).map((each) => named.get(each.hash) ?? each));
    }
    if (path?.isFollowed) {
      const followed = listOf(await followFile(question, commit, path.name, without(notIn)));
      return traits === undefined ? followed : await narrowCommits(question, commit, followed, traits);
    }
    // Only `log` knows people by their mailmapped names; `rev-list` need not read every commit.
    const command = traits?.author === undefined ? ["rev-list"] : ["log", ...listed, "--no-follow"];
    return plainList(await askOfPath(question, [...command, ...chosen], commit, path?.name));
  } catch (error) {
    throw explained(error, filter);
  }
}

/**
 * Those commits of a list, which begins at `commit`, that have the traits. While git follows a file it does not look at
 * commits that it leaves out, and would miss the renames in them. Throws what `listCommits` throws.
 */
export async function narrowCommits(
  question: Question,
  commit: string,
  list: CommitList,
  traits: CommitTraits,
): Promise<CommitList> {
  const all = list.slice(0, list.total);
  const args = ["log", "--no-walk=unsorted", ...listed, ...traitArguments(traits), "--stdin"];
  // Of an empty list git would know nothing but to begin at HEAD.
  const input = [commit, ...all.map(({ hash }) => hash), ""].join("\n");
  try {
    const passed = new Set((await askGit(question, args, { input })).toString("latin1").split("\n"));
    return listOf(all.filter(({ hash }) => passed.has(hash)));
  } catch (error) {
    throw explained(error);
  }
}

/** How many commits lead to this one, itself included. Throws what `askGit` throws. */
export async function countCommits(
  question: Question,
  commit: string,
  { notIn }: Pick<CommitFilter, "notIn">,
): Promise<number> {
  return Number(await askGit(question, ["rev-list", "--count", ...without(notIn), commit, "--"]));
}

/** One page of the commits that lead to this one, newest first. Throws what `askGit` throws. */
export async function pageOfCommits(
  question: Question,
  commit: string,
  { notIn }: Pick<CommitFilter, "notIn">,
  skipped: number,
  count: number,
): Promise<readonly Commit[]> {
  const page = [`--skip=${skipped}`, `--max-count=${count}`, ...without(notIn)];
  return parseCommits(await askGit(question, ["log", ...commitFormat, "--no-follow", ...page, commit, "--"]));
}

export interface CommitSearch {
  /** Where the history begins, full hashes. */
  readonly from: readonly string[];
  /** Plain texts, in any case: the message holds each of them on a line. */
  readonly messages: readonly string[];
  /** The author's name and e-mail, as in `Name <e-mail>`, hold this plain text in any case. */
  readonly author?: string;
  readonly since?: number;
  readonly until?: number;
}

/**
 * Hands over the commits that pass, newest first, as they are found, until `take` says that it is enough.
 *
 * Throws what `streamGit` throws.
 */
export async function searchCommits(
  question: Question,
  { from, messages, author, since, until }: CommitSearch,
  take: (commits: readonly Commit[]) => boolean,
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
  await streamGit(question, args, (piece) => take(reader.push(piece)));
}

/** What is known of these commits, in their order. */
export async function describeCommits(
  question: Question,
  hashes: readonly string[],
): Promise<readonly Commit[]> {
  if (hashes.length === 0) return [];
  const args = ["log", "--no-walk=unsorted", ...commitFormat, "--stdin"];
  return parseCommits(await askGit(question, args, { input: `${hashes.join("\n")}\n` }));
}

async function followFile(
  question: Question,
  commit: string,
  name: BytePath,
  chosen: readonly string[] = [],
): Promise<readonly ListedCommit[]> {
  const follow = ["--follow", "--name-status", "-z"];
  return parseFollowed(await askOfPath(question, ["log", ...listed, ...chosen, ...follow], commit, name));
}

function askOfPath(
  question: Question,
  args: readonly string[],
  commit: string,
  name: BytePath | undefined,
): Promise<Buffer> {
  const asked = ofPath(args, commit, name);
  return askGit(question, asked.args, asked);
}

/** What git is asked about the history of a path. A name that is no text cannot be an argument, but can be read. */
export function ofPath(
  args: readonly string[],
  commit: string,
  name: BytePath | undefined,
): { readonly args: readonly string[]; readonly input?: Buffer } {
  if (name === undefined) return { args: [...args, commit, "--"] };
  if (isText(name)) return { args: [...args, commit, "--", textOf(name)] };
  const input = Buffer.concat([Buffer.from("--\n"), bytesOf(name), Buffer.from("\n")]);
  return { args: [...args, "--stdin", commit], input };
}

const listed: readonly string[] = ["--format=%H", "--no-notes"];

function traitArguments({ message, author, since, until }: CommitTraits = {}): string[] {
  return [
    "--encoding=UTF-8",
    "--basic-regexp",
    "--regexp-ignore-case",
    ...(message === undefined ? [] : [`--grep=${message}`]),
    ...(author === undefined ? [] : [`--author=${author}`]),
    ...dateArguments(since, until),
  ];
}

function without(commit: string | undefined): string[] {
  return commit === undefined ? [] : [`^${commit}`];
}

function dateArguments(since: number | undefined, until: number | undefined): string[] {
  return [
    ...(since === undefined ? [] : [`--since=@${since} +0000`]),
    ...(until === undefined ? [] : [`--until=@${until} +0000`]),
  ];
}

/** Git's words about a request that it did not take, told as the caller's mistake. */
function explained(error: unknown, { lines }: CommitFilter = {}): unknown {
  if (!isServiceError(error, "GIT_FAILED")) return error;
  const said = /fatal: (.*)/s.exec(error.message)?.[1] ?? "";
  const expression = /^(command line|header), '.*': (.*)$/s.exec(said);
  if (expression) {
    const field = expression[1] === "header" ? "author" : "query";
    return invalid(`"${field}" is no basic regular expression: ${expression[2]}.`, error);
  }
  return (lines && noSuchLines(error)) ?? error;
}

function invalid(message: string, cause: unknown): ServiceError {
  return new ServiceError("INVALID_QUERY_PARAMS", message, { cause });
}

/** A hash a line. The lines are kept as bytes: a list may have a million of them. */
export function plainList(output: Buffer): CommitList {
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

function listOf(commits: readonly ListedCommit[]): CommitList {
  const bytes = commits.reduce((sum, { path = "", oldPath = "" }) => sum + path.length + oldPath.length, 0);
  return {
    total: commits.length,
    // An object and its hash take about this much.
    bytes: 2 * bytes + 150 * commits.length,
    slice: (start, count) => commits.slice(start, start + count),
  };
}

const hashPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const statusPattern = /^\n?([A-Z])\d*$/;

/**
 * `<hash> NUL { [LF] <status> NUL <name> NUL [ <new name> NUL ] }`, a commit after the other. Two names belong to `R`
 * and `C`. What is none of this is passed over.
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
      // A file that took the place of others names itself first; the others are not followed.
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

/** Fields end with a NUL, which no commit can hold, and so does a commit: `parseCommits`. */
const commitFormat: readonly string[] = [
  "-z",
  `--format=${["%H", "%P", "%aI", "%cI", "%aN", "%aE", "%cN", "%cE", "%D", "%s", "%b"].join("%x00")}`,
  "--encoding=UTF-8",
  "--no-notes",
  "--decorate=short",
  // Named, so that no configuration adds or hides any.
  ...["HEAD", "refs/heads/*", "refs/remotes/*", "refs/tags/*"].map((refs) => `--decorate-refs=${refs}`),
];

const fieldsOfCommit = 11;

/** What `commitFormat` prints. A commit that is cut off is left out. */
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

/** Reads commits as they come; how the bytes are cut on their way makes no difference. */
export class CommitReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #fields = 0;

  /** The commits that are now whole. Throws ANSWER_TOO_LARGE for one that is more than an answer may be. */
  push(piece: Buffer): readonly Commit[] {
    let end = 0;
    for (let at = piece.indexOf(0); at >= 0; at = piece.indexOf(0, at + 1)) {
      this.#fields++;
      if (this.#fields < fieldsOfCommit) continue;
      this.#fields = 0;
      end = at + 1;
    }
    if (end === 0) {
      this.#pieces.push(piece);
      this.#bytes += piece.length;
      if (this.#bytes > maxGitAnswerBytes) throw answerTooLarge();
      return [];
    }
    const whole = Buffer.concat([...this.#pieces, piece.subarray(0, end)]);
    this.#pieces = [piece.subarray(end)];
    this.#bytes = piece.length - end;
    return parseCommits(whole);
  }
}

/** Since 2.45 git writes `Z` where it wrote `+00:00`. */
function withOffset(date: string): string {
  return date.endsWith("Z") ? `${date.slice(0, -1)}+00:00` : date;
}
