/** Lists the authors of the commits reachable from a commit. */
import { zonedDate } from "#base/zonedDate";
import { type GitRequest, maxGitOutputBytes, responseTooLarge, streamGitRequest } from "#git/gitRequest";
import { type HistoryPath, pathArguments } from "./log";

export interface Author {
  readonly name: string;
  readonly email: string;
  readonly commitCount: number;
  /** Author date of the newest commit, ISO 8601 with offset; empty if none is readable. */
  readonly lastActiveAt: string;
}

/**
 * Returns authors by their mailmapped names and emails, most commits first, then by name. Merges count.
 *
 * With a `path`, only counts commits that changed it. Throws what `streamGitRequest` throws, and ANSWER_TOO_LARGE.
 */
export async function listAuthors(
  request: GitRequest,
  commit: string,
  path: HistoryPath | undefined,
): Promise<readonly Author[]> {
  const format = ["--format=%ad %aN <%aE>", "--date=raw", "--encoding=UTF-8", "--no-notes", "-s"];
  const follow = path?.isFollowed ? "--follow" : "--no-follow";
  const { args, input } = pathArguments(["log", ...format, follow], commit, path?.name);
  const counter = new AuthorCounter();
  const onChunk = (chunk: Buffer) => {
    counter.push(chunk);
    return false;
  };
  await streamGitRequest(request, args, onChunk, { input, isBuffered: true });
  return counter.authors;
}

interface Activity {
  commitCount: number;
  /** Date of the newest commit: seconds since 1970, and time zone. */
  time: number;
  zone: string;
}

/** Estimated memory per person, besides the name. */
const personBytes = 100;
const newline = "\n".charCodeAt(0);
const dateAndPerson = /^(?:(-?\d+) ([+-]\d{4}))? (.*)$/s;

/** Counts `<seconds> <zone> <name> <<email>>` lines, one per commit, however they are split into chunks. */
export class AuthorCounter {
  readonly #people = new Map<string, Activity>();
  /** The start of an incomplete line. */
  #chunks: Buffer[] = [];
  /** Memory of the people and of the incomplete line. */
  #bytes = 0;

  /** Throws ANSWER_TOO_LARGE if the names exceed the size limit of a response. */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) this.#chunks.push(chunk);
    else {
      const whole = Buffer.concat([...this.#chunks, chunk.subarray(0, end)]);
      this.#chunks = [chunk.subarray(end)];
      this.#bytes -= whole.length;
      for (const line of whole.toString("utf8").split("\n").slice(0, -1)) this.#count(line);
    }
    if (this.#bytes > maxGitOutputBytes) throw responseTooLarge();
  }

  get authors(): readonly Author[] {
    return [...this.#people]
      .sort(([left, one], [right, other]) => other.commitCount - one.commitCount || byBytes(left, right))
      .map(([person, { commitCount, time, zone }]) => ({
        ...nameAndEmail(person),
        commitCount,
        lastActiveAt: zonedDate(time, zone),
      }));
  }

  /** Ignores malformed lines. */
  #count(line: string): void {
    const [, seconds, zone = "", person] = dateAndPerson.exec(line) ?? [];
    if (person === undefined) return;
    const time = seconds === undefined ? Number.NEGATIVE_INFINITY : Number(seconds);
    const known = this.#people.get(person);
    if (known === undefined) {
      this.#people.set(person, { commitCount: 1, time, zone });
      this.#bytes += person.length + personBytes;
      return;
    }
    known.commitCount++;
    if (time > known.time) Object.assign(known, { time, zone });
  }
}

/** A name may contain anything but a newline; an email contains no `<`. */
function nameAndEmail(person: string): { readonly name: string; readonly email: string } {
  const at = person.lastIndexOf("<");
  if (at < 0) return { name: person, email: "" };
  return { name: person.slice(0, at).replace(/ $/, ""), email: person.slice(at + 1).replace(/>$/, "") };
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
