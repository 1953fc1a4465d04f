import { isServiceError } from "#base/error";
import { monotonicNow } from "#platform/clock";
import type { TaskContext } from "#platform/serveTask";
import type { TextWindow } from "#shard/format/window";
import type { EvaluatedDocuments, FollowingHits, PieceBuilder, ShardHit } from "./fileMatch";
import type { FilesCall, FilesResponse } from "./searchMessages";
import { damagedFileOf } from "./shardGaps";
import type { OpenShard } from "./shardSet";

/** Files are emitted in pieces of about this size. Larger pieces would block the main thread for too long. */
export const pieceBytes = 128 * 1024;
/** How long a search runs before it yields to others on its thread. */
export const sliceMs = 8;

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
    const hit = evaluated?.evaluation.hits[picks.hits[at] ?? -1];
    if (evaluated === undefined || hit === undefined) return undefined;
    return { shard: evaluated.shard, evaluation: evaluated.evaluation, hit };
  };
  for (let at = 0; at < picks.shards.length; at++) {
    if (piece.byteCount >= pieceBytes || performance.now() >= sliceEnd) {
      await context.emit(piece.take());
      window.invalidate();
      isLate = monotonicNow() >= until;
      if (isLate || context.isCanceled()) break;
      sliceEnd = performance.now() + sliceMs;
    }
    const found = hitAt(at);
    const following = (index: number) => hitAt(at + 1 + index);
    const isLoaded =
      found !== undefined && loadFile(piece, damaged, found, picks.maxRanges[at] ?? 0, following);
    if (!isLoaded) piece.addMissing();
    if (piece.totalBytes > maxResponseBytes) break;
  }
  return { kind: "files", last: piece.take(), isLate, damagedFiles: [...damaged] };
}

/** Adds the file of a hit to the piece. Returns false if its shard is damaged. */
export function loadFile(
  piece: PieceBuilder,
  damaged: Set<string>,
  hit: ShardHit,
  maxRanges: number,
  following: FollowingHits,
): boolean {
  try {
    piece.add(hit, maxRanges, following);
    return true;
  } catch (error) {
    if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
    damaged.add(damagedFileOf(hit.shard));
    return false;
  }
}
