import { type Chunk, decodeChunks, encodeChunks, type FileMatch } from "#model/match";
import type { Limits } from "#query/limits";
import type { FilePick, SearchResponse } from "./searchMessages";
import { compareOrder, isDefinitionLayer, type ShardOrder } from "./searchOrder";

/** A hit that is part of the result. */
export interface ChosenHit extends FilePick {
  /** Index of the worker's response that contains the hit. */
  readonly response: number;
  /** Position in the result; 0 is the best. */
  readonly rank: number;
}

export interface Chosen {
  /** Best first. */
  readonly hits: readonly ChosenHit[];
  readonly totalMatchCount: number;
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
  const candidates: Candidate[] = [];
  let totalMatchCount = 0;
  let fileCount = 0;
  let phraseMatchCount = 0;
  for (const { response, shard, hits } of shards) {
    if (totalMatchCount >= limits.maxMatches && !isDefinitionLayer(hits.order)) continue;
    totalMatchCount += hits.matchCount;
    fileCount += hits.fileCount;
    phraseMatchCount += hits.phraseMatchCount;
    for (const [hit, document] of hits.documents.entries()) {
      const score = hits.scores[hit] ?? 0;
      candidates.push({
        response,
        shard,
        hit,
        score,
        document,
        order: hits.order,
        matchCount: hits.matchCounts[hit] ?? 0,
      });
    }
  }
  candidates.sort(
    (left, right) =>
      right.score - left.score || compareOrder(left.order, right.order) || left.document - right.document,
  );
  const chosen: ChosenHit[] = [];
  let remaining = limits.maxDisplayedMatches;
  for (const { response, shard, hit, matchCount } of candidates) {
    if (remaining <= 0) break;
    chosen.push({ response, shard, hit, maxRanges: Math.min(matchCount, remaining), rank: chosen.length });
    remaining -= matchCount;
  }
  return { hits: chosen, totalMatchCount, fileCount, phraseMatchCount };
}

interface Candidate {
  readonly response: number;
  readonly shard: number;
  readonly hit: number;
  readonly score: number;
  readonly document: number;
  readonly order: ShardOrder;
  readonly matchCount: number;
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
