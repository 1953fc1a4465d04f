/**
 * Who may read the repositories of code hosts, as their hosts said last: one file, `codeHostRights.json` in the data
 * directory. If it is lost or damaged, nobody sees these repositories until the hosts have been asked again.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "#platform/clock";
import { type Files, replaceFile } from "#platform/files";
import type { Log } from "#platform/log";
import type { MirrorDescription } from "./mirrorRecord";

/** What a host said about a repository. Names are in lower case. */
export interface ReaderRecord {
  readonly readers: ReadonlySet<string>;
  /** People whom the host was asked about and who may not read it. */
  readonly others: ReadonlySet<string>;
}

interface StatedRecord extends ReaderRecord {
  /** When the host said it, milliseconds since 1970. */
  readonly statedAt: number;
}

const names = z.array(z.string());
const StoredRecord = z.strictObject({
  readers: names,
  others: names,
  /** When the host said it, milliseconds since 1970. Earlier versions did not store it. */
  statedAt: z.int().optional(),
});
const Stored = z.strictObject({
  format: z.literal(1),
  /** When all repositories of a connection were last asked about, milliseconds since 1970. */
  askedAt: z.record(z.string(), z.int()),
  repositories: z.record(z.string(), StoredRecord),
});

export interface ReaderStateOptions {
  readonly dataDir: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
}

const writeDelayMs = 2000;

/** What a host says may differ by connection: each knows people by names of its own, and has its own credentials. */
export class ReaderState {
  readonly #options: ReaderStateOptions;
  readonly #file: string;
  readonly #records = new Map<string, StatedRecord>();
  readonly #askedAt = new Map<string, number>();
  #cancelWrite: (() => void) | undefined;
  /** Milliseconds of elapsed time. */
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReaderStateOptions) {
    this.#options = options;
    this.#file = join(options.dataDir, "codeHostRights.json");
    const stored = this.#load();
    const now = options.clock.now();
    for (const [key, { readers, others, statedAt = now }] of Object.entries(stored?.repositories ?? {}))
      this.#records.set(key, { readers: new Set(readers), others: new Set(others), statedAt });
    for (const [name, time] of Object.entries(stored?.askedAt ?? {})) this.#askedAt.set(name, time);
  }

  get(connection: string, repository: MirrorDescription): StatedRecord | undefined {
    return this.#records.get(keyOf(connection, repository));
  }

  /**
   * Returns whether something has changed. What is taken away is on disk when this returns, unless the file has just
   * been written: then it is soon, because a host may take away thousands of rights at once.
   */
  put(connection: string, repository: MirrorDescription, record: ReaderRecord | undefined): boolean {
    const key = keyOf(connection, repository);
    const before = this.#records.get(key);
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, { ...record, statedAt: this.#options.clock.now() });
    // The new time is written with the next change, or when all repositories have been asked about.
    if (isSame(before, record)) return false;
    const isReduced = [...(before?.readers ?? [])].some((each) => record?.readers.has(each) !== true);
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

  /** Writes the file if something has changed. A failure is logged: then the hosts are asked again at the next start. */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    this.#writtenAt = this.#options.clock.elapsed();
    const repositories = [...this.#records].map(([key, { readers, others, statedAt }]) => [
      key,
      { readers: [...readers], others: [...others], statedAt },
    ]);
    const content: z.input<typeof Stored> = {
      format: 1,
      askedAt: Object.fromEntries(this.#askedAt),
      repositories: Object.fromEntries(repositories),
    };
    try {
      replaceFile(this.#options.files, this.#file, Buffer.from(JSON.stringify(content)), 0o600);
    } catch (error) {
      this.#options.log.warn(`Cannot write ${this.#file}.`, { error });
    }
  }

  close(): void {
    if (this.#cancelWrite !== undefined) this.flush();
  }

  #writeSoon(): void {
    this.#cancelWrite ??= this.#options.clock.after(writeDelayMs, () => this.flush());
  }

  #load(): z.output<typeof Stored> | undefined {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch {
      return undefined;
    }
    try {
      return Stored.parse(JSON.parse(text));
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

function isSame(one: ReaderRecord | undefined, other: ReaderRecord | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameSet(one.readers, other.readers) && isSameSet(one.others, other.others);
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}
