import { isServiceError } from "#base/error";
import { type DraftGate, IndexFull } from "#indexing/draftGate";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import { type Compaction, nextCompaction, nextConversion } from "#shard/directory/compaction";
import { pathsOf, type ShardDirectory } from "#shard/directory/directory";
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
/** How often a shard in an older format is rewritten in vain, for example because of commits meanwhile. */
const maxConversions = 3;

/** Merges shards where worthwhile, one compaction at a time, at the lowest priority. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #runs: ChangeRunner;
  /** By repository, since the start. */
  readonly #conversionCounts = new Map<number, number>();

  constructor(options: CompactorOptions) {
    this.#options = options;
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
        const manifests = directory.manifests();
        const compaction = nextCompaction(manifests, isBusy);
        const isDone =
          compaction === undefined ? await this.#convert(isBusy) : await this.#compact(compaction);
        if (this.#runs.signal.aborted) return;
        if (isDone === undefined) break;
        if (!isDone) return this.#runs.schedule(retryMs);
      }
      const isLeft = this.#nextConversion(() => false) ?? nextCompaction(directory.manifests(), () => false);
      if (isLeft !== undefined) this.#runs.schedule(retryMs);
    } catch (error) {
      if (this.#runs.signal.aborted || isServiceError(error, "CANCELLED")) return;
      if (!(error instanceof IndexFull))
        log.warn("Cannot compact shards; searches continue with the old ones.", { error });
      this.#runs.schedule(retryMs);
    }
  }

  /** Rewrites a shard in an older format. Returns like `#compact`, or `undefined` if there is none. */
  async #convert(isBusy: (repositoryId: number) => boolean): Promise<boolean | undefined> {
    const conversion = this.#nextConversion(isBusy);
    if (conversion === undefined) return undefined;
    const members = conversion.kind === "merge" ? [conversion.manifest] : conversion.manifests;
    for (const { repositoryId } of members) {
      this.#conversionCounts.set(repositoryId, (this.#conversionCounts.get(repositoryId) ?? 0) + 1);
    }
    return this.#compact(conversion);
  }

  #nextConversion(isBusy: (repositoryId: number) => boolean): Compaction | undefined {
    return nextConversion(
      this.#options.directory.manifests(),
      (id) => isBusy(id) || (this.#conversionCounts.get(id) ?? 0) >= maxConversions,
    );
  }

  /**
   * Returns false if nothing was published, because a repository changed during the compaction or a shard is damaged.
   */
  async #compact(compaction: Compaction): Promise<boolean> {
    const { directory, gate, isBusy } = this.#options;
    const manifests = compaction.kind === "merge" ? [compaction.manifest] : compaction.manifests;
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
