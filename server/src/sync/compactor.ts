import { basename, join } from "node:path";
import { isServiceError } from "#base/error";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/workers";
import { type Compaction, nextCompaction } from "#shard/compaction";
import { type Draft, type Manifest, pathsOf, type ShardDirectory } from "#shard/directory";
import { AfterChanges } from "./afterChanges";
import type { Work, WorkAnswer } from "./work";

export interface CompactorOptions {
  readonly directory: ShardDirectory;
  readonly pool: Pool<Work, WorkAnswer>;
  readonly log: Log;
  /** A run of this repository goes on, whose delta counts on the segments that it saw. */
  readonly isBusy: (repositoryId: number) => boolean;
  /** A shard file turned out not to hold what it should. */
  readonly onDamage: (file: string) => void;
  readonly clock?: Clock;
}

/** After a change, so that a burst of commits is compacted once. */
const settleMs = 500;
const retryMs = 30_000;

/** Writes shards again where that pays, one compaction at a time, behind all other work. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #runs: AfterChanges;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#runs = new AfterChanges({ ...options, settleMs, run: () => this.#runAll() });
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  /** Never rejects. */
  async #runAll(): Promise<void> {
    const { directory, log, isBusy } = this.#options;
    try {
      for (;;) {
        const compaction = nextCompaction(directory.manifests(), isBusy);
        if (compaction === undefined || this.#runs.signal.aborted) return;
        if (!(await this.#run(compaction))) return this.#runs.later(retryMs);
      }
    } catch (error) {
      if (this.#runs.signal.aborted || isServiceError(error, "CANCELLED")) return;
      log.warn("Shards could not be compacted; searches go on with the old ones.", { error });
      this.#runs.later(retryMs);
    }
  }

  /** Gives false where a repository changed meanwhile. */
  async #run(compaction: Compaction): Promise<boolean> {
    const { directory, isBusy } = this.#options;
    const manifests = compaction.kind === "merge" ? [compaction.manifest] : compaction.manifests;
    const drafts = await this.#rewrite(manifests, compaction.kind === "merge" ? compaction.from : 0);
    if (drafts === undefined) return false;
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

  async #rewrite(manifests: readonly Manifest[], from: number): Promise<readonly Draft[] | undefined> {
    const { directory, pool, onDamage } = this.#options;
    const repositories = manifests.map((manifest) => ({
      id: manifest.repositoryId,
      segments: manifest.segments.map((segment) => directory.pathOf(segment)),
      liveSlots: manifest.kind === "folder" ? [0] : manifest.revisions.map((revision) => revision.slot),
    }));
    const symbols: Record<string, string> = {};
    for (const segment of manifests.flatMap(({ segments }) => segments)) {
      const file = directory.symbols.of(segment.file);
      if (file !== undefined) symbols[directory.pathOf(segment)] = join(directory.folder, file);
    }
    const answer = await pool.run(
      { kind: "rewrite", repositories, symbols, from, draftPath: directory.newDraft() },
      this.#runs.signal,
    );
    if (answer.kind === "damaged") onDamage(basename(answer.path));
    return answer.kind === "rewritten" ? answer.drafts : undefined;
  }
}
