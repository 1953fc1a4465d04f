/** The disk space of the index: its limit, what is evicted to keep it, and what is indexed again on request. */
import { dirname, join } from "node:path";
import type { Catalog } from "#catalog/catalog";
import type { Repository, RepositoryId } from "#model/repository";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import { Evictions } from "./evictions";
import { IndexSpace } from "./indexSpace";
import { Restores } from "./restores";
import { Uses } from "./uses";
import type { WorkerResult, WorkerTask } from "./workerTasks";

export interface StorageOptions {
  readonly catalog: Catalog;
  readonly directory: ShardDirectory;
  readonly pool: Pool<WorkerTask, WorkerResult>;
  /** Runs rewrites, because all threads of `pool` may wait for room. */
  readonly quickPool: Pool<WorkerTask, WorkerResult>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The limit in bytes; `undefined` without one. */
  readonly limit: () => number | undefined;
  readonly isPaused: () => boolean;
  /** Whether a repository is being indexed. */
  readonly isRunning: (id: RepositoryId) => boolean;
  /** Whether requests have named revisions of a repository that are being indexed. */
  readonly hasRequested: (id: RepositoryId) => boolean;
  /** Queues a run for a repository or package. */
  readonly refresh: (id: RepositoryId) => void;
  /** Resolves when no run of a repository or package is queued or active, or when the signal fires. */
  readonly settled: (id: RepositoryId, signal: AbortSignal) => Promise<void>;
  /** Resolves when no run of a repository or package is active, or when the signal fires. */
  readonly ended: (id: RepositoryId, signal: AbortSignal) => Promise<void>;
  readonly onDamage: (file: string) => void;
  /** Called when a repository has lost its index. */
  readonly onEvicted: (id: RepositoryId) => void;
}

/** A path with more repositories than this does not name each of them. */
const maxAdded = 5;

export class Storage {
  readonly uses: Uses;
  /** Writers of shards and symbol files must ask it for room. */
  readonly space: IndexSpace;
  readonly #options: StorageOptions;
  readonly #evictions: Evictions;
  readonly #restores: Restores;

  constructor(options: StorageOptions) {
    const { directory, pool, clock, log } = options;
    this.#options = options;
    this.uses = new Uses({ file: join(dirname(directory.folder), "uses.json"), clock, log });
    this.#evictions = new Evictions({ ...options, pool: options.quickPool });
    this.#restores = new Restores({ ...options, uses: this.uses, usedBytes: () => directory.diskBytes });
    this.space = new IndexSpace({
      ...options,
      pool: options.quickPool,
      uses: this.uses,
      evictions: this.#evictions,
      writerCount: () => pool.size,
      isRequested: (id) => this.#restores.isRequested(id) || options.hasRequested(id),
    });
  }

  /** The limit in bytes; `undefined` without one. */
  get maxBytes(): number | undefined {
    return this.#options.limit();
  }

  /** How many repositories and revisions have been evicted since the start, and after which of them one was. */
  get evictions(): Pick<Evictions, "count" | "lastOf"> {
    return this.#evictions;
  }

  /** Evicts a repository for which there is no room. */
  async giveUp(id: RepositoryId, isTooLarge: boolean): Promise<void> {
    const reason = isTooLarge ? "tooLarge" : "space";
    await this.#evictions.evict([id], { reason, maxIndexBytes: this.maxBytes ?? 0 });
  }

  /** See `Restores`. */
  restore(id: RepositoryId, timeMs: number, signal: AbortSignal): Promise<void> {
    return this.#restores.restore(id, timeMs, signal);
  }

  /** Indexes evicted repositories again that a user has added by their own path, unless it contains many. */
  add(repositories: readonly Repository[], areOpen: boolean): void {
    const ids = repositories.map(({ id }) => id);
    if (areOpen) this.uses.open(ids);
    if (ids.length <= maxAdded) for (const id of ids) this.#restores.request(id);
  }

  /** Records that a request names a revision, which may have been evicted. */
  useRevision(id: RepositoryId, name: string): void {
    const { catalog } = this.#options;
    const { evictedRevisions = [] } = catalog.get(id) ?? {};
    const rest = evictedRevisions.filter((other) => other !== name);
    if (rest.length < evictedRevisions.length)
      catalog.update(id, { evictedRevisions: rest.length === 0 ? undefined : rest });
    this.uses.use([id]);
    this.uses.useRevision(id, name);
  }

  /** Applies the limit after a start, or after it has changed. */
  applyLimit(): void {
    this.#restores.limitChanged();
    this.space.trim().catch((error: unknown) => {
      this.#options.log.warn("Cannot reduce the disk space of the index.", { error });
    });
  }
}
