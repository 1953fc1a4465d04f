import { isServiceError } from "#base/error";
import { type DraftGate, IndexFull } from "#indexing/draftGate";
import { type Clock, systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import { type Compaction, nextCompaction, nextConversion } from "#shard/directory/compaction";
import { pathsOf, type ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import { ChangeRunner } from "./changeRunner";
import { writeRemaining } from "./rewrites";
import type { WorkerResult, WorkerTask } from "./workerTasks";

export interface CompactorOptions {
  readonly directory: ShardDirectory;
  readonly pool: Pool<WorkerTask, WorkerResult>;
  readonly gate: DraftGate;
  readonly log: Log;
  /**
   * Whether a repository is being indexed, whose indexer relies on its current segments, or is too large to be rewritten
   * in the disk space that is left.
   */
  readonly isBusy: (repositoryId: number) => boolean;
  /** Called for a damaged shard file. */
  readonly onDamage: (file: string) => void;
  readonly clock?: Clock;
}

/** Delay after a change, so that a burst of commits is compacted once. */
const settleMs = 500;
const retryMs = 30_000;
/** How long a repository is left alone after its shards in an older format could not be rewritten. */
const failedConversionMs = 3_600_000;

/** Merges shards where worthwhile, one compaction at a time, at the lowest priority. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #runs: ChangeRunner;
  readonly #clock: Clock;
  /** By repository, when its shards in an older format last could not be rewritten. */
  readonly #conversionFailures = new Map<number, number>();

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#runs = new ChangeRunner({ ...options, settleMs, run: () => this.#compactAll() });
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  /** Never rejects. */
  async #compactAll(): Promise<void> {
    const { directory, log, isBusy } = this.#options;
    try {
      for (;;) {
        const compaction = nextCompaction(directory.manifests(), isBusy);
        const next = compaction ?? this.#nextConversion(isBusy);
        if (next === undefined || this.#runs.signal.aborted) break;
        if (await this.#compact(next)) continue;
        if (next === compaction) return this.#runs.schedule(retryMs);
        for (const { repositoryId } of manifestsOf(next)) {
          this.#conversionFailures.set(repositoryId, this.#clock.elapsed());
        }
      }
      const waiting = nextCompaction(directory.manifests(), () => false) ?? this.#nextConversion(() => false);
      if (waiting !== undefined) this.#runs.schedule(retryMs);
    } catch (error) {
      if (this.#runs.signal.aborted || isServiceError(error, "CANCELLED")) return;
      if (!(error instanceof IndexFull))
        log.warn("Cannot compact shards; searches continue with the old ones.", { error });
      this.#runs.schedule(retryMs);
    }
  }

  #nextConversion(isBusy: (repositoryId: number) => boolean): Compaction | undefined {
    const failedAt = (id: number) => this.#conversionFailures.get(id) ?? Number.NEGATIVE_INFINITY;
    return nextConversion(
      this.#options.directory.manifests(),
      (id) => isBusy(id) || this.#clock.elapsed() - failedAt(id) < failedConversionMs,
    );
  }

  /**
   * Returns false if nothing was published, because a repository changed during the compaction or a shard is damaged.
   */
  async #compact(compaction: Compaction): Promise<boolean> {
    const { directory, gate, isBusy } = this.#options;
    const manifests = manifestsOf(compaction);
    const drafts = await gate.write({
      repositoryIds: [],
      replaces: false,
      signal: this.#runs.signal,
      run: (signal) =>
        writeRemaining(manifests, compaction.kind === "merge" ? compaction.from : 0, this.#options, signal),
      draftsOf: (written) => written?.map(({ path }) => path) ?? [],
    });
    if (drafts === undefined) return false;
    gate.release(drafts.map(({ path }) => path));
    const [first] = drafts;
    if (manifests.some(({ repositoryId }) => isBusy(repositoryId)) || first === undefined) {
      directory.discard(pathsOf(drafts));
      return false;
    }
    if (compaction.kind === "merge")
      return directory.publishMerged(compaction.manifest, compaction.from, drafts);
    await directory.publishCompound(first, compaction.manifests);
    return true;
  }
}

function manifestsOf(compaction: Compaction): readonly Manifest[] {
  return compaction.kind === "merge" ? [compaction.manifest] : compaction.manifests;
}
