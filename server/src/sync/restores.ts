import type { Catalog } from "#catalog/catalog";
import type { RepositoryId, RepositoryState } from "#model/repository";
import { TimeLimit } from "#platform/timeLimit";
import type { Uses } from "./uses";

export interface RestoresOptions {
  readonly catalog: Catalog;
  readonly uses: Uses;
  /** The limit of disk space in bytes; `undefined` without one. */
  readonly limit: () => number | undefined;
  /** Bytes of the index. */
  readonly usedBytes: () => number;
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

  /**
   * Queues what a higher limit, or none, makes room for: without a limit everything, else the repositories that fit by
   * the sizes that their indexes had, the last used ones first.
   */
  limitChanged(): void {
    const { catalog, limit, usedBytes, uses, refresh } = this.#options;
    const maxBytes = limit() ?? Number.POSITIVE_INFINITY;
    const known = [...catalog.all(), ...catalog.packages()];
    for (const { id, state, evictedRevisions } of known) {
      if (limit() !== undefined || evictedRevisions === undefined) continue;
      catalog.update(id, { evictedRevisions: undefined });
      if (state !== "evicted") refresh(id);
    }
    let freeBytes = maxBytes - usedBytes();
    const evicted = known
      .filter(({ state, eviction }) => state === "evicted" && (eviction?.maxIndexBytes ?? 0) < maxBytes)
      .sort(
        (left, right) =>
          uses.usedAt(right.id) - uses.usedAt(left.id) || (right.pushedAt ?? 0) - (left.pushedAt ?? 0),
      );
    for (const { id, eviction } of evicted) {
      // The size is unknown of what was too large, or was never indexed completely: indexing it shows whether it fits.
      const bytes = eviction?.reason === "space" ? (eviction.indexBytes ?? 0) : 0;
      if (bytes > freeBytes) continue;
      freeBytes -= bytes;
      catalog.update(id, { state: "queued", eviction: undefined });
      refresh(id);
    }
  }
}
