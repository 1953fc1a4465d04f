import type { Chunk, FileMatch } from "#model/match";
import type { Limits } from "#query/limits";
import { areDefiners, compareOrder, type Pick, type SearchAnswer, type ShardOrder } from "./task";

/** A hit that is to be shown. */
export interface ChosenHit extends Pick {
  /** Index of the answer that has it. */
  readonly answer: number;
  /** 0 is the best. */
  readonly rank: number;
}

export interface Chosen {
  /** Best first. */
  readonly hits: readonly ChosenHit[];
  readonly totalMatchCount: number;
  readonly fileCount: number;
}

/**
 * The best hits of all workers.
 *
 * Each worker stops by itself once it has enough, so how far they come depends on which worker has which shard. The
 * result must not: shards are counted in their order, and what lies behind the shard that fills the limit is dropped.
 */
export function chooseHits(answers: readonly SearchAnswer[], limits: Limits): Chosen {
  const shards = answers
    .flatMap((answer, index) => answer.hits.map((hits, shard) => ({ answer: index, shard, hits })))
    .sort((left, right) => compareOrder(left.hits.order, right.hits.order));
  const candidates: Candidate[] = [];
  let totalMatchCount = 0;
  let fileCount = 0;
  for (const { answer, shard, hits } of shards) {
    if (totalMatchCount >= limits.maxMatches && !areDefiners(hits.order)) continue;
    totalMatchCount += hits.matchCount;
    fileCount += hits.fileCount;
    for (const [hit, document] of hits.documents.entries()) {
      const score = hits.scores[hit] ?? 0;
      candidates.push({
        answer,
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
  let room = limits.maxDisplayedMatches;
  for (const { answer, shard, hit, matchCount } of candidates) {
    if (room <= 0) break;
    chosen.push({ answer, shard, hit, maxRanges: Math.min(matchCount, room), rank: chosen.length });
    room -= matchCount;
  }
  return { hits: chosen, totalMatchCount, fileCount };
}

interface Candidate {
  readonly answer: number;
  readonly shard: number;
  readonly hit: number;
  readonly score: number;
  readonly document: number;
  readonly order: ShardOrder;
  readonly matchCount: number;
}

export function shownRanges(file: FileMatch): number {
  return file.nameRanges.length + file.chunks.reduce((sum, chunk) => sum + chunk.matchRanges.length, 0);
}

/** The file with its first `room` ranges. */
export function cutFile(file: FileMatch, room: number): FileMatch {
  if (shownRanges(file) <= room) return file;
  if (file.chunks.length === 0) return { ...file, nameRanges: file.nameRanges.slice(0, room) };
  const chunks: Chunk[] = [];
  let left = room;
  for (const chunk of file.chunks) {
    if (left <= 0) break;
    chunks.push(
      chunk.matchRanges.length <= left ? chunk : { ...chunk, matchRanges: chunk.matchRanges.slice(0, left) },
    );
    left -= chunk.matchRanges.length;
  }
  return { ...file, chunks };
}
