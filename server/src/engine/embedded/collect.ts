import { type Chunk, decodeChunks, encodeChunks, type FileMatch } from "#model/match";
import { TimeSlice } from "#platform/timeSlice";
import type { Limits } from "#query/limits";
import type { FilePicks, SearchResponse, ShardHits } from "./searchMessages";
import { compareOrder, isDefinitionLayer } from "./searchOrder";

/** This many hits of each worker are loaded in the order of their ranks, the others in batches. */
const loadedByRank = 1000;
const hitsPerClockRead = 1024;

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
 *
 * Yields to other work when the slice has expired.
 */
export async function chooseHits(
  responses: readonly SearchResponse[],
  limits: Limits,
  slice: TimeSlice = new TimeSlice(),
): Promise<Chosen> {
  const shards = responses
    .flatMap((response, index) => response.hits.map((hits, shard) => ({ response: index, shard, hits })))
    .sort((left, right) => compareOrder(left.hits.order, right.hits.order));
  const counted: RankedShard[] = [];
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
    counted.push(ranked);
  }
  // Each hit has at least one match.
  const maxPicks = (hits: readonly ShardHits[]) => Math.min(countHits(hits), limits.maxDisplayedMatches);
  const chosen = responses.map(({ hits }) => new PickList(maxPicks(hits)));
  const { shardOf, hitOf, bestFirst } = await rankHits(counted, slice);
  let remaining = limits.maxDisplayedMatches;
  for (let rank = 0; rank < bestFirst.length && remaining > 0; rank++) {
    if (rank % hitsPerClockRead === 0) await slice.yieldIfExpired();
    const at = bestFirst[rank] ?? 0;
    const { response, shard, hits } = counted[shardOf[at] ?? 0] as RankedShard;
    const hit = hitOf[at] ?? 0;
    const matchCount = Math.min(hits.matchCounts[hit] ?? 0, maxPerFile);
    chosen[response]?.push(shard, hit, Math.min(matchCount, remaining), rank);
    remaining -= matchCount;
  }
  const picks: ChosenHits[] = [];
  for (const list of chosen) {
    picks.push(list.columns());
    await slice.yieldIfExpired();
  }
  return { hits: picks, totalMatchCount, limitedMatchCount, fileCount, phraseMatchCount };
}

/** The hits of one view of a shard. */
interface RankedShard {
  readonly response: number;
  /** Index in the response. */
  readonly shard: number;
  readonly hits: ShardHits;
}

/** Hits in search order: by view of a shard, then by document. */
interface RankedHits {
  /** The index of each hit's shard. */
  readonly shardOf: Uint32Array;
  /** The index of each hit in its shard. */
  readonly hitOf: Uint32Array;
  /** Indexes of the hits by descending score, then in search order. */
  readonly bestFirst: Uint32Array;
}

/** Ranks the hits of shards, which are in search order. There may be a hundred thousand, with few different scores. */
async function rankHits(shards: readonly RankedShard[], slice: TimeSlice): Promise<RankedHits> {
  const count = countHits(shards.map(({ hits }) => hits));
  const shardOf = new Uint32Array(count);
  const hitOf = new Uint32Array(count);
  const groups = new ScoreGroups(count);
  let at = 0;
  for (const [index, { hits }] of shards.entries()) {
    await slice.yieldIfExpired();
    const order = documentOrder(hits.documents);
    for (let next = 0; next < hits.documents.length; next++) {
      const hit = order === undefined ? next : (order[next] ?? 0);
      shardOf[at] = index;
      hitOf[at] = hit;
      groups.add(hits.scores[hit] ?? 0);
      at++;
    }
  }
  await slice.yieldIfExpired();
  return { shardOf, hitOf, bestFirst: groups.bestFirst() };
}

function countHits(shards: readonly ShardHits[]): number {
  return shards.reduce((sum, { documents }) => sum + documents.length, 0);
}

/** Sorts scores by counting how many are equal, which is faster than comparing them. */
class ScoreGroups {
  readonly #groupOf: Uint32Array;
  readonly #groups = new Map<number, number>();
  readonly #sizes: number[] = [];
  #length = 0;
  #lastScore = Number.NaN;
  #lastGroup = 0;

  constructor(count: number) {
    this.#groupOf = new Uint32Array(count);
  }

  add(score: number): void {
    if (score !== this.#lastScore) {
      this.#lastScore = score;
      this.#lastGroup = this.#groups.get(score) ?? this.#sizes.push(0) - 1;
      this.#groups.set(score, this.#lastGroup);
    }
    const group = this.#lastGroup;
    this.#groupOf[this.#length++] = group;
    this.#sizes[group] = (this.#sizes[group] ?? 0) + 1;
  }

  /** Returns the indexes of all scores, the highest first, and equal ones in the order in which they were added. */
  bestFirst(): Uint32Array {
    const starts = new Uint32Array(this.#sizes.length);
    let start = 0;
    for (const score of Float64Array.from(this.#groups.keys()).sort().reverse()) {
      const group = this.#groups.get(score) ?? 0;
      starts[group] = start;
      start += this.#sizes[group] ?? 0;
    }
    const order = new Uint32Array(this.#length);
    for (let at = 0; at < this.#length; at++) {
      const group = this.#groupOf[at] ?? 0;
      const next = starts[group] ?? 0;
      order[next] = at;
      starts[group] = next + 1;
    }
    return order;
  }
}

/** Returns the indexes of `documents` in ascending order of their values; undefined if they have this order. */
function documentOrder(documents: Uint32Array): readonly number[] | undefined {
  let at = 1;
  while (at < documents.length && (documents[at - 1] ?? 0) <= (documents[at] ?? 0)) at++;
  if (at >= documents.length) return undefined;
  return [...documents.keys()].sort((left, right) => (documents[left] ?? 0) - (documents[right] ?? 0));
}

/** The picks of one response, in columns. */
class PickList {
  readonly #shards: Uint32Array;
  readonly #hits: Uint32Array;
  readonly #maxRanges: Uint32Array;
  readonly #ranks: Uint32Array;
  #length = 0;

  constructor(maxLength: number) {
    this.#shards = new Uint32Array(maxLength);
    this.#hits = new Uint32Array(maxLength);
    this.#maxRanges = new Uint32Array(maxLength);
    this.#ranks = new Uint32Array(maxLength);
  }

  push(shard: number, hit: number, maxRanges: number, rank: number): void {
    const at = this.#length++;
    this.#shards[at] = shard;
    this.#hits[at] = hit;
    this.#maxRanges[at] = maxRanges;
    this.#ranks[at] = rank;
  }

  columns(): ChosenHits {
    const order = this.#loadingOrder();
    return {
      shards: reorder(this.#shards, order),
      hits: reorder(this.#hits, order),
      maxRanges: reorder(this.#maxRanges, order),
      ranks: reorder(this.#ranks, order),
    };
  }

  /**
   * The best hits come first, then batches of the others, each twice as large as the one before and in the order of the
   * text, so that it is read in long runs. If loading stops early, any hits of the last batch may be missing.
   */
  #loadingOrder(): Uint32Array {
    const { keys, keyCount } = this.#keys();
    const pickOf = new Int32Array(keyCount).fill(-1);
    for (let at = 0; at < keys.length; at++) pickOf[keys[at] ?? 0] = at;
    const order = new Uint32Array(keys.length);
    for (let at = 0; at < Math.min(loadedByRank, keys.length); at++) order[at] = at;
    // The next position in each batch.
    const positions = Array.from({ length: 32 }, (_, batch) => loadedByRank * 2 ** batch);
    for (const pick of pickOf) {
      if (pick < loadedByRank) continue;
      const batch = 31 - Math.clz32(pick / loadedByRank);
      const position = positions[batch] ?? 0;
      order[position] = pick;
      positions[batch] = position + 1;
    }
    return order;
  }

  /** Numbers the picks in the order of the text. */
  #keys(): { readonly keys: Uint32Array; readonly keyCount: number } {
    const hitCounts: number[] = [];
    for (let at = 0; at < this.#length; at++) {
      const shard = this.#shards[at] ?? 0;
      hitCounts[shard] = Math.max(hitCounts[shard] ?? 0, (this.#hits[at] ?? 0) + 1);
    }
    let keyCount = 0;
    const firstKeys = Array.from(hitCounts, (count = 0) => {
      keyCount += count;
      return keyCount - count;
    });
    const keys = new Uint32Array(this.#length);
    for (let at = 0; at < keys.length; at++)
      keys[at] = (firstKeys[this.#shards[at] ?? 0] ?? 0) + (this.#hits[at] ?? 0);
    return { keys, keyCount };
  }
}

function reorder(column: Uint32Array, order: Uint32Array): Uint32Array {
  const reordered = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at++) reordered[at] = column[order[at] ?? 0] ?? 0;
  return reordered;
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
