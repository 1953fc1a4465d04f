/** Who wrote the commits that lead to one, and when last. */
import { zonedDate } from "#base/zonedDate";
import { type HistoryPath, ofPath } from "./log";
import { type Question, streamGit } from "./question";

export interface Author {
  readonly name: string;
  readonly email: string;
  readonly commitCount: number;
  /** Author date of the newest of these commits, ISO 8601 with offset; empty where none is readable. */
  readonly lastActiveAt: string;
}

/**
 * By name and e-mail as `.mailmap` has them, merges counted, most commits first, then by name.
 *
 * With a `path` only those of the commits that changed it. Throws what `streamGit` throws.
 */
export async function listAuthors(
  question: Question,
  commit: string,
  path: HistoryPath | undefined,
): Promise<readonly Author[]> {
  const format = ["--format=%ad %aN <%aE>", "--date=raw", "--encoding=UTF-8", "--no-notes", "-s"];
  const follow = path?.isFollowed ? "--follow" : "--no-follow";
  const { args, input } = ofPath(["log", ...format, follow], commit, path?.name);
  const counter = new AuthorCounter();
  const take = (piece: Buffer) => {
    counter.push(piece);
    return false;
  };
  await streamGit(question, args, take, { input, inLargePieces: true });
  return counter.authors;
}

interface Activity {
  commitCount: number;
  /** Of the newest commit: seconds since 1970, and its zone. */
  time: number;
  zone: string;
}

const newline = "\n".charCodeAt(0);
const dateAndPerson = /^(?:(-?\d+) ([+-]\d{4}))? (.*)$/s;

/** Counts lines `<seconds> <zone> <name> <<e-mail>>`, one a commit; how they are cut on their way makes no difference. */
export class AuthorCounter {
  readonly #people = new Map<string, Activity>();
  #rest: Buffer = Buffer.alloc(0);

  push(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const end = bytes.lastIndexOf(newline) + 1;
    this.#rest = bytes.subarray(end);
    for (const line of bytes.toString("utf8", 0, end).split("\n").slice(0, -1)) this.#count(line);
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

  /** A line that is none is passed over. */
  #count(line: string): void {
    const [, seconds, zone = "", person] = dateAndPerson.exec(line) ?? [];
    if (person === undefined) return;
    const time = seconds === undefined ? Number.NEGATIVE_INFINITY : Number(seconds);
    const known = this.#people.get(person);
    if (known === undefined) {
      this.#people.set(person, { commitCount: 1, time, zone });
      return;
    }
    known.commitCount++;
    if (time > known.time) Object.assign(known, { time, zone });
  }
}

/** A name may hold anything but a line's end, an e-mail no `<`. */
function nameAndEmail(person: string): { readonly name: string; readonly email: string } {
  const at = person.lastIndexOf("<");
  if (at < 0) return { name: person, email: "" };
  return { name: person.slice(0, at).replace(/ $/, ""), email: person.slice(at + 1).replace(/>$/, "") };
}

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
