/**
 * The state of all connections and mirrors: one file, `mirrors.json` in the data directory.
 *
 * What is added and removed is on disk when `flush` returns; times and errors follow within seconds. If the file is
 * lost or damaged, the mirrors are found by the descriptions in their folders, and none is removed: a connection takes
 * them over when its host is listed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { ServiceError } from "#base/error";
import { mirrorDescription } from "#model/repository";
import type { Clock } from "#platform/clock";
import { type Files, fileBytes, replaceFile, replaceFileUnflushed } from "#platform/files";
import type { Log } from "#platform/log";
import type { ConnectionRecord, MirrorRecord } from "./mirrorRecord";
import { newSalt, parseDescription, parseState, printState, type StateContent } from "./stateFormat";

export interface MirrorStateOptions {
  readonly dataDir: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
}

const writeDelayMs = 5000;

/** Returns the folder of all mirrors in a data directory. */
export function mirrorsFolder(dataDir: string): string {
  return join(dataDir, "mirrors");
}

export function stateFile(dataDir: string): string {
  return join(dataDir, "mirrors.json");
}

export class MirrorState {
  readonly #options: MirrorStateOptions;
  readonly #file: string;
  readonly #folder: string;
  readonly #mirrors = new Map<number, MirrorRecord>();
  /** The numbers of mirrors by what identifies them. */
  readonly #numbers = new Map<string, Set<number>>();
  readonly #connections = new Map<string, ConnectionRecord>();
  #nextNumber = 1;
  /** For digests of credentials. */
  readonly salt: string;
  #cancelWrite: (() => void) | undefined;

  /** Throws STORAGE_FAILED for a file of a newer format, or one that cannot be read. */
  constructor(options: MirrorStateOptions) {
    this.#options = options;
    this.#file = stateFile(options.dataDir);
    this.#folder = mirrorsFolder(options.dataDir);
    const stored = this.#load();
    this.salt = stored?.salt ?? newSalt();
    for (const mirror of stored?.mirrors ?? this.#findMirrors()) this.#set(mirror);
    for (const [name, connection] of Object.entries(stored?.connections ?? {}))
      this.#connections.set(name, connection);
    const folders = this.#folders();
    const numbers = [...this.#mirrors.keys(), ...folders];
    this.#nextNumber = numbers.reduce((next, each) => Math.max(next, each + 1), stored?.nextNumber ?? 1);
    // A killed process was deleting them.
    if (stored === undefined) return;
    for (const number of folders)
      if (!this.#mirrors.has(number)) options.files.removeFolder(this.pathOf({ number }));
  }

  get mirrors(): readonly MirrorRecord[] {
    return [...this.#mirrors.values()];
  }

  get(number: number): MirrorRecord | undefined {
    return this.#mirrors.get(number);
  }

  /** Returns the mirrors of a repository: usually one, but several after their state was damaged. */
  of({ type, url }: Pick<MirrorRecord, "type" | "url">, hostId: string): readonly MirrorRecord[] {
    const numbers = this.#numbers.get(identityOf({ type, url }, hostId)) ?? [];
    return [...numbers].flatMap((number) => this.#mirrors.get(number) ?? []);
  }

  /** Returns the git directory of a mirror, which exists once it has been cloned. */
  pathOf({ number }: Pick<MirrorRecord, "number">): string {
    return `${this.#folder}${sep}${number}.git`;
  }

  /** Whether a path is that of a mirror. */
  owns(path: string): boolean {
    return dirname(path) === this.#folder;
  }

  /** Returns the mirror at a path; `undefined` for other repositories. */
  at(path: string): MirrorRecord | undefined {
    return this.owns(path) ? this.get(Number.parseInt(basename(path), 10)) : undefined;
  }

  /** Adds a mirror, with a number that is at least `minNumber`. */
  add(mirror: Omit<MirrorRecord, "number">, minNumber = 1): void {
    const number = Math.max(minNumber, this.#nextNumber);
    this.#nextNumber = number + 1;
    this.put({ ...mirror, number });
  }

  put(mirror: MirrorRecord): void {
    const before = this.#set(mirror);
    this.#writeSoon();
    if (before !== undefined && before.repository.path !== mirror.repository.path) this.describe(mirror);
  }

  /** Forgets a mirror. Its folder remains until `removeFolder`, or the next start. */
  forget({ number }: MirrorRecord): void {
    this.#removeNumber(this.#mirrors.get(number));
    this.#mirrors.delete(number);
    this.#writeSoon();
  }

  /** Returns the record that the mirror had before. */
  #set(mirror: MirrorRecord): MirrorRecord | undefined {
    const before = this.#mirrors.get(mirror.number);
    this.#mirrors.set(mirror.number, mirror);
    const key = keyOf(mirror);
    if (before !== undefined && keyOf(before) === key) return before;
    this.#removeNumber(before);
    const numbers = this.#numbers.get(key);
    if (numbers === undefined) this.#numbers.set(key, new Set([mirror.number]));
    else numbers.add(mirror.number);
    return before;
  }

  #removeNumber(mirror: MirrorRecord | undefined): void {
    if (mirror === undefined) return;
    const key = keyOf(mirror);
    const numbers = this.#numbers.get(key);
    numbers?.delete(mirror.number);
    if (numbers?.size === 0) this.#numbers.delete(key);
  }

  removeFolder(mirror: MirrorRecord): void {
    this.#options.files.removeFolder(this.pathOf(mirror));
  }

  isDescribed(mirror: MirrorRecord): boolean {
    // A power failure may have left an empty one.
    return fileBytes(join(this.pathOf(mirror), mirrorDescription)) > 0;
  }

  /** Stores in the folder of a mirror what it is a mirror of. */
  describe(mirror: MirrorRecord): void {
    const folder = this.pathOf(mirror);
    if (!existsSync(folder)) return;
    const { type, url, repository } = mirror;
    const text = JSON.stringify({ type, url, repository });
    replaceFileUnflushed(this.#options.files, join(folder, mirrorDescription), Buffer.from(text));
  }

  connection(name: string): ConnectionRecord {
    return this.#connections.get(name) ?? { nextListAt: 0, failures: 0, problems: [] };
  }

  putConnection(name: string, connection: ConnectionRecord): void {
    this.#connections.set(name, connection);
    this.#writeSoon();
  }

  get connectionNames(): readonly string[] {
    return [...this.#connections.keys()];
  }

  forgetConnection(name: string): void {
    if (this.#connections.delete(name)) this.#writeSoon();
  }

  get content(): StateContent {
    return {
      nextNumber: this.#nextNumber,
      salt: this.salt,
      connections: Object.fromEntries(this.#connections),
      mirrors: this.mirrors,
    };
  }

  /** Throws STORAGE_FAILED. */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    try {
      replaceFile(this.#options.files, this.#file, printState(this.content));
    } catch (cause) {
      throw new ServiceError("STORAGE_FAILED", `Cannot write ${this.#file}.`, { cause });
    }
  }

  close(): void {
    if (this.#cancelWrite !== undefined) this.flush();
  }

  #writeSoon(): void {
    const { clock, log } = this.#options;
    this.#cancelWrite ??= clock.after(writeDelayMs, () => {
      try {
        this.flush();
      } catch (error) {
        log.error("Cannot write the state of the mirrors; retrying later.", { error });
        this.#writeSoon();
      }
    });
  }

  #load(): StateContent | undefined {
    if (!existsSync(this.#file)) return undefined;
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch (cause) {
      throw new ServiceError("STORAGE_FAILED", `Cannot read ${this.#file}.`, { cause });
    }
    const state = parseState(text, this.#file);
    if (state !== undefined) return state;
    const { files, clock, log } = this.#options;
    const aside = `${this.#file}.damaged-${clock.now()}`;
    files.rename(this.#file, aside);
    log.warn(`The state of the mirrors was damaged and is rebuilt from their folders. See ${aside}.`);
    return undefined;
  }

  #folders(): readonly number[] {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    return names.flatMap((name) => Number(/^(\d{1,9})\.git$/.exec(name)?.[1] ?? []) || []);
  }

  #findMirrors(): readonly MirrorRecord[] {
    return this.#folders().flatMap((number): readonly MirrorRecord[] => {
      const file = join(this.pathOf({ number }), mirrorDescription);
      const described = existsSync(file) ? parseDescription(readFileSync(file, "utf8")) : undefined;
      if (described === undefined) return [];
      return [{ ...described, number, holdings: {}, fetches: { nextAt: 0, failures: 0 } }];
    });
  }
}

function identityOf({ type, url }: Pick<MirrorRecord, "type" | "url">, hostId: string): string {
  return [type, url, hostId].join("\n");
}

function keyOf(mirror: MirrorRecord): string {
  return identityOf(mirror, mirror.repository.hostId);
}
