import type { Catalog } from "#catalog/catalog";
import type { RepositoryId, RepositoryState } from "#model/repository";
import { TimeLimit } from "#platform/timeLimit";
import type { Uses } from "./uses";

export interface RestoresOptions {
  readonly catalog: Catalog;
  readonly uses: Uses;
  /** The limit of disk space in bytes; `undefined` without one. */
  readonly limit: () => number | undefined;
  readonly isPaused: () => boolean;
  /** Queues a run for a repository or package. */
  readonly refresh: (id: RepositoryId) => void;
  /** Resolves when no run of a repository or package is queued or active, or when the signal fires. */
  readonly settled: (id: RepositoryId, signal: AbortSignal) => Promise<void>;
}

const finalStates: ReadonlySet<RepositoryState> = new Set(["ready", "failed", "evicted"]);

/** Indexes evicted repositories again when requests name them. */
export class Restores {
  readonly #options: RestoresOptions;
  /** Repositories that are being indexed again. */
  readonly #requested = new Set<RepositoryId>();

  constructor(options: RestoresOptions) {
    this.#options = options;
    options.catalog.onChange(({ kind, repository: { id, state } }) => {
      if (kind === "removed" || finalStates.has(state)) this.#requested.delete(id);
    });
  }

  /** Whether a repository is being indexed again, even if its request no longer waits. */
  isRequested(id: RepositoryId): boolean {
    return this.#requested.has(id);
  }

  /**
   * Indexes a repository again and waits for it, for at most `timeMs`; indexing then continues. Returns at once while
   * indexing is paused, and for a repository that needs more than the limit even alone.
   */
  async restore(id: RepositoryId, timeMs: number, signal: AbortSignal): Promise<void> {
    this.request(id);
    if (!this.#requested.has(id)) return;
    const limit = new TimeLimit(signal, timeMs);
    try {
      await this.#options.settled(id, limit.signal);
    } finally {
      limit.dispose();
    }
  }

  /** Queues a repository that was evicted, unless indexing is paused or it is too large. */
  request(id: RepositoryId): void {
    const { catalog, uses, limit, isPaused, refresh } = this.#options;
    const repository = catalog.get(id);
    if (repository?.state !== "evicted" || isPaused()) return;
    const { reason, maxIndexBytes = 0 } = repository.eviction ?? {};
    if (reason === "tooLarge" && (limit() ?? Number.POSITIVE_INFINITY) <= maxIndexBytes) return;
    uses.use([id]);
    this.#requested.add(id);
    catalog.update(id, { state: "queued", eviction: undefined });
    refresh(id);
  }

  /** Queues what a higher limit, or none, makes room for: without a limit everything, else what was too large alone. */
  limitChanged(): void {
    const { catalog, limit, refresh } = this.#options;
    const maxBytes = limit();
    for (const { id, state, eviction, evictedRevisions } of [...catalog.all(), ...catalog.packages()]) {
      if (maxBytes === undefined && evictedRevisions !== undefined) {
        catalog.update(id, { evictedRevisions: undefined });
        if (state !== "evicted") refresh(id);
      }
      const fits = eviction?.reason === "tooLarge" && eviction.maxIndexBytes < (maxBytes ?? 0);
      if (state !== "evicted" || (maxBytes !== undefined && !fits)) continue;
      catalog.update(id, { state: "queued", eviction: undefined });
      refresh(id);
    }
  }
}
