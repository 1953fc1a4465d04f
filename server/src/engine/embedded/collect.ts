import { type Chunk, decodeChunks, encodeChunks, type FileMatch } from "#model/match";
import type { Limits } from "#query/limits";
import type { FilePicks, SearchResponse, ShardHits } from "./searchMessages";
import { compareOrder, isDefinitionLayer } from "./searchOrder";

/** This many hits of each worker are loaded in the order of their ranks, the others in batches. */
const loadedByRank = 1000;

/** The hits of one worker that are part of the result, in the order in which their files are loaded. */
export interface ChosenHits extends FilePicks {
  /** Position of each in the result; 0 is the best. */
  readonly ranks: Uint32Array;
}

export interface Chosen {
  /** By response. */
  readonly hits: readonly ChosenHits[];
  readonly totalMatchCount: number;
  /** `totalMatchCount`, but of each document at most `maxMatchesPerFile`. */
  readonly limitedMatchCount: number;
  readonly fileCount: number;
  readonly phraseMatchCount: number;
}

/**
 * Chooses the best hits of all workers.
 *
 * Each worker stops when it has enough hits, so how far it gets depends on which shards it owns. The result must not
 * depend on that: matches are counted in the search order of the shards, and shards after the one that reaches the
 * limit are dropped. The layers of definitions are always counted.
 */
export function chooseHits(responses: readonly SearchResponse[], limits: Limits): Chosen {
  const shards = responses
    .flatMap((response, index) => response.hits.map((hits, shard) => ({ response: index, shard, hits })))
    .sort((left, right) => compareOrder(left.hits.order, right.hits.order));
  const ranking = new HitRanking();
  const maxPerFile = limits.maxMatchesPerFile ?? Number.POSITIVE_INFINITY;
  let totalMatchCount = 0;
  let limitedMatchCount = 0;
  let fileCount = 0;
  let phraseMatchCount = 0;
  for (const ranked of shards) {
    const { hits } = ranked;
    if (limitedMatchCount >= limits.maxMatches && !isDefinitionLayer(hits.order)) continue;
    totalMatchCount += hits.matchCount;
    limitedMatchCount += hits.limitedMatchCount;
    fileCount += hits.fileCount;
    phraseMatchCount += hits.phraseMatchCount;
    ranking.add(ranked);
  }
  const chosen = responses.map(() => new PickList());
  let remaining = limits.maxDisplayedMatches;
  let rank = 0;
  for (const { from, hits } of ranking.bestFirst()) {
    const { matchCounts } = from.hits;
    for (const hit of hits) {
      if (remaining <= 0) break;
      const matchCount = Math.min(matchCounts[hit] ?? 0, maxPerFile);
      chosen[from.response]?.push(from.shard, hit, Math.min(matchCount, remaining), rank++);
      remaining -= matchCount;
    }
  }
  const picks = chosen.map((list) => list.columns());
  return { hits: picks, totalMatchCount, limitedMatchCount, fileCount, phraseMatchCount };
}

/** The hits of one view of a shard. */
interface RankedShard {
  readonly response: number;
  /** Index in the response. */
  readonly shard: number;
  readonly hits: ShardHits;
}

/** Consecutive hits with the same score, by their index. */
interface HitRun {
  readonly from: RankedShard;
  readonly hits: number[];
}

/**
 * Orders hits by descending score, then in search order: by view of a shard, then by document. Groups them by score
 * instead of comparing them, because there may be a hundred thousand, with few different scores.
 */
class HitRanking {
  /** By score, in search order. */
  readonly #groups = new Map<number, HitRun[]>();

  /** Adds the hits of the next shard in search order. */
  add(from: RankedShard): void {
    const { documents, scores } = from.hits;
    for (const hit of inDocumentOrder(documents)) {
      const score = scores[hit] ?? 0;
      const runs = this.#groups.get(score);
      const last = runs?.at(-1);
      if (runs === undefined) this.#groups.set(score, [{ from, hits: [hit] }]);
      else if (last?.from === from) last.hits.push(hit);
      else runs.push({ from, hits: [hit] });
    }
  }

  *bestFirst(): Generator<HitRun> {
    const scores = Float64Array.from(this.#groups.keys()).sort().reverse();
    for (const score of scores) yield* this.#groups.get(score) ?? [];
  }
}

/** Returns the indexes of `documents` in ascending order of their values, which they mostly have already. */
function inDocumentOrder(documents: Uint32Array): Iterable<number> {
  let isAscending = true;
  for (let at = 1; at < documents.length && isAscending; at++)
    isAscending = (documents[at - 1] ?? 0) <= (documents[at] ?? 0);
  if (isAscending) return documents.keys();
  return [...documents.keys()].sort((left, right) => (documents[left] ?? 0) - (documents[right] ?? 0));
}

class PickList {
  readonly #shards: number[] = [];
  readonly #hits: number[] = [];
  readonly #maxRanges: number[] = [];
  readonly #ranks: number[] = [];

  push(shard: number, hit: number, maxRanges: number, rank: number): void {
    this.#shards.push(shard);
    this.#hits.push(hit);
    this.#maxRanges.push(maxRanges);
    this.#ranks.push(rank);
  }

  columns(): ChosenHits {
    const order = this.#loadingOrder();
    const inOrder = (column: readonly number[]) => order.map((at) => column[at] ?? 0);
    return {
      shards: inOrder(this.#shards),
      hits: inOrder(this.#hits),
      maxRanges: inOrder(this.#maxRanges),
      ranks: inOrder(this.#ranks),
    };
  }

  /**
   * The best hits come first, then batches of the others, each twice as large as the one before and in the order of the
   * text, so that it is read in long runs. If loading stops early, any hits of the last batch may be missing.
   */
  #loadingOrder(): Uint32Array {
    const { keys, keyCount } = this.#keys();
    const pickOf = new Uint32Array(keyCount);
    for (let at = 0; at < keys.length; at++) pickOf[keys[at] ?? 0] = at;
    // Numbers are sorted much faster without a function that compares them.
    for (let at = loadedByRank; at < keys.length; at *= 2) keys.subarray(at, 2 * at).sort();
    return keys.map((key) => pickOf[key] ?? 0);
  }

  /** Numbers the picks in the order of the text. */
  #keys(): { readonly keys: Uint32Array; readonly keyCount: number } {
    const hitCounts: number[] = [];
    for (const [at, shard] of this.#shards.entries())
      hitCounts[shard] = Math.max(hitCounts[shard] ?? 0, (this.#hits[at] ?? 0) + 1);
    let keyCount = 0;
    const firstKeys = Array.from(hitCounts, (count = 0) => {
      keyCount += count;
      return keyCount - count;
    });
    const keys = Uint32Array.from(this.#hits, (hit, at) => (firstKeys[this.#shards[at] ?? 0] ?? 0) + hit);
    return { keys, keyCount };
  }
}

/** Cuts a file down to its first `remaining` match ranges. */
export function truncateFile(file: FileMatch, remaining: number): FileMatch {
  if (file.rangeCount <= remaining) return file;
  const cut = { ...file, rangeCount: remaining };
  if (file.nameRanges.length > 0) return { ...cut, nameRanges: file.nameRanges.slice(0, remaining) };
  const chunks: Chunk[] = [];
  let left = remaining;
  for (const chunk of decodeChunks(file)) {
    if (left <= 0) break;
    chunks.push(
      chunk.matchRanges.length <= left ? chunk : { ...chunk, matchRanges: chunk.matchRanges.slice(0, left) },
    );
    left -= chunk.matchRanges.length;
  }
  return { ...cut, chunks: encodeChunks(chunks) };
}
