import type { EngineResult } from "#engine/engine";
import type { Chunk, FileMatch } from "#model/match";
import { addStats, type FlushReason, noStats, type SearchStats } from "#model/stats";
import type { Limits } from "#query/limits";
import { compareOrder, type FoundFile, type SearchAnswer, type ShardOrder } from "./task";

/**
 * One result from the answers of all workers.
 *
 * Each worker stops by itself once it has enough, so how far they come depends on which worker has which shard. The
 * result must not: shards are counted in their order, and what lies behind the shard that fills the limit is dropped.
 * `streamedMatches`: ranges that were handed over before, where the answers have no files.
 */
export function collect(
  answers: readonly SearchAnswer[],
  limits: Limits,
  lostWorkers: number,
  streamedMatches?: number,
): EngineResult {
  const counts = answers
    .flatMap((answer) => answer.shardCounts)
    .sort((a, b) => compareOrder(a.order, b.order));
  let totalMatchCount = 0;
  let fileCount = 0;
  let last: ShardOrder | undefined;
  for (const count of counts) {
    if (totalMatchCount >= limits.maxMatches) break;
    totalMatchCount += count.matchCount;
    fileCount += count.fileCount;
    last = count.order;
  }
  const files = bestFiles(answers, last, limits.maxDisplayedMatches);
  const actualMatchCount = streamedMatches ?? files.reduce((sum, file) => sum + shownRanges(file), 0);
  const stats = answers.reduce<SearchStats>((sum, answer) => addStats(sum, answer.stats), noStats);
  const reachedLimit =
    answers.some((answer) => answer.wasCut) ||
    (limits.maxDisplayedMatches > 0 && actualMatchCount < totalMatchCount);
  const flushReason = reasonOf(stats.flushReason, reachedLimit, lostWorkers);
  return {
    files,
    stats: {
      ...stats,
      totalMatchCount,
      fileCount,
      actualMatchCount,
      crashes: new Set(answers.flatMap((answer) => answer.damagedFiles)).size + lostWorkers,
      flushReason,
    },
    exhaustive: flushReason === "NONE",
  };
}

function reasonOf(reason: FlushReason, reachedLimit: boolean, lostWorkers: number): FlushReason {
  if (reason !== "NONE") return reason;
  if (lostWorkers > 0) return "ENGINE_PARTIAL";
  return reachedLimit ? "MATCH_LIMIT" : "NONE";
}

function bestFiles(
  answers: readonly SearchAnswer[],
  last: ShardOrder | undefined,
  maxMatches: number,
): FileMatch[] {
  if (last === undefined) return [];
  const found = answers
    .flatMap((answer) => answer.files)
    .filter((file) => compareOrder(file.order, last) <= 0)
    .sort(byScore);
  const files: FileMatch[] = [];
  let room = maxMatches;
  for (const { file } of found) {
    if (room <= 0) break;
    const cut = cutFile(file, room);
    files.push(cut);
    room -= shownRanges(cut);
  }
  return files;
}

function byScore(left: FoundFile, right: FoundFile): number {
  return (
    right.file.score - left.file.score ||
    compareOrder(left.order, right.order) ||
    left.document - right.document
  );
}

function shownRanges(file: FileMatch): number {
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
