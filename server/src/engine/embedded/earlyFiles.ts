import { monotonicNow } from "#platform/clock";
import type { Limits } from "#query/limits";
import type { ShardEvaluation } from "#shard/evaluation/evaluate";
import { type FileLoader, loadHit, pieceBytes } from "./loadFiles";
import type { SearchedView } from "./searchedViews";
import type { SearchCall } from "./searchMessages";
import type { OpenShard } from "./shardSet";

/** The share of the time until the deadline that may pass before loading stops, so that the other hits are found in time. */
const timeShare = 0.5;
const filesPerClockRead = 16;
/**
 * The number of matches is estimated once files with this share of `maxEarlyMatches` are loaded, and only within this share of
 * the documents. The first documents of a shard are the best, and contain more matches than others, so that an estimate is
 * up to twice too high.
 */
const estimate = { minMatches: 0.05, maxDocuments: 0.125, maxError: 2 };

/**
 * Loads the files of a search's hits while it finds them, and their text is in memory. Stops if that takes too long: the files
 * of the other hits are then requested. Abandons them if the result would not contain most of them.
 */
export class EarlyFiles {
  readonly #loader: Pick<FileLoader, "piece" | "damaged">;
  readonly #limits: Limits;
  readonly #maxMatches: number;
  readonly #until: number;
  /** The documents of all shards, and of those that were searched completely. */
  #documentCount = 0;
  #searchedCount = 0;
  #matchCount = 0;
  /** The number of hits, from the first on, whose files were loaded. */
  count = 0;
  /** Whether the files of the next hits are to be loaded. */
  isLoading: boolean;
  isAbandoned = false;

  constructor(
    loader: Pick<FileLoader, "piece" | "damaged">,
    { limits, maxEarlyMatches = 0 }: Pick<SearchCall, "limits" | "maxEarlyMatches">,
  ) {
    this.#loader = loader;
    this.#limits = limits;
    this.#maxMatches = maxEarlyMatches;
    this.#until = performance.now() + (limits.deadline - monotonicNow()) * timeShare;
    this.isLoading = maxEarlyMatches > 0;
  }

  /** Call this with all views, before the first is searched. */
  begin(views: readonly SearchedView[]): void {
    this.#documentCount = views.reduce((sum, view) => sum + documentCountOf(view), 0);
  }

  /** Call this after a view was searched. */
  addSearched(view: SearchedView): void {
    this.#searchedCount += documentCountOf(view);
  }

  /** Returns a function that loads the files of new hits. It returns true when the piece must be emitted before it goes on. */
  loaderOf(shard: OpenShard, evaluation: ShardEvaluation): () => boolean {
    const { piece } = this.#loader;
    const { hits } = evaluation;
    let next = 0;
    return () => {
      while (this.isLoading && next < hits.length && piece.byteCount < pieceBytes)
        this.#loadNext(shard, evaluation, next++);
      return this.isLoading && piece.byteCount >= pieceBytes;
    };
  }

  #loadNext(shard: OpenShard, evaluation: ShardEvaluation, at: number): void {
    const { piece } = this.#loader;
    const { maxDisplayedMatches, maxMatchesPerFile, maxResponseBytes } = this.#limits;
    const maxRanges = Math.min(maxDisplayedMatches, maxMatchesPerFile ?? Number.POSITIVE_INFINITY);
    if (!loadHit(this.#loader, { shard, evaluation }, at, maxRanges)) piece.addMissing();
    this.count++;
    this.#matchCount += Math.min(evaluation.hits.matchCount(at), maxRanges);
    // The best files of a result that is too large are not the first ones.
    if (piece.totalBytes > maxResponseBytes || this.#willExceed(evaluation)) this.abandon();
    else if (this.#matchCount > maxDisplayedMatches || this.#isLate()) this.isLoading = false;
  }

  #isLate(): boolean {
    const readsClock = this.count % filesPerClockRead === 0 || this.#loader.piece.byteCount >= pieceBytes;
    return readsClock && performance.now() >= this.#until;
  }

  /** Drops what was loaded: all files will have to be requested. */
  abandon(): void {
    this.isAbandoned = true;
    if (!this.isLoading && this.count === 0) return;
    this.isLoading = false;
    this.count = 0;
    this.#loader.piece.restart();
  }

  /** Whether the search will probably find too many matches, estimated from its first documents. */
  #willExceed({ current }: ShardEvaluation): boolean {
    if (this.#matchCount < estimate.minMatches * this.#maxMatches) return false;
    const share = (this.#searchedCount + current) / this.#documentCount;
    return share < estimate.maxDocuments && this.#matchCount > estimate.maxError * share * this.#maxMatches;
  }
}

/** Other views of a shard contain only some of its documents. */
function documentCountOf({ view, isDefining, remaining }: SearchedView): number {
  return isDefining || remaining !== undefined ? 0 : view.reader.meta.documentCount;
}
