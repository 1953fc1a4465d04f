/**
 * Who may read the repositories of code hosts, as their hosts said last: one file, `codeHostRights.json` in the data
 * directory. If it is lost or damaged, nobody sees these repositories until the hosts have been asked again.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { Bitset } from "#base/bitset";
import type { Clock } from "#platform/clock";
import { type Files, replaceFile } from "#platform/files";
import type { Log } from "#platform/log";
import type { MirrorDescription } from "./mirrorRecord";

/** What a host said about a repository. Names are in lower case. */
export interface ReaderRecord {
  readonly readers: Iterable<string>;
  /** People whom the host was asked about and who may not read it. */
  readonly others: Iterable<string>;
}

/** The same for thousands of people: a bit for each, by the number of their name. */
interface StoredRecord {
  readonly readers: Bitset;
  readonly others: Bitset;
  /** When the host said it, milliseconds since 1970. */
  readonly statedAt: number;
}

const Stored = z.strictObject({
  format: z.literal(2),
  /** The names of people; others refer to them by their index. */
  names: z.array(z.string()),
  /** When all repositories of a connection were last asked about, milliseconds since 1970. */
  askedAt: z.record(z.string(), z.int()),
  /** Bits are little-endian words of 32, in Base64. */
  repositories: z.record(
    z.string(),
    z.strictObject({ readers: z.base64(), others: z.base64(), statedAt: z.int() }),
  ),
});

type Loaded = Pick<z.output<typeof Stored>, "askedAt" | "names"> & {
  readonly records: readonly (readonly [key: string, record: StoredRecord])[];
};

export interface ReaderStateOptions {
  readonly dataDir: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
}

const writeDelayMs = 2000;
const retryMs = 60_000;

/** What a host says may differ by connection: each knows people by names of its own, and has its own credentials. */
export class ReaderState {
  readonly #options: ReaderStateOptions;
  readonly #file: string;
  readonly #records = new Map<string, StoredRecord>();
  readonly #numbers = new Map<string, number>();
  readonly #askedAt = new Map<string, number>();
  #cancelWrite: (() => void) | undefined;
  /** Milliseconds of elapsed time. */
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReaderStateOptions) {
    this.#options = options;
    this.#file = join(options.dataDir, "codeHostRights.json");
    const stored = this.#load();
    for (const [number, name] of (stored?.names ?? []).entries()) this.#numbers.set(name, number);
    for (const [key, record] of stored?.records ?? []) this.#records.set(key, record);
    for (const [name, time] of Object.entries(stored?.askedAt ?? {})) this.#askedAt.set(name, time);
  }

  /** Whether a person may read a repository, as the host said; `undefined` if it has not said so. */
  mayRead(connection: string, repository: MirrorDescription, login: string): boolean | undefined {
    const record = this.#records.get(keyOf(connection, repository));
    const number = this.#numbers.get(login);
    if (record === undefined || number === undefined) return undefined;
    if (record.readers.has(number)) return true;
    return record.others.has(number) ? false : undefined;
  }

  /** When the host last said who may read a repository, milliseconds since 1970. */
  statedAt(connection: string, repository: MirrorDescription): number | undefined {
    return this.#records.get(keyOf(connection, repository))?.statedAt;
  }

  /** Returns a set of people for `isStatedAbout`. */
  people(logins: Iterable<string>): Bitset {
    const numbers = [...logins].map((login) => this.#numberOf(login));
    const set = new Bitset(this.#numbers.size);
    for (const number of numbers) set.add(number);
    return set;
  }

  /** Whether the host has said of all these people whether they may read a repository. */
  isStatedAbout(connection: string, repository: MirrorDescription, people: Bitset): boolean {
    const record = this.#records.get(keyOf(connection, repository));
    return record !== undefined && people.copy().subtract(record.readers).subtract(record.others).isEmpty();
  }

  /**
   * Returns whether something has changed. What is taken away is on disk when this returns, unless the file has just
   * been written: then it is soon, because a host may take away thousands of rights at once.
   */
  put(connection: string, repository: MirrorDescription, record: ReaderRecord | undefined): boolean {
    const key = keyOf(connection, repository);
    const before = this.#records.get(key);
    const after =
      record === undefined
        ? undefined
        : {
            readers: this.people(record.readers),
            others: this.people(record.others),
            statedAt: this.#options.clock.now(),
          };
    if (after === undefined) this.#records.delete(key);
    else this.#records.set(key, after);
    // The new time is written with the next change, or when all repositories have been asked about.
    if (isSame(before, after)) return false;
    const isReduced =
      before !== undefined && (after === undefined || !isWithin(before.readers, after.readers));
    const isJustWritten = this.#options.clock.elapsed() - this.#writtenAt < writeDelayMs;
    if (isReduced && !isJustWritten) this.flush();
    else this.#writeSoon();
    return true;
  }

  /** Forgets what was said about repositories of a connection before `time`. Returns whether that was anything. */
  expire(connection: string, time: number): boolean {
    const prefix = keyPrefix(connection);
    const expired = [...this.#records].filter(
      ([key, { statedAt }]) => statedAt < time && key.startsWith(prefix),
    );
    for (const [key] of expired) this.#records.delete(key);
    if (expired.length > 0) this.flush();
    return expired.length > 0;
  }

  /** When all repositories of a connection were last asked about; `undefined` for never. */
  askedAt(connection: string): number | undefined {
    return this.#askedAt.get(connection);
  }

  /** Connections that have been asked about, also if this process does not know their settings. */
  get connections(): readonly string[] {
    return [...this.#askedAt.keys()];
  }

  setAskedAt(connection: string, time: number | undefined): void {
    if (time === undefined) this.#askedAt.delete(connection);
    else this.#askedAt.set(connection, time);
    this.#writeSoon();
  }

  /** Forgets other repositories than these, and those of connections that are no longer asked about. */
  keepOnly(repositories: readonly MirrorDescription[]): void {
    const { connections } = this;
    const known = new Set(repositories.flatMap((each) => connections.map((name) => keyOf(name, each))));
    for (const key of this.#records.keys()) {
      if (known.has(key)) continue;
      this.#records.delete(key);
      this.#writeSoon();
    }
  }

  /** Writes the file. If that fails, it is logged and tried again later. */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    this.#writtenAt = this.#options.clock.elapsed();
    const repositories = [...this.#records].map(([key, { readers, others, statedAt }]) => [
      key,
      { readers: toText(readers), others: toText(others), statedAt },
    ]);
    const content: z.input<typeof Stored> = {
      format: 2,
      names: [...this.#numbers.keys()],
      askedAt: Object.fromEntries(this.#askedAt),
      repositories: Object.fromEntries(repositories),
    };
    try {
      replaceFile(this.#options.files, this.#file, Buffer.from(JSON.stringify(content)), 0o600);
    } catch (error) {
      this.#options.log.warn(`Cannot write ${this.#file}; retrying later.`, { error });
      // The file may have rights that a host has taken away since.
      this.#cancelWrite = this.#options.clock.after(retryMs, () => this.flush());
    }
  }

  close(): void {
    if (this.#cancelWrite !== undefined) this.flush();
    this.#cancelWrite?.();
  }

  #numberOf(login: string): number {
    const known = this.#numbers.get(login);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(login, number);
    return number;
  }

  #writeSoon(): void {
    this.#cancelWrite ??= this.#options.clock.after(writeDelayMs, () => this.flush());
  }

  #load(): Loaded | undefined {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch {
      return undefined;
    }
    try {
      const { askedAt, names, repositories } = Stored.parse(JSON.parse(text));
      const records = Object.entries(repositories).map(([key, { readers, others, statedAt }]) => {
        return [key, { readers: fromText(readers), others: fromText(others), statedAt }] as const;
      });
      // Otherwise, a name that is added later would get what the host said about somebody else.
      const isConsistent = records.every(
        ([, { readers, others }]) => readers.next(names.length) === -1 && others.next(names.length) === -1,
      );
      if (isConsistent && new Set(names).size === names.length) return { askedAt, names, records };
      throw new Error("The numbers of names are not consistent.");
    } catch {
      this.#options.log.warn(`${this.#file} is damaged. The code hosts are asked again.`);
      return undefined;
    }
  }
}

function keyOf(connection: string, { type, url, repository }: MirrorDescription): string {
  return `${keyPrefix(connection)}${type} ${url} ${repository.hostId}`;
}

/** Names of connections contain no spaces. */
function keyPrefix(connection: string): string {
  return `${connection} `;
}

function isSame(one: StoredRecord | undefined, other: StoredRecord | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameSet(one.readers, other.readers) && isSameSet(one.others, other.others);
}

function isSameSet(one: Bitset, other: Bitset): boolean {
  return isWithin(one, other) && isWithin(other, one);
}

function isWithin(part: Bitset, whole: Bitset): boolean {
  return part.copy().subtract(whole).isEmpty();
}

function toText({ words }: Bitset): string {
  const bytes = Buffer.alloc(4 * words.length);
  for (const [at, word] of words.entries()) bytes.writeUInt32LE(word, 4 * at);
  return bytes.toString("base64");
}

function fromText(text: string): Bitset {
  const bytes = Buffer.from(text, "base64");
  const words = new Uint32Array(bytes.length >>> 2);
  for (const at of words.keys()) words[at] = bytes.readUInt32LE(4 * at);
  return new Bitset(32 * words.length, words);
}
