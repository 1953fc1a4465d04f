import { setImmediate as nextTurn } from "node:timers/promises";
import { isServiceError } from "#base/error";
import { type FlushReason, noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { runWithTimeout } from "#platform/runWithTimeout";
import type { TaskContext } from "#platform/serveTask";
import { type CompiledSearch, compileQuery, namesRevision } from "#shard/evaluation/compile";
import {
  type CompiledDescription,
  compileDescription,
  DescriptionEvaluation,
} from "#shard/evaluation/descriptionEvaluation";
import { newEvaluationCounts } from "#shard/evaluation/evaluate";
import type { TextWindow } from "#shard/format/window";
import { type DescriptionWeights, weightsOf } from "#shard/matches/descriptionScore";
import { BestDocuments, maxDocuments } from "./bestDocuments";
import { PieceBuilder } from "./fileMatch";
import { loadFiles, sliceMs } from "./loadFiles";
import type { SearchedShards, SearchScope } from "./searchedViews";
import type {
  DescriptionCall,
  EstimateCall,
  EstimatesResponse,
  FilesCall,
  FilesResponse,
  FrequenciesResponse,
  RankCall,
  SearchResponse,
  ShardHits,
} from "./searchMessages";
import { damagedFileOf, hasPendingSymbols } from "./shardGaps";
import { isPreferred, type OpenShard, type ShardSet } from "./shardSet";

/** Each worker reads about this many blocks for each stem to estimate how often it occurs. */
const sampledBlocks = 48;
/** Time limit of one document, or the paths of one shard, if filters contain expressions that may take long. */
const linearMs = 200;

interface DescribedShard {
  readonly shard: OpenShard;
  readonly evaluation: DescriptionEvaluation;
}

/** Returns what a search for a description covers. The order of shards does not matter. */
export function scopeOfDescription({ search }: DescriptionCall): SearchScope {
  return {
    hasRevision: namesRevision(search.query),
    repositories: search.repositories,
    unsaved: search.unsaved,
    searchesUnsaved: search.searchesUnsaved,
    preferred: search.preferred,
    names: [],
    hasPhrase: false,
  };
}

/**
 * Runs one search for a description on one worker, in steps, because the weight of a word and which documents are the
 * best ones depend on the shards of all workers:
 *
 * - `count` prepares the worker's shards, and counts how many blocks may contain each word.
 * - `estimate` estimates how well each document fits.
 * - `rank` reads the documents with the best estimates, and scores them.
 *
 * `loadFiles` then loads the files of the hits that the main thread has chosen.
 */
export class DescriptionSearch {
  readonly #call: DescriptionCall;
  readonly #window: TextWindow;
  readonly #damaged: Set<string>;
  readonly #hasUnreadableFiles: boolean;
  readonly #counts = newEvaluationCounts();
  readonly #compiled: CompiledSearch;
  readonly #described: CompiledDescription;
  readonly #piece: PieceBuilder;
  #shards: readonly DescribedShard[] = [];
  readonly #best = new BestDocuments(maxDocuments);
  #weights: DescriptionWeights = { stems: [], sum: 0 };
  /** Damaged shards, whose hits do not count. */
  readonly #dropped = new Set<OpenShard>();
  #shardCount = 0;
  #bytesLoaded = 0;
  #hasPendingSymbols = false;
  /** Whether shards or documents were skipped because they would have taken too long. */
  #isLate = false;

  constructor(set: Pick<ShardSet, "snapshot">, window: TextWindow, call: DescriptionCall) {
    this.#call = call;
    this.#window = window;
    const { damagedFiles, hasUnreadableFiles } = set.snapshot;
    this.#damaged = new Set(damagedFiles);
    this.#hasUnreadableFiles = hasUnreadableFiles;
    this.#compiled = compileQuery(call.search.query, window.kernels);
    this.#described = compileDescription(call.description, window);
    this.#piece = new PieceBuilder(
      window,
      this.#compiled,
      call.search.limits,
      call.search.acceptsPacked === true,
    );
  }

  async count({ views, damagedFiles }: SearchedShards, context: TaskContext): Promise<FrequenciesResponse> {
    for (const file of damagedFiles) this.#damaged.add(file);
    const found: DescribedShard[] = [];
    const sums = this.#call.description.stems.map(() => 0);
    let blockCount = 0;
    const slice = this.#slice(context, this.#call.until);
    for (const { shard, view } of views) {
      if (!(await slice())) break;
      this.#hasPendingSymbols ||= this.#compiled.dependsOnSymbols && hasPendingSymbols(view);
      this.#shardCount++;
      const evaluation = new DescriptionEvaluation(view, this.#compiled, this.#described, {
        window: this.#window,
        counts: this.#counts,
        // Only the filters contain expressions, and few documents are read.
        mode: this.#compiled.isSafe ? "backtracking" : "linear",
        isPreferred: (document) => isPreferred(this.#call.search.preferred, shard, document),
      });
      this.#guard(shard, () => {
        if (!this.#run(() => evaluation.prepare())) return;
        const frequencies = evaluation.frequencies();
        blockCount += frequencies.blockCount;
        for (const [stem, count] of frequencies.counts.entries()) sums[stem] = (sums[stem] ?? 0) + count;
        found.push({ shard, evaluation });
      });
    }
    this.#shards = found;
    const counts: number[] = [];
    for (const [stem, sum] of sums.entries())
      counts.push(Math.round(sum * (await this.#containingShare(stem, sum, slice))));
    return { kind: "frequencies", token: 0, blockCount, counts };
  }

  /**
   * Estimates the share of the `count` blocks that may contain a stem, and do contain it, by reading some of them, evenly
   * spread over the shards, until the time for counting is up.
   */
  async #containingShare(stem: number, count: number, slice: () => Promise<boolean>): Promise<number> {
    const step = Math.max(1, Math.ceil(count / sampledBlocks));
    let seen = 0;
    let read = 0;
    let found = 0;
    for (const { shard, evaluation } of this.#shards) {
      if (!(await slice())) break;
      this.#guard(shard, () => {
        const sample = evaluation.sample(stem, step, seen);
        seen += sample.seen;
        read += sample.read;
        found += sample.found;
      });
    }
    return read === 0 ? 1 : found / read;
  }

  async estimate(
    { blockCount, counts, until }: EstimateCall,
    context: TaskContext,
  ): Promise<EstimatesResponse> {
    this.#weights = weightsOf(blockCount, counts);
    const slice = this.#slice(context, until);
    for (const [number, { shard, evaluation }] of this.#shards.entries()) {
      if (!(await slice())) break;
      this.#guard(shard, () =>
        evaluation.estimate(this.#weights, (document, score) => this.#best.add(number, document, score)),
      );
    }
    return { kind: "estimates", token: 0, scores: this.#best.scores() };
  }

  async rank({ documentCount }: RankCall, context: TaskContext): Promise<SearchResponse> {
    const slice = this.#slice(context, this.#call.search.limits.deadline);
    for (const { shard: number, document } of this.#best.inOrder(documentCount)) {
      if (!(await slice())) break;
      const { shard, evaluation } = this.#shards[number] ?? {};
      if (shard !== undefined)
        this.#guard(shard, () => this.#run(() => evaluation?.evaluate(document, this.#weights)));
    }
    const isComplete = this.#best.isComplete && this.#shards.every(({ evaluation }) => evaluation.isComplete);
    return this.#response(isComplete);
  }

  loadFiles(call: Omit<FilesCall, "kind" | "token">, context: TaskContext): Promise<FilesResponse> {
    const { maxResponseBytes } = this.#call.search.limits;
    const loader = { piece: this.#piece, window: this.#window, damaged: this.#damaged, maxResponseBytes };
    return loadFiles(loader, this.#shards, call, context);
  }

  /** Releases the memory of the ranges. Call this when no more files will be loaded. */
  release(): void {
    for (const { evaluation } of this.#shards) evaluation.ranges.release();
  }

  /**
   * Runs something that filters of the query may slow down. If it takes too long, interrupts it, skips it, and returns
   * undefined.
   */
  #run<Result>(run: () => Result): Result | undefined {
    if (this.#compiled.isSafe) return run();
    let result: Result | undefined;
    const isDone = runWithTimeout(() => {
      result = run();
    }, linearMs);
    if (isDone) return result;
    this.#isLate = true;
    this.#window.invalidate();
    return undefined;
  }

  /**
   * Returns a function that yields to other searches after a time slice. It returns false once the search must stop: it
   * is canceled, or the time `until` has passed.
   */
  #slice(context: TaskContext, until: number): () => Promise<boolean> {
    let sliceEnd = performance.now() + sliceMs;
    return async () => {
      if (performance.now() >= sliceEnd) {
        await nextTurn();
        this.#window.invalidate();
        sliceEnd = performance.now() + sliceMs;
      }
      if (monotonicNow() < until) return !context.isCanceled();
      this.#isLate = true;
      return false;
    };
  }

  /** Records damage of a shard, and drops its documents. */
  #guard(shard: OpenShard, run: () => void): void {
    const before = this.#window.bytesLoaded;
    try {
      run();
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      this.#damaged.add(damagedFileOf(shard));
      this.#dropped.add(shard);
    } finally {
      this.#bytesLoaded += this.#window.bytesLoaded - before;
    }
  }

  #flushReason(): FlushReason {
    if (this.#damaged.size > 0) return "SHARD_DAMAGED";
    if (this.#isLate) return "TIME_LIMIT";
    if (this.#hasPendingSymbols) return "INDEXING";
    return this.#hasUnreadableFiles || this.#counts.filesMissing > 0 ? "ENGINE_PARTIAL" : "NONE";
  }

  #response(isComplete: boolean): SearchResponse {
    const { maxMatchesPerFile } = this.#call.search.limits;
    const hits = this.#shards.map((each) =>
      columnsOf(each, this.#dropped.has(each.shard), maxMatchesPerFile),
    );
    const stats = { ...noStats, ...this.#counts };
    return {
      kind: "hits",
      token: 0,
      hits,
      loadedCount: 0,
      isTruncated: !isComplete,
      damagedFiles: [...this.#damaged],
      stats: {
        ...stats,
        totalMatchCount: hits.reduce((sum, { matchCount }) => sum + matchCount, 0),
        fileCount: hits.reduce((sum, { fileCount }) => sum + fileCount, 0),
        contentBytesLoaded: this.#bytesLoaded,
        crashes: this.#damaged.size,
        shardFilesConsidered: this.#shardCount,
        shardsScanned: this.#shards.length,
        shardsSkippedFilter: this.#shardCount - this.#shards.length,
        flushReason: this.#flushReason(),
      },
    };
  }
}

function columnsOf(
  { shard, evaluation }: DescribedShard,
  isDropped: boolean,
  maxMatchesPerFile = Number.POSITIVE_INFINITY,
): ShardHits {
  const hits = isDropped ? [] : evaluation.hits;
  return {
    order: shard.order,
    matchCount: hits.reduce((sum, hit) => sum + hit.matchCount, 0),
    limitedMatchCount: hits.reduce((sum, hit) => sum + Math.min(hit.matchCount, maxMatchesPerFile), 0),
    fileCount: hits.length,
    phraseMatchCount: 0,
    documents: Uint32Array.from(hits, (hit) => hit.document),
    scores: Float64Array.from(hits, (hit) => hit.score),
    matchCounts: Uint32Array.from(hits, (hit) => hit.matchCount),
  };
}
