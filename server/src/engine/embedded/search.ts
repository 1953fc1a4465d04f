import { setImmediate as nextTurn } from "node:timers/promises";
import { isServiceError } from "#base/error";
import type { PackedFiles } from "#model/packedFile";
import type { FlushReason } from "#model/stats";
import { noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { runWithProcessorLimit, runWithTimeout } from "#platform/runWithTimeout";
import type { TaskContext } from "#platform/serveTask";
import { type CompiledSearch, compileQuery } from "#shard/evaluation/compile";
import { type EvaluationOutput, newEvaluationCounts, ShardEvaluation } from "#shard/evaluation/evaluate";
import { HitList } from "#shard/evaluation/hitList";
import type { ShardView } from "#shard/evaluation/matchTree";
import type { ShardReader } from "#shard/format/reader";
import type { TextWindow } from "#shard/format/window";
import { EarlyFiles } from "./earlyFiles";
import { PieceBuilder } from "./fileMatch";
import { FoundMatches } from "./foundMatches";
import { GroupCounter } from "./groupCounter";
import { type FileLoader, loadFewFiles, loadFiles, loadHit, pieceBytes, sliceMs } from "./loadFiles";
import { transferOf } from "./resultPiece";
import type { SearchedShards } from "./searchedViews";
import type {
  FilesCall,
  FilesResponse,
  SearchCall,
  SearchResponse,
  ShardHits,
  TooSlow,
} from "./searchMessages";
import { isDefinitionLayer } from "./searchOrder";
import { damagedFileOf, hasPendingSymbols } from "./shardGaps";
import { isPreferred, type OpenShard, type ShardSet, starLevelOf } from "./shardSet";

/**
 * How long a step with a time limit may exceed its slice before its expression counts as a runaway. A long document
 * with many matches may take just as long, and then costs only a move to the slow lane, where no other search waits.
 */
const graceMs = { fast: 25, slow: 400 };
/** After this many runaways, a search moves from the fast lane to the slow one, and there to the linear engine. */
const maxRunaways = 3;
/** Time limits of the linear engine for one document. */
const linearMs = { fast: 50, slow: 2000 };

/**
 * Each worker looks for the phrase of a query first in this many blocks (about 64 MB of text), which takes some 50 ms. If the
 * words are common and the phrase is rare, that may not be all. A search that is not stopped by its limit finds the rest.
 */
const maxPhraseBlocks = 16_384;

/** At most this many files of a shard wait for those of the next ones, because each message interrupts the main thread. */
const fewFiles = 24;

interface ViewEvaluation {
  readonly shard: OpenShard;
  readonly evaluation: ShardEvaluation;
  /** Whether a later evaluation covers the documents that this one does not reach. */
  readonly isCoveredLater: boolean;
}

/**
 * Runs one search on one worker.
 *
 * A search works as follows:
 *
 * - `run` evaluates the worker's shards in order (`ShardEvaluation`), in time slices between which other searches of
 *   the thread run, until there are enough matches, the deadline has passed, or the search is canceled.
 * - Steps with an expression that may backtrack run under a time limit. A document that exceeds it is evaluated again
 *   by the linear engine, and skipped if that takes too long as well. After several such documents the search asks to
 *   be moved to the slow lane.
 * - A streaming search emits its files during evaluation. Otherwise, the main thread merges the hits of all workers,
 *   and `loadFiles` loads the files of the hits that it has chosen. If there are only a few, their files are part of the
 *   response, which saves that call. If most of what is found will be in the result, the files are loaded during evaluation,
 *   while their text is in memory.
 *
 * If a shard is damaged, its hits are dropped, and the response lists the damaged file.
 */
export class Search {
  readonly #call: SearchCall;
  readonly #context: TaskContext;
  readonly #window: TextWindow;
  readonly #startedAt = performance.now();
  readonly #damaged: Set<string>;
  readonly #hasUnreadableFiles: boolean;
  readonly #counts = newEvaluationCounts();
  readonly #evaluations: ViewEvaluation[] = [];
  /** Blocks in which the search may still look for the phrase first. */
  #phraseBlocks = maxPhraseBlocks;
  readonly #searchedForPhrase = new Set<ShardReader>();
  readonly #piece: PieceBuilder;
  readonly #groups: GroupCounter | undefined;
  readonly #found: FoundMatches | undefined;
  #compiled: CompiledSearch;
  #compileMs: number;
  #runaways = 0;
  #isTooSlow = false;
  #reason: FlushReason = "NONE";
  #matchCount = 0;
  /** `#matchCount`, with the limit per file. */
  #limitedMatchCount = 0;
  #shardsScanned = 0;
  #shardsSkipped = 0;
  #shardsFiltered = 0;
  #shownMatches = 0;
  readonly #loader: Pick<FileLoader, "piece" | "damaged">;
  readonly #early: EarlyFiles;
  /** When files were last emitted. */
  #emittedAt = Number.NEGATIVE_INFINITY;
  #hasPendingSymbols = false;
  #bytesLoaded = 0;

  constructor(set: Pick<ShardSet, "snapshot">, window: TextWindow, call: SearchCall, context: TaskContext) {
    this.#call = call;
    this.#context = context;
    this.#window = window;
    const { damagedFiles, hasUnreadableFiles } = set.snapshot;
    this.#damaged = new Set(damagedFiles);
    this.#hasUnreadableFiles = hasUnreadableFiles;
    this.#compiled = compileQuery(call.query, window.kernels, call.phrase);
    this.#compileMs = performance.now() - this.#startedAt;
    this.#piece = new PieceBuilder(window, this.#compiled, call.limits, call.acceptsPacked === true);
    this.#groups = call.grouping && new GroupCounter(call.grouping, this.#compiled, window);
    this.#found = call.foundMatches && new FoundMatches(call.foundMatches);
    this.#loader = { piece: this.#piece, damaged: this.#damaged };
    this.#early = new EarlyFiles(this.#loader, call);
  }

  async run({ views, damagedFiles }: SearchedShards): Promise<SearchResponse | TooSlow> {
    for (const file of damagedFiles) this.#damaged.add(file);
    this.#early.begin(views);
    for (const searched of views) {
      const { shard, view, isDefining, remaining } = searched;
      if (remaining !== undefined && this.#phraseBlocks <= 0) continue;
      await this.#emitDue();
      this.#hasPendingSymbols ||= this.#compiled.dependsOnSymbols && hasPendingSymbols(view);
      const isWhole = isDefinitionLayer(shard.order);
      if (this.#mustStop(isWhole) || this.#isBeyondLimit(shard)) {
        this.#shardsSkipped++;
        continue;
      }
      const evaluation = new ShardEvaluation(view, this.#compiled, {
        window: this.#window,
        counts: this.#counts,
        maxMatches: isWhole ? Number.POSITIVE_INFINITY : this.#call.limits.maxMatches,
        maxMatchesPerFile: this.#call.limits.maxMatchesPerFile,
        maxBlocks: remaining === undefined ? Number.POSITIVE_INFINITY : this.#phraseBlocks,
        output: this.#output(),
        phrase: this.#phraseMode(view, isDefining, remaining !== undefined),
        isPreferred: (document) => isPreferred(this.#call.preferred, shard, document),
        starLevel: (document) => starLevelOf(this.#call.starLevels, shard, document),
      });
      await this.#evaluate(shard, evaluation, remaining !== undefined);
      this.#early.addSearched(searched);
      if (this.#isTooSlow) return { kind: "tooSlow" };
      if (remaining === undefined) continue;
      for (const { document } of evaluation.hits) remaining.delete(document);
      this.#phraseBlocks -= evaluation.blockCount;
      if (this.#phraseBlocks > 0) this.#searchedForPhrase.add(view.reader);
    }
    if (this.#call.isStreamed) await this.#emitPiece();
    const searchMs = performance.now() - this.#startedAt - this.#compileMs;
    if (this.#context.isCanceled()) this.#early.abandon();
    const attached = this.#early.count > 0 ? this.#piece.take() : this.#loadFewFiles();
    const loadedCount = Math.max(this.#early.count, attached?.scores.length ?? 0);
    return { ...this.#response(searchMs), attached, loadedCount };
  }

  #loadFewFiles(): PackedFiles | undefined {
    // Files that were emitted before are the first ones for the receiver.
    const hasEmitted = this.#call.isStreamed || this.#early.isAbandoned;
    if (hasEmitted || this.#output() !== "hits" || this.#reason !== "NONE") return undefined;
    return loadFewFiles(this.#loader, this.#evaluations, this.#call.limits);
  }

  /** Loads the files of the chosen hits, and emits them in pieces. Stops at the time `until`. */
  loadFiles(call: Omit<FilesCall, "kind" | "token">, context: TaskContext): Promise<FilesResponse> {
    // Files that were loaded early need not be part of the result.
    this.#piece.restart();
    const { maxResponseBytes } = this.#call.limits;
    const loader = { ...this.#loader, window: this.#window, maxResponseBytes };
    return loadFiles(loader, this.#evaluations, call, context);
  }

  /** Releases the memory of the ranges. Call this when no more files will be loaded. */
  release(): void {
    for (const { evaluation } of this.#evaluations.splice(0)) evaluation.ranges.release();
  }

  /** Whether to skip the remaining shards. With `isWhole`, the match limit does not apply. */
  #mustStop(isWhole: boolean): boolean {
    if (this.#context.isCanceled() || this.#reason === "BYTE_LIMIT") return true;
    if (monotonicNow() >= this.#call.limits.deadline) {
      this.#reason = "TIME_LIMIT";
      return true;
    }
    return !isWhole && this.#limitedMatchCount >= this.#call.limits.maxMatches;
  }

  /** Whether the result will not contain matches of a shard, because workers have found enough in earlier ones. */
  #isBeyondLimit({ order }: OpenShard): boolean {
    if (this.#found === undefined || isDefinitionLayer(order)) return false;
    return this.#found.before(order) >= this.#call.limits.maxMatches;
  }

  #output(): EvaluationOutput {
    if (this.#groups === undefined) return this.#call.limits.maxDisplayedMatches === 0 ? "totals" : "hits";
    return this.#groups.needsRanges ? "ranges" : "counts";
  }

  /** The last view of a shard need not look for the phrase if the view with the phrase did. */
  #phraseMode(
    { reader }: ShardView,
    isDefining: boolean,
    isRequired: boolean,
  ): "required" | "optional" | "ignored" {
    if (isRequired) return "required";
    if (this.#call.phrase === undefined) return "ignored";
    return !isDefining && this.#searchedForPhrase.has(reader) ? "ignored" : "optional";
  }

  /** Evaluates one shard completely. If it is damaged, records that and drops its hits. */
  async #evaluate(shard: OpenShard, evaluation: ShardEvaluation, isCoveredLater: boolean): Promise<void> {
    try {
      const mayMatch = await this.#prepare(evaluation);
      if (mayMatch === undefined) return;
      if (!mayMatch) {
        this.#shardsFiltered++;
        return;
      }
      this.#shardsScanned++;
      this.#evaluations.push({ shard, evaluation, isCoveredLater });
      await this.#stepThrough(shard, evaluation);
      evaluation.cacheCandidates();
      this.#matchCount += evaluation.matchCount;
      this.#limitedMatchCount += evaluation.limitedMatchCount;
      this.#found?.add(shard.order, evaluation.limitedMatchCount);
      this.#groups?.commit();
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      this.#damaged.add(damagedFileOf(shard));
      this.#groups?.discard();
      this.#early.abandon();
      if (this.#evaluations.at(-1)?.evaluation === evaluation) this.#evaluations.pop();
    }
  }

  /** Returns whether the shard may contain matches, or undefined if paths and names could not be searched in time. */
  async #prepare(evaluation: ShardEvaluation): Promise<boolean | undefined> {
    let mayMatch = false;
    const prepare = (mode: "backtracking" | "linear") => () => {
      mayMatch = evaluation.prepare(mode);
    };
    if (this.#compiled.isSafe) {
      prepare("backtracking")();
      return mayMatch;
    }
    if (
      this.#runaways < maxRunaways &&
      this.#runLimited(prepare("backtracking"), this.#backtrackingLimitMs())
    )
      return mayMatch;
    this.#countRunaway();
    if (this.#isTooSlow) return undefined;
    await this.#emitDue();
    await nextTurn();
    if (this.#runLimited(prepare("linear"), this.#linearLimitMs())) return mayMatch;
    this.#abandonLinear();
    return undefined;
  }

  async #stepThrough(shard: OpenShard, evaluation: ShardEvaluation): Promise<void> {
    const loadEarly = this.#early.loaderOf(shard, evaluation);
    let shown = 0;
    for (;;) {
      const sliceEnd = performance.now() + sliceMs;
      const isExpired = () =>
        performance.now() >= sliceEnd || this.#context.isCanceled() || this.#isBeyondLimit(shard);
      let done: boolean | undefined;
      do {
        done = this.#step(evaluation, isExpired, loadEarly);
        if (done === undefined) {
          await this.#retryRunaway(evaluation);
          if (this.#isTooSlow) return;
        }
        while (loadEarly()) await this.#emitPiece();
      } while (done === false && this.#early.isLoading && !isExpired());
      await this.#countGroups(shard, evaluation);
      if (this.#call.isStreamed) shown = await this.#stream(shard, evaluation, shown);
      if (done === true || this.#isBeyondLimit(shard)) return;
      await nextTurn();
      this.#window.invalidate();
      if (this.#context.isCanceled() || this.#reason === "BYTE_LIMIT") return;
      if (monotonicNow() >= this.#call.limits.deadline) {
        this.#reason = "TIME_LIMIT";
        return;
      }
    }
  }

  /** Adds the documents of the last step to their groups, in time slices. */
  async #countGroups(shard: OpenShard, evaluation: ShardEvaluation): Promise<void> {
    if (this.#groups === undefined) return;
    let sliceEnd = performance.now() + sliceMs;
    for (const _ of this.#groups.add(shard, evaluation.takeCounted())) {
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      this.#window.invalidate();
      if (this.#context.isCanceled()) return;
      if (monotonicNow() >= this.#call.limits.deadline) {
        this.#reason = "TIME_LIMIT";
        return;
      }
      sliceEnd = performance.now() + sliceMs;
    }
  }

  /** Returns whether the evaluation is complete, or undefined if an expression exceeded its time limit. */
  #step(
    evaluation: ShardEvaluation,
    isExpired: () => boolean,
    loadEarly: () => boolean,
  ): boolean | undefined {
    if (this.#compiled.isSafe) {
      // The text of a document is still in memory when its file is loaded.
      const onHit = this.#early.isLoading ? loadEarly : undefined;
      return this.#countLoaded(() => evaluation.step("backtracking", isExpired, onHit));
    }
    const isLinear = this.#call.lane === "slow" && this.#runaways >= maxRunaways;
    let done: boolean | undefined;
    const limit = isLinear ? sliceMs + this.#linearLimitMs() : this.#backtrackingLimitMs();
    const ended = this.#countLoaded(() =>
      this.#runLimited(() => {
        done = evaluation.step(isLinear ? "linear" : "backtracking", isExpired);
      }, limit),
    );
    return ended ? done : undefined;
  }

  /**
   * Runs something under a time limit; returns whether it has ended. In the slow lane, where a runaway may cost matches,
   * the limit is processor time.
   */
  #runLimited(run: () => void, limitMs: number): boolean {
    if (this.#call.lane === "fast") return runWithTimeout(run, limitMs);
    const runOrRepeat = () => {
      // An interrupted run may have left it incomplete.
      this.#window.invalidate();
      run();
    };
    return runWithProcessorLimit(runOrRepeat, limitMs, this.#call.limits.deadline - monotonicNow());
  }

  #countLoaded<Result>(run: () => Result): Result {
    const before = this.#window.bytesLoaded;
    try {
      return run();
    } finally {
      this.#bytesLoaded += this.#window.bytesLoaded - before;
    }
  }

  /** Uses the linear engine for a document that took too long. Skips the document if that takes too long as well. */
  async #retryRunaway(evaluation: ShardEvaluation): Promise<void> {
    this.#window.invalidate();
    this.#countRunaway();
    if (this.#isTooSlow) return;
    await this.#emitDue();
    await nextTurn();
    if (
      this.#runaways <= maxRunaways &&
      this.#runLimited(() => evaluation.evaluateCurrent("linear"), this.#linearLimitMs())
    )
      return;
    this.#abandonLinear();
    evaluation.skipCurrent();
  }

  #countRunaway(): void {
    this.#runaways++;
    this.#isTooSlow = this.#call.lane === "fast" && this.#runaways >= maxRunaways;
  }

  #backtrackingLimitMs(): number {
    return sliceMs + graceMs[this.#call.lane];
  }

  #linearLimitMs(): number {
    return Math.max(1, Math.min(linearMs[this.#call.lane], this.#call.limits.deadline - monotonicNow()));
  }

  #abandonLinear(): void {
    this.#window.invalidate();
    this.#reason = "TIME_LIMIT";
    if (this.#call.lane === "fast") this.#isTooSlow = true;
  }

  /** Emits the files of the hits from index `from` on, in pieces, and returns the index where it stopped. */
  async #stream(shard: OpenShard, evaluation: ShardEvaluation, from: number): Promise<number> {
    const piece = this.#piece;
    const { maxDisplayedMatches, maxMatchesPerFile, maxResponseBytes } = this.#call.limits;
    const maxPerFile = maxMatchesPerFile ?? Number.POSITIVE_INFINITY;
    let at = from;
    for (; at < evaluation.hits.length && this.#shownMatches < maxDisplayedMatches; at++) {
      const maxRanges = Math.min(maxDisplayedMatches - this.#shownMatches, maxPerFile);
      if (!loadHit(this.#loader, { shard, evaluation }, at, maxRanges)) continue;
      if (piece.totalBytes > maxResponseBytes) {
        piece.dropLast();
        this.#reason = "BYTE_LIMIT";
        break;
      }
      this.#shownMatches += Math.min(evaluation.hits.matchCount(at), maxPerFile);
      if (piece.byteCount < pieceBytes) continue;
      await this.#emitPiece();
      if (this.#context.isCanceled()) break;
    }
    await this.#emitDue();
    return at;
  }

  /** Emits the collected files if they are many, or if none were emitted for a time slice. */
  async #emitDue(): Promise<void> {
    if (!this.#call.isStreamed) return;
    const hasWaited = performance.now() - this.#emittedAt >= sliceMs;
    if (hasWaited || this.#piece.fileCount > fewFiles) await this.#emitPiece();
  }

  async #emitPiece(): Promise<void> {
    if (this.#piece.fileCount === 0) return;
    const taken = this.#piece.take();
    await this.#context.emit(taken, transferOf(taken));
    this.#window.invalidate();
    this.#emittedAt = performance.now();
  }

  #flushReason(): FlushReason {
    if (this.#damaged.size > 0) return "SHARD_DAMAGED";
    if (this.#reason !== "NONE") return this.#reason;
    if (this.#hasPendingSymbols || this.#groups?.hasPendingSymbols === true) return "INDEXING";
    return this.#hasUnreadableFiles || this.#counts.filesMissing > 0 ? "ENGINE_PARTIAL" : "NONE";
  }

  #response(searchMs: number): SearchResponse {
    const hits = this.#evaluations.map(({ shard, evaluation }) =>
      columnsOf(shard, evaluation, this.#call.isStreamed),
    );
    const unfinished = this.#evaluations.some(
      ({ evaluation, isCoveredLater }) => !isCoveredLater && !evaluation.isFinished,
    );
    return {
      kind: "hits",
      token: 0,
      hits,
      loadedCount: 0,
      isTruncated: unfinished || this.#shardsSkipped > 0,
      damagedFiles: [...this.#damaged],
      groups: this.#groups?.columns(),
      stats: {
        ...noStats,
        ...this.#counts,
        totalMatchCount: this.#matchCount,
        fileCount: hits.reduce((sum, shard) => sum + shard.fileCount, 0),
        contentBytesLoaded: this.#bytesLoaded,
        crashes: this.#damaged.size,
        shardFilesConsidered: this.#shardsScanned + this.#shardsFiltered,
        shardsScanned: this.#shardsScanned,
        shardsSkipped: this.#shardsSkipped,
        shardsSkippedFilter: this.#shardsFiltered,
        matchTreeConstruction: Math.round(this.#compileMs * 1e6),
        matchTreeSearch: Math.round(searchMs * 1e6),
        flushReason: this.#flushReason(),
      },
    };
  }
}

function columnsOf(shard: OpenShard, evaluation: ShardEvaluation, isStreamed: boolean): ShardHits {
  const hits = isStreamed ? new HitList() : evaluation.hits;
  const { matchCount, limitedMatchCount, fileCount, phraseMatchCount } = evaluation;
  const { order } = shard;
  return { order, matchCount, limitedMatchCount, fileCount, phraseMatchCount, ...hits.columns() };
}
