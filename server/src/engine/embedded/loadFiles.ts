import { isServiceError } from "#base/error";
import type { PackedFiles } from "#model/packedFile";
import { monotonicNow } from "#platform/clock";
import type { TaskContext } from "#platform/serveTask";
import type { Limits } from "#query/limits";
import type { TextWindow } from "#shard/format/window";
import type { EvaluatedDocuments, PieceBuilder, ShardHit } from "./fileMatch";
import { transferOf } from "./resultPiece";
import type { FilesCall, FilesResponse } from "./searchMessages";
import { damagedFileOf } from "./shardGaps";
import type { OpenShard } from "./shardSet";

/** Files are emitted in pieces of about this size. Larger pieces would block the main thread for too long. */
export const pieceBytes = 128 * 1024;
/** How long a search runs before it yields to others on its thread. */
export const sliceMs = 8;

/** The files of more hits, or with more than `pieceBytes`, are loaded only after the main thread has chosen some. */
const maxAttachedHits = 100;

/** A shard with the hits that a search has found in it. */
export interface EvaluatedShard {
  readonly shard: OpenShard;
  readonly evaluation: EvaluatedDocuments;
}

/** Where the files of a search are collected. */
export interface FileLoader {
  readonly piece: PieceBuilder;
  readonly window: TextWindow;
  /** Names of damaged shards, which loading adds to. */
  readonly damaged: Set<string>;
  readonly maxResponseBytes: number;
}

/** Loads the files of the chosen hits, and emits them in pieces. Stops at the time `until`. */
export async function loadFiles(
  { piece, window, damaged, maxResponseBytes }: FileLoader,
  evaluations: readonly EvaluatedShard[],
  { picks, until }: Omit<FilesCall, "kind" | "token">,
  context: TaskContext,
): Promise<FilesResponse> {
  let isLate = false;
  let sliceEnd = performance.now() + sliceMs;
  const hitAt = (at: number): ShardHit | undefined => {
    const evaluated = evaluations[picks.shards[at] ?? -1];
    const hit = evaluated?.evaluation.hits.at(picks.hits[at] ?? 0);
    if (evaluated === undefined || hit === undefined) return undefined;
    return { shard: evaluated.shard, evaluation: evaluated.evaluation, hit };
  };
  for (let at = 0; at < picks.shards.length; at++) {
    if (piece.byteCount >= pieceBytes || performance.now() >= sliceEnd) {
      const taken = piece.take();
      await context.emit(taken, transferOf(taken));
      window.invalidate();
      isLate = monotonicNow() >= until;
      if (isLate || context.isCanceled()) break;
      sliceEnd = performance.now() + sliceMs;
    }
    const found = hitAt(at);
    const isLoaded = found !== undefined && loadFile(piece, damaged, found, picks.maxRanges[at] ?? 0);
    if (!isLoaded) piece.addMissing();
    if (piece.totalBytes > maxResponseBytes) break;
  }
  return { kind: "files", last: piece.take(), isLate, damagedFiles: [...damaged] };
}

/**
 * Loads the files of all hits, in their order, if these are few and fit in the result, so that the main thread need not
 * request them. Returns undefined otherwise.
 */
export function loadFewFiles(
  { piece, damaged }: Pick<FileLoader, "piece" | "damaged">,
  evaluations: readonly EvaluatedShard[],
  { maxDisplayedMatches, maxMatchesPerFile, returnsContent }: Limits,
): PackedFiles | undefined {
  const hitCount = evaluations.reduce((sum, { evaluation }) => sum + evaluation.hits.length, 0);
  if (hitCount === 0 || hitCount > maxAttachedHits || returnsContent) return undefined;
  const maxRanges = maxMatchesPerFile ?? Number.POSITIVE_INFINITY;
  const hits = evaluations.flatMap(({ shard, evaluation }) =>
    Array.from(evaluation.hits, (hit): ShardHit => ({ shard, evaluation, hit })),
  );
  const matchCount = hits.reduce((sum, { hit }) => sum + Math.min(hit.matchCount, maxRanges), 0);
  if (matchCount > maxDisplayedMatches) return undefined;
  for (const hit of hits) {
    if (!loadFile(piece, damaged, hit, maxRanges)) piece.addMissing();
    if (piece.byteCount < pieceBytes) continue;
    piece.discard();
    return undefined;
  }
  return piece.take();
}

/** Adds the file of the hit at an index to the piece. Returns false if its shard is damaged. */
export function loadHit(
  { piece, damaged }: Pick<FileLoader, "piece" | "damaged">,
  { shard, evaluation }: EvaluatedShard,
  index: number,
  maxRanges: number,
): boolean {
  const hit = evaluation.hits.at(index);
  return hit !== undefined && loadFile(piece, damaged, { shard, evaluation, hit }, maxRanges);
}

/** Adds the file of a hit to the piece. Returns false if its shard is damaged. */
function loadFile(piece: PieceBuilder, damaged: Set<string>, hit: ShardHit, maxRanges: number): boolean {
  try {
    piece.add(hit, maxRanges);
    return true;
  } catch (error) {
    if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
    damaged.add(damagedFileOf(hit.shard));
    return false;
  }
}
