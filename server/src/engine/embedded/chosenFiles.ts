/** Collects the files of the chosen hits from the workers that have found them. */
import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import { PackedFile, type PackedFiles, PackedList } from "#model/packedFile";
import { monotonicNow } from "#platform/clock";
import { releaseBytes } from "#platform/sharedRegion";
import { TimeLimit } from "#platform/timeLimit";
import type { TimeSlice } from "#platform/timeSlice";
import { type ChosenHits, truncateFile } from "./collect";
import { packedFileBytes, packFile } from "./resultPiece";
import { attachesAllFiles, type FilesCall, type SearchResponse, type SearchThread } from "./searchMessages";

const filesPerClockRead = 64;

export interface ThreadResponse {
  readonly thread: SearchThread;
  readonly response: SearchResponse;
  /** The files that came with the response. */
  readonly arrived: PackedList;
}

/**
 * The pieces of a search, whose bytes are released together. Pieces in late responses are never released; their region is
 * abandoned once it is full and their lease has expired.
 */
export class ReceivedPieces {
  readonly #pieces: PackedFiles[] = [];
  #isReleased = false;

  /** Pieces that arrive after the release are released at once. */
  add(piece: PackedFiles): void {
    if (this.#isReleased) releaseBytes(piece);
    else this.#pieces.push(piece);
  }

  release(): void {
    this.#isReleased = true;
    for (const piece of this.#pieces.splice(0)) releaseBytes(piece);
  }
}

export interface FileLoading {
  readonly slice: TimeSlice;
  /** The result contains only files that are loaded by then. */
  readonly until: number;
  /** Limit of the size of all files in the response. */
  readonly maxBytes: number;
  /** Records each piece that arrives. */
  readonly received: ReceivedPieces;
}

export interface ChosenFiles {
  /** Best first. */
  readonly files: PackedList;
  readonly fileCount: number;
  readonly matchCount: number;
  /** Whether the rest of the files is omitted because of `maxBytes`. */
  readonly isTruncated: boolean;
  readonly isLate: boolean;
  /** The number of threads that have exited. Files that they sent before are part of the result. */
  readonly lostCount: number;
  readonly damagedFiles: readonly string[];
}

/** The outcome of loading one thread's files. */
interface LoadOutcome {
  readonly isLate: boolean;
  readonly isLost: boolean;
  readonly damagedFiles: readonly string[];
}

const complete: LoadOutcome = { isLate: false, isLost: false, damagedFiles: [] };

/** Loads the files of the chosen hits until the end of the stage. `hits` are by response. */
export async function loadChosenFiles(
  responses: readonly ThreadResponse[],
  hits: readonly ChosenHits[],
  { slice, until, maxBytes, received }: FileLoading,
  caller: AbortSignal,
): Promise<ChosenFiles> {
  const limit = new TimeLimit(caller, until - monotonicNow());
  const { signal } = limit;
  const files = new PackedList();
  const load = async (
    { thread, response }: ThreadResponse,
    { missing: { ranks, ...picks }, isNeeded }: MissingHits,
  ): Promise<LoadOutcome> => {
    if (response.token === 0 || (ranks.length === 0 && attachesAllFiles(response))) return complete;
    const call: FilesCall = { kind: "files", token: response.token, picks, until };
    if (ranks.length === 0) {
      // Only releases the search. The response need not wait until its thread is woken, which takes a while.
      setImmediate(() => void thread.run(call).catch(() => undefined));
      return complete;
    }
    let next = 0;
    const add = (piece: PackedFiles) => {
      received.add(piece);
      if (signal.aborted) return;
      for (let at = 0; at < piece.scores.length; at++, next++)
        if (new PackedFile(piece, at).isReadable) files.set(ranks[next] ?? 0, piece, at);
    };
    try {
      const loaded = await untilAborted(
        thread.run(call, signal, (piece) => add(piece as PackedFiles)),
        signal,
      );
      if (loaded.kind !== "files") return { ...complete, isLost: true };
      add(loaded.last);
      return { ...complete, isLate: loaded.isLate, damagedFiles: loaded.damagedFiles };
    } catch (error) {
      const isLost = isServiceError(error, "ENGINE_UNAVAILABLE");
      const isLate = limit.isExpired && !caller.aborted && isServiceError(error, "CANCELLED");
      if (!isLost && !isLate) throw error;
      return isNeeded ? { ...complete, isLost, isLate } : complete;
    }
  };
  try {
    const missing: MissingHits[] = [];
    for (const [index, response] of responses.entries())
      missing.push(await addArrived(files, response, hits[index] as ChosenHits, slice));
    const loaded = await Promise.all(
      responses.map((response, index) => load(response, missing[index] as MissingHits)),
    );
    return {
      files,
      ...(await limitBytes(files, maxBytes, slice, caller)),
      isLate: loaded.some(({ isLate }) => isLate),
      lostCount: loaded.filter(({ isLost }) => isLost).length,
      damagedFiles: loaded.flatMap(({ damagedFiles }) => damagedFiles),
    };
  } finally {
    limit.dispose();
  }
}

/** Hits whose files have to be requested. */
interface MissingHits {
  readonly missing: ChosenHits;
  /** Whether the result lacks files without them. */
  readonly isNeeded: boolean;
}

/**
 * Adds the files of the chosen hits that came with the response, and returns the other hits. The last file may exceed the
 * match limit: it is cut, and requested again with the chunks of the remaining ranges.
 */
async function addArrived(
  files: PackedList,
  { response: { hits, loadedCount }, arrived }: ThreadResponse,
  chosen: ChosenHits,
  slice: TimeSlice,
): Promise<MissingHits> {
  if (loadedCount === 0) return { missing: chosen, isNeeded: true };
  const firstOfShard: number[] = [];
  let hitCount = 0;
  for (const { documents } of hits) {
    firstOfShard.push(hitCount);
    hitCount += documents.length;
  }
  const missing: number[] = [];
  let cutCount = 0;
  for (let at = 0; at < chosen.shards.length; at++) {
    if (at % filesPerClockRead === 0) await slice.yieldIfExpired();
    const index = (firstOfShard[chosen.shards[at] ?? 0] ?? 0) + (chosen.hits[at] ?? 0);
    const rank = chosen.ranks[at] ?? 0;
    const maxRanges = chosen.maxRanges[at] ?? 0;
    const file = index < loadedCount ? arrived.at(index) : undefined;
    if (file === undefined) missing.push(at);
    else if (file.isReadable && file.rangeCount <= maxRanges) files.set(rank, file.files, file.index);
    else if (file.isReadable) {
      cutCount++;
      missing.push(at);
      files.set(rank, packFile(truncateFile(file.unpack(), maxRanges)), 0);
    }
  }
  return { missing: selectHits(chosen, missing), isNeeded: missing.length > cutCount };
}

function selectHits({ shards, hits, maxRanges, ranks }: ChosenHits, indexes: readonly number[]): ChosenHits {
  const select = (column: Uint32Array) => Uint32Array.from(indexes, (at) => column[at] ?? 0);
  return { shards: select(shards), hits: select(hits), maxRanges: select(maxRanges), ranks: select(ranks) };
}

/** Counts the files, and drops those past the size limit of the response. */
async function limitBytes(
  files: PackedList,
  maxBytes: number,
  slice: TimeSlice,
  signal: AbortSignal,
): Promise<Pick<ChosenFiles, "fileCount" | "matchCount" | "isTruncated">> {
  let fileCount = 0;
  let matchCount = 0;
  let bytes = 0;
  for (let rank = 0; rank < files.length; rank++) {
    if (rank % filesPerClockRead === 0) {
      await slice.yieldIfExpired();
      throwIfAborted(signal);
    }
    const file = files.at(rank);
    // Not loaded: the time or size limit was reached, or the shard is damaged.
    if (file === undefined) continue;
    bytes += packedFileBytes(file);
    if (bytes > maxBytes) {
      files.truncate(rank);
      return { fileCount, matchCount, isTruncated: true };
    }
    fileCount++;
    matchCount += file.rangeCount;
  }
  return { fileCount, matchCount, isTruncated: false };
}
