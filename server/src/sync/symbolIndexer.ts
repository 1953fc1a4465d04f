/** Adds symbols to shards that are already searchable, one shard at a time, at the lowest priority. */

import { join } from "node:path";
import { isServiceError } from "#base/error";
import { type DraftGate, IndexFull } from "#indexing/draftGate";
import { unexpectedResult } from "#indexing/indexTask";
import type { ShardWithSymbols } from "#indexing/knownContents";
import type { SymbolResult, SymbolTask } from "#indexing/symbolTask";
import type { Overlay } from "#overlay/overlay";
import { type Clock, systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import type { Manifest, Segment } from "#shard/directory/manifest";
import { ChangeRunner } from "./changeRunner";
import type { WorkerResult, WorkerTask } from "./workerTasks";

export interface SymbolIndexerOptions {
  readonly directory: ShardDirectory;
  /** Should have two threads, so that a working tree does not wait for a shard. */
  readonly pool: Pool<WorkerTask, WorkerResult>;
  readonly gate: DraftGate;
  readonly log: Log;
  /** Number of parser threads. */
  readonly parserCount: () => number;
  /** Whether text that has priority over the symbols of a repository is being indexed, or indexing is paused. */
  readonly isBusy: (repositoryId: number) => boolean;
  /** When a repository was last changed, in milliseconds since 1970. */
  readonly changedAt: (repositoryId: number) => number;
  /** Called for a damaged shard file. */
  readonly onDamage: (file: string) => void;
  /** Called when the symbols of an overlay have been built. */
  readonly onOverlay: (repositoryId: number, overlay: Overlay & { readonly symbols: Uint8Array }) => void;
  readonly clock?: Clock;
}

const settleMs = 100;
const busyMs = 300;
const retryMs = 60_000;
/** The same if there is no disk space: parsing it again costs as much as at first. */
const retryFullMs = 60 * 60_000;
/** How long a shard is parsed before the symbols found so far are published. */
const budgetMs = 10_000;
/** How long the files of an overlay are parsed. The rest has no symbols until it is committed. */
const overlayBudgetMs = 20_000;

interface Candidate {
  readonly manifest: Manifest;
  readonly segment: Segment;
}

export class SymbolIndexer {
  readonly #options: SymbolIndexerOptions;
  readonly #clock: Clock;
  readonly #runs: ChangeRunner;
  /** Shards that are not parsed for now: they are damaged, could not be parsed, or a run made no progress. */
  readonly #postponed = new Set<string>();
  /** By shard: how many documents the last run left unparsed. */
  readonly #pendingCounts = new Map<string, number>();
  readonly #lastUsed = new Map<number, number>();
  /** The current overlay, by repository. */
  readonly #overlays = new Map<number, Overlay>();
  readonly #overlaySymbols = new Map<number, ShardWithSymbols>();

  constructor(options: SymbolIndexerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#runs = new ChangeRunner({ ...options, settleMs, run: () => this.#runAll() });
  }

  /** Whether everything that is indexed has been parsed. */
  get isSettled(): boolean {
    return this.#runs.isIdle && this.#next() === undefined;
  }

  /** Parses these repositories first, because they are in use. */
  prioritize(repositoryIds: readonly number[]): void {
    for (const id of repositoryIds) this.#lastUsed.set(id, this.#clock.elapsed());
  }

  /** Whether all documents of a repository have been parsed. */
  isReady(repositoryId: number): boolean {
    const { directory } = this.#options;
    const manifest = directory.manifest(repositoryId);
    return manifest?.segments.every(({ file }) => directory.symbols.isComplete(file)) === true;
  }

  /** Parses a new overlay, or drops the previous one (`undefined`). */
  setOverlay(repositoryId: number, overlay: Overlay | undefined): void {
    if (overlay === undefined) {
      this.#overlays.delete(repositoryId);
      this.#overlaySymbols.delete(repositoryId);
      return;
    }
    this.#overlays.set(repositoryId, overlay);
    this.#parseOverlay(repositoryId, overlay).catch((error: unknown) => {
      if (this.#runs.signal.aborted || isServiceError(error, "CANCELLED")) return;
      this.#options.log.warn("Cannot parse a working tree.", { error });
    });
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  async #parseOverlay(repositoryId: number, overlay: Overlay): Promise<void> {
    const before = this.#overlaySymbols.get(repositoryId);
    const result = await this.#run({
      target: { kind: "memory", shard: overlay.bytes },
      known: [...(before === undefined ? [] : [before]), ...this.#knownShards(repositoryId, true)],
      parserCount: 1,
      budgetMs: overlayBudgetMs,
    });
    if (result.kind !== "symbolBytes" || this.#overlays.get(repositoryId) !== overlay) return;
    const symbols = result.bytes;
    this.#overlaySymbols.set(repositoryId, { kind: "memory", shard: overlay.bytes, symbols });
    this.#options.onOverlay(repositoryId, { ...overlay, symbols });
  }

  /** Never rejects. */
  async #runAll(): Promise<void> {
    const { signal } = this.#runs;
    for (let next = this.#next(); next !== undefined && !signal.aborted; next = this.#next()) {
      if (this.#options.isBusy(next.manifest.repositoryId)) return this.#runs.schedule(busyMs);
      try {
        await this.#parseShard(next);
      } catch (error) {
        if (signal.aborted || isServiceError(error, "CANCELLED")) return;
        const { file } = next.segment;
        // The shard was compacted or rebuilt during the run.
        if (!this.#isCurrent(next)) continue;
        // Other drafts must be published first, which needs the event loop.
        if (error instanceof IndexFull && error.canRetry) return this.#runs.schedule(busyMs);
        if (error instanceof IndexFull && error.blockers.length > 0) {
          this.#postpone(file);
          continue;
        }
        if (error instanceof IndexFull) {
          this.#options.log.warn(
            `${file} has no symbols, because the index has reached its limit of disk space.`,
          );
          this.#postpone(file, retryFullMs);
          continue;
        }
        this.#options.log.warn(`Cannot parse ${file}.`, { error });
        this.#postpone(file);
      }
    }
  }

  #isCurrent({ manifest, segment }: Candidate): boolean {
    const { segments = [] } = this.#options.directory.manifest(manifest.repositoryId) ?? {};
    return segments.some(({ file }) => file === segment.file);
  }

  /** Excludes a shard from the next runs, and retries it after some time. */
  #postpone(file: string, delayMs = retryMs): void {
    this.#postponed.add(file);
    this.#clock.after(delayMs, () => {
      this.#postponed.delete(file);
      this.#runs.schedule();
    });
  }

  /** Prefers repositories in use, then deltas, then recently changed repositories. */
  #next(): Candidate | undefined {
    const { directory, changedAt } = this.#options;
    let best: Candidate | undefined;
    let bestRank: readonly number[] = [];
    for (const manifest of directory.manifests().values()) {
      for (const segment of manifest.segments) {
        if (directory.symbols.isComplete(segment.file) || this.#postponed.has(segment.file)) continue;
        const { repositoryId } = manifest;
        const used = this.#lastUsed.get(repositoryId) ?? 0;
        const rank = [used, segment.isDelta ? 1 : 0, changedAt(repositoryId)];
        if (best !== undefined && !ranksAbove(rank, bestRank)) continue;
        best = { manifest, segment };
        bestRank = rank;
      }
    }
    return best;
  }

  async #parseShard({ manifest, segment }: Candidate): Promise<void> {
    const { directory, gate, parserCount, onDamage } = this.#options;
    const { file } = segment;
    const own = directory.symbols.of(file);
    const repositoryIds = [...directory.manifests().values()]
      .filter((each) => filesOf(each).includes(file))
      .map((each) => each.repositoryId);
    const task: SymbolTask = {
      target: { kind: "disk", shardPath: directory.pathOf(segment), draftPath: directory.newDraft() },
      ...(own === undefined ? {} : { own: join(directory.folder, own) }),
      known: this.#knownShards(manifest.repositoryId, false).filter(
        ({ shard }) => shard !== directory.pathOf(segment),
      ),
      parserCount: parserCount(),
      budgetMs,
    };
    const result = await gate.write({
      repositoryIds,
      replaces: false,
      signal: this.#runs.signal,
      run: (signal) => this.#run(task, signal),
      draftsOf: (written) => (written.kind === "symbolDraft" ? [written.draft.path] : []),
    });
    if (result.kind === "damagedShard") {
      // Not retried: the rebuild writes a file with another name.
      this.#postponed.add(file);
      onDamage(file);
    } else if (result.kind === "symbolDraft") {
      await gate.publish({ repositoryIds, replaces: false, paths: [result.draft.path] }, () =>
        directory.publishSymbols(file, result.draft),
      );
      const { pendingCount } = result.draft.summary;
      // A run that made no progress is not repeated immediately.
      if (pendingCount > 0 && pendingCount >= (this.#pendingCounts.get(file) ?? Number.POSITIVE_INFINITY))
        this.#postpone(file);
      if (pendingCount === 0) this.#pendingCounts.delete(file);
      else this.#pendingCounts.set(file, pendingCount);
    }
  }

  /** Returns shards with symbols, those of the repository first. */
  #knownShards(repositoryId: number, onlyOwn: boolean): ShardWithSymbols[] {
    const { directory } = this.#options;
    const own = directory.manifest(repositoryId);
    const others = onlyOwn ? [] : directory.manifests().values();
    const files = new Set([...(own === undefined ? [] : [own]), ...others].flatMap(filesOf));
    return [...files].flatMap((file): ShardWithSymbols[] => {
      const symbols = directory.symbols.of(file);
      if (symbols === undefined) return [];
      const shard = join(directory.folder, file);
      return [{ kind: "disk", shard, symbols: join(directory.folder, symbols) }];
    });
  }

  async #run(task: SymbolTask, signal = this.#runs.signal): Promise<SymbolResult> {
    const result = await this.#options.pool.run({ kind: "symbols", ...task }, signal);
    const isOwn =
      result.kind === "symbolDraft" || result.kind === "symbolBytes" || result.kind === "damagedShard";
    if (!isOwn) throw unexpectedResult(result);
    return result;
  }
}

function filesOf({ segments }: Manifest): string[] {
  return segments.map(({ file }) => file);
}

function ranksAbove(left: readonly number[], right: readonly number[]): boolean {
  for (const [at, value] of left.entries()) if (value !== right[at]) return value > (right[at] ?? 0);
  return false;
}
