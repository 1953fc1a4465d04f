/** Remembers when repositories and revisions were last used, so that those that nobody needs are evicted first. */
import { readFileSync, statSync } from "node:fs";
import * as z from "zod";
import type { RepositoryId } from "#model/repository";
import type { Clock } from "#platform/clock";
import { diskFiles, type Files, replaceFile } from "#platform/files";
import type { Log } from "#platform/log";

export interface UsesOptions {
  /** Where times are stored. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly files?: Files;
}

/** Uses are written this long after the first one, so that searches cause no writes of their own. */
const writeDelayMs = 60_000;
/** A repository that an editor has open, or whose files have changed, counts as open for this long. */
const openMs = 30 * 60_000;
/** How many revisions of a repository are remembered: requests also name some that do not exist. */
const maxRevisions = 1000;

const times = z.record(z.string(), z.number().min(0));
const StoredUses = z.object({ repositories: times, revisions: z.record(z.string(), times) });

/** Times are in milliseconds since 1970. A crash loses the uses of the last minute. */
export class Uses {
  readonly #options: UsesOptions;
  readonly #repositories = new Map<number, number>();
  readonly #revisions = new Map<number, Map<string, number>>();
  readonly #openSince = new Map<number, number>();
  #cancelWrite: (() => void) | undefined;

  constructor(options: UsesOptions) {
    this.#options = options;
    this.#load();
  }

  /** Records that these repositories are used now. */
  use(ids: Iterable<RepositoryId>): void {
    const now = this.#options.clock.now();
    for (const id of ids) this.#repositories.set(id, now);
    this.#writeSoon();
  }

  useRevision(id: RepositoryId, name: string): void {
    const revisions = this.#revisions.get(id) ?? new Map<string, number>();
    // The least recently used one is the first.
    revisions.delete(name);
    revisions.set(name, this.#options.clock.now());
    const [oldest] = revisions.keys();
    if (revisions.size > maxRevisions && oldest !== undefined) revisions.delete(oldest);
    this.#revisions.set(id, revisions);
    this.#writeSoon();
  }

  /** Records that an editor has these repositories open, or that their files change. Not stored. */
  open(ids: Iterable<RepositoryId>): void {
    for (const id of ids) this.#openSince.set(id, this.#options.clock.elapsed());
  }

  isOpen(id: RepositoryId): boolean {
    const since = this.#openSince.get(id);
    return since !== undefined && this.#options.clock.elapsed() - since < openMs;
  }

  /** Returns when a repository was last used; 0 if never. */
  usedAt(id: RepositoryId): number {
    return this.#repositories.get(id) ?? 0;
  }

  revisionUsedAt(id: RepositoryId, name: string): number {
    return this.#revisions.get(id)?.get(name) ?? 0;
  }

  /** Forgets a repository that was removed. */
  drop(id: RepositoryId): void {
    this.#repositories.delete(id);
    this.#revisions.delete(id);
    this.#openSince.delete(id);
  }

  /** Writes what has not been written yet, unless that is only about the last minute and `isBrief`. */
  close(isBrief: boolean): void {
    if (this.#cancelWrite === undefined) return;
    const writtenAt = statSync(this.#options.file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (!isBrief || this.#options.clock.now() - writtenAt >= writeDelayMs) this.#write();
    else this.#cancelWrite();
  }

  #writeSoon(): void {
    this.#cancelWrite ??= this.#options.clock.after(writeDelayMs, () => this.#write());
  }

  /** A failure is only logged, because wrong times only evict other repositories first. */
  #write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const { file, files = diskFiles, log } = this.#options;
    const revisions = [...this.#revisions].map(([id, byName]) => [id, Object.fromEntries(byName)] as const);
    const stored: z.infer<typeof StoredUses> = {
      repositories: Object.fromEntries(this.#repositories),
      revisions: Object.fromEntries(revisions),
    };
    try {
      replaceFile(files, file, Buffer.from(JSON.stringify(stored)));
    } catch (error) {
      log.warn("Cannot store when repositories were last used.", { error });
    }
  }

  /** A missing or damaged file means that nothing was used yet. */
  #load(): void {
    const stored = StoredUses.safeParse(readJson(this.#options.file)).data;
    if (stored === undefined) return;
    for (const [id, time] of Object.entries(stored.repositories)) this.#repositories.set(Number(id), time);
    for (const [id, byName] of Object.entries(stored.revisions))
      this.#revisions.set(Number(id), new Map(Object.entries(byName)));
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
