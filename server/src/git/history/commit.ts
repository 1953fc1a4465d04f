/** Commits, and their objects as git stores them. */

export interface Commit {
  readonly hash: string;
  readonly parents: readonly string[];
  /** Author date, ISO 8601 with offset; empty if malformed in the commit. */
  readonly date: string;
  /** Committer date, in the same format. */
  readonly commitDate: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly committerName: string;
  readonly committerEmail: string;
  /** Short names of the refs that point to it, as in `HEAD -> main, tag: v1`. */
  readonly refs: string;
  readonly subject: string;
  /** The message after the subject, with its final newline. */
  readonly body: string;
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

/** A person, and a time in seconds since 1970 with an offset such as `+0200`. */
interface Signature extends Person {
  readonly time: number;
  readonly offset: string;
}

/** The content of a commit object. Names are not mapped by a `.mailmap`. */
export interface CommitObject {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly subject: string;
  readonly body: string;
}

const header = /^tree [0-9a-f]{40}\n((?:parent [0-9a-f]{40}\n)*)author ([^\n]*)\ncommitter ([^\n]*)\n/;
const signature = /^([^<>]*)<([^<>]*)> (\d{1,11}) ([+-](?:0\d|1[0-4])[0-5]\d)$/;
/** Git rejects local times before 1970, and years after 9999 need five digits. An offset is less than a day. */
const minTime = 86_400;
const maxTime = 253_402_214_400;

/**
 * Parses a commit object. Returns `undefined` for anything unusual, which git must interpret: another encoding than
 * UTF-8, malformed or repeated lines about people, NUL.
 */
export function parseCommitObject(hash: string, bytes: Buffer): CommitObject | undefined {
  const text = bytes.toString("utf8");
  const [head = "", parentLines = "", authorText = "", committerText = ""] = header.exec(text) ?? [];
  const end = text.indexOf("\n\n");
  if (head === "" || end < 0 || text.includes("\0")) return undefined;
  if (/\n(?:author|committer|encoding) /.test(text.slice(head.length - 1, end))) return undefined;
  const author = parseSignature(authorText);
  const committer = parseSignature(committerText);
  if (author === undefined || committer === undefined) return undefined;
  const parents = parentLines.match(/[0-9a-f]{40}/g) ?? [];
  return { hash, parents, author, committer, ...splitMessage(text.slice(end + 2)) };
}

function parseSignature(text: string): Signature | undefined {
  const [, name = "", email = "", time, offset = ""] = signature.exec(text) ?? [];
  const seconds = Number(time);
  if (!(seconds >= minTime && seconds <= maxTime)) return undefined;
  return { name: trimSpaceAtEnd(name), email, time: seconds, offset };
}

/** The subject is the first paragraph, in one line. */
function splitMessage(message: string): { readonly subject: string; readonly body: string } {
  const subject: string[] = [];
  let at = skipBlankLines(message, 0);
  while (at < message.length) {
    const end = lineEnd(message, at);
    const line = trimSpaceAtEnd(message.slice(at, end));
    at = end;
    if (line === "") break;
    subject.push(line);
  }
  return { subject: subject.join(" "), body: message.slice(skipBlankLines(message, at)) };
}

function skipBlankLines(message: string, start: number): number {
  let at = start;
  while (at < message.length) {
    const end = lineEnd(message, at);
    if (trimSpaceAtEnd(message.slice(at, end)) !== "") break;
    at = end;
  }
  return at;
}

function lineEnd(message: string, start: number): number {
  const newline = message.indexOf("\n", start);
  return newline < 0 ? message.length : newline + 1;
}

/** Trims what git considers space, which is less than what JavaScript does. */
export function trimSpaceAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\n\r".includes(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}

/** Formats a time as ISO 8601 with its offset. */
export function formatTime({ time, offset }: Pick<Signature, "time" | "offset">): string {
  const minutes = 60 * Number(offset.slice(1, 3)) + Number(offset.slice(3));
  const local = time + 60 * (offset.startsWith("-") ? -minutes : minutes);
  const sign = minutes === 0 ? "+" : offset[0];
  return `${new Date(1000 * local).toISOString().slice(0, 19)}${sign}${offset.slice(1, 3)}:${offset.slice(3)}`;
}
