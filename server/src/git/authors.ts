/** Who wrote the commits that lead to one, and when last. */
import { zonedDate } from "#base/zonedDate";
import { type HistoryPath, ofPath } from "./log";
import { answerTooLarge, maxGitAnswerBytes, type Question, streamGit } from "./question";

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
 * With a `path` only those of the commits that changed it. Throws what `streamGit` throws, and
 * ANSWER_TOO_LARGE.
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

/** Of a person in memory, besides the name. */
const personBytes = 100;
const newline = "\n".charCodeAt(0);
const dateAndPerson = /^(?:(-?\d+) ([+-]\d{4}))? (.*)$/s;

/** Counts lines `<seconds> <zone> <name> <<e-mail>>`, one a commit; how they are cut on their way makes no difference. */
export class AuthorCounter {
  readonly #people = new Map<string, Activity>();
  /** Of a line that is not whole yet. */
  #pieces: Buffer[] = [];
  /** Of the people and of that line. */
  #bytes = 0;

  /** Throws ANSWER_TOO_LARGE for people whose names are more than an answer may be. */
  push(piece: Buffer): void {
    this.#bytes += piece.length;
    const end = piece.lastIndexOf(newline) + 1;
    if (end === 0) this.#pieces.push(piece);
    else {
      const whole = Buffer.concat([...this.#pieces, piece.subarray(0, end)]);
      this.#pieces = [piece.subarray(end)];
      this.#bytes -= whole.length;
      for (const line of whole.toString("utf8").split("\n").slice(0, -1)) this.#count(line);
    }
    if (this.#bytes > maxGitAnswerBytes) throw answerTooLarge();
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
      this.#bytes += person.length + personBytes;
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
