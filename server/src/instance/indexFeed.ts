/** Passes on to indexers what a git server has recorded, as soon as the database responds. */
import { isServiceError } from "#base/error";
import type { FedCommits } from "#indexing/zoektIndexer";
import type { Repository, RepositoryId } from "#model/repository";
import { type Clock, wait } from "#platform/clock";
import type { Log } from "#platform/log";
import type { IndexQueue } from "#store/indexQueue";

export interface FedRevisions {
  readonly repository: Repository;
  readonly chosen: FedCommits;
  readonly maxFileBytes: number;
  /** Whether they are indexed again even if they have been. */
  readonly isForced: boolean;
}

type Change = FedRevisions | "removed";

export interface IndexFeedOptions {
  /** Rejects with ENGINE_UNAVAILABLE without the database, and while another process feeds the indexers. */
  readonly queue: () => Promise<IndexQueue>;
  /** Stores what nodes should index of a repository, whose id is that of the queue. */
  readonly store: (fed: FedRevisions, signal: AbortSignal) => Promise<void>;
  /** Everything that has been recorded. */
  readonly all: () => Iterable<FedRevisions>;
  /** How long nodes keep a renamed repository under its old name: searches that began before may still ask for it. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const retryMs = 5000;

/**
 * The ids of repositories in jobs come from the queue, by name, so that another git server can continue: its own ids are
 * different ones.
 */
export class IndexFeed {
  readonly #options: IndexFeedOptions;
  /** What is not stored yet: the newest of each repository. */
  readonly #waiting = new Map<RepositoryId, Change>();
  /** The names under which repositories were stored, or will be at first. Entries end when their removal is stored. */
  readonly #names = new Map<RepositoryId, string>();
  readonly #closing = new AbortController();
  #isFeeder = false;
  #isStoring = false;

  constructor(options: IndexFeedOptions) {
    this.#options = options;
  }

  /** Reports that this process feeds the indexers from now on, or no longer. */
  setFeeder(isFeeder: boolean): void {
    this.#isFeeder = isFeeder;
    this.#waiting.clear();
    if (!isFeeder) return;
    this.addAll();
    // Removed while this process did not feed, as without the database.
    for (const id of this.#names.keys()) if (!this.#waiting.has(id)) this.remove(id);
  }

  /** Passes on everything again. Jobs that want the same do not change. */
  addAll(): void {
    for (const fed of this.#options.all()) this.add(fed);
  }

  add(fed: FedRevisions): void {
    const { id, name } = fed.repository;
    if (!this.#names.has(id)) this.#names.set(id, name);
    this.#put(id, fed);
  }

  remove(id: RepositoryId): void {
    if (this.#names.has(id)) this.#put(id, "removed");
  }

  close(): void {
    this.#closing.abort();
  }

  #put(id: RepositoryId, change: Change): void {
    if (!this.#isFeeder) return;
    this.#waiting.set(id, change);
    if (!this.#isStoring) void this.#storeAll();
  }

  async #storeAll(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#closing;
    this.#isStoring = true;
    let hasFailed = false;
    while (this.#waiting.size > 0 && !signal.aborted) {
      for (const [id, change] of this.#waiting)
        try {
          await this.#store(id, change);
          hasFailed = false;
          if (this.#waiting.get(id) === change) this.#waiting.delete(id);
        } catch (error) {
          if (signal.aborted) break;
          if (!hasFailed) log.warn("Cannot pass commits on to indexers. Trying again.", { error });
          hasFailed = true;
          await wait(clock, retryMs, signal).catch(() => undefined);
          // The database is the same for all.
          if (isServiceError(error, "ENGINE_UNAVAILABLE")) break;
        }
    }
    this.#isStoring = false;
  }

  async #store(id: RepositoryId, change: Change): Promise<void> {
    const queue = await this.#options.queue();
    const name = change === "removed" ? undefined : change.repository.name;
    const old = this.#names.get(id);
    const ids = await queue.idsOf([name, old].filter((each) => each !== undefined));
    if (change !== "removed") {
      const queued = ids.get(change.repository.name) as RepositoryId;
      await this.#options.store(
        { ...change, repository: { ...change.repository, id: queued } },
        this.#closing.signal,
      );
    }
    const gone = old === undefined || old === name || this.#isNameOfOther(id, old) ? undefined : ids.get(old);
    const keepMs = name === undefined ? 0 : this.#options.keepMs;
    if (gone !== undefined) await queue.unwant(gone, { dueAt: this.#options.clock.now() + keepMs });
    if (name === undefined) this.#names.delete(id);
    else this.#names.set(id, name);
  }

  /** Whether a name now belongs to another repository, which is indexed under the same id. */
  #isNameOfOther(id: RepositoryId, name: string): boolean {
    for (const [other, known] of this.#names) if (other !== id && known === name) return true;
    return false;
  }
}
