import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { CountedGroups, EngineResult } from "#engine/engine";
import { type AnyFile, listPacked, type PackedFile, type PackedFiles, unpack } from "#model/packedFile";
import { addStats, type FlushReason, noStats, type SearchStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { releaseBytes } from "#platform/sharedBlocks";
import { TimeLimit } from "#platform/timeLimit";
import { TimeSlice } from "#platform/timeSlice";
import type { Limits } from "#query/limits";
import { type ChosenHits, chooseHits, truncateFile } from "./collect";
import type { LimitedEmit } from "./limitedEmit";
import { fileBytes } from "./resultPiece";
import type {
  FilePicks,
  FilesCall,
  FilesResponse,
  RankCall,
  SearchCall,
  SearchResponse,
  SearchThread,
} from "./searchMessages";

/** A search, and the threads to run it on. */
export interface SearchRun {
  readonly threads: readonly SearchThread[];
  readonly callFor: (thread: number) => SearchCall | RankCall;
  readonly limits: Limits;
  readonly stages: Stages;
  /** See `SearchPlan`. */
  readonly acceptsPacked?: boolean;
  /** Absent if the result contains the files. */
  readonly emit: LimitedEmit | undefined;
  readonly onDamage: (files: readonly string[]) => void;
}

/** When each stage of a search ends, in milliseconds of `monotonicNow`. */
export interface Stages {
  /** Threads stop searching, and respond as soon as they are scheduled. */
  readonly searchUntil: number;
  /** Threads that have not responded by then are ignored. */
  readonly respondUntil: number;
  /** The result contains only files that are loaded by then. */
  readonly filesUntil: number;
}

/** Limits of the time for loading files: in milliseconds, and as a share of the time until the deadline. */
const fileLoading = { maxMs: 1000, share: 0.15 };
/** Limits of the time for encoding a result that is not streamed: under load, 100,000 matches (16 MB) take a second. */
const encoding = { msPerMatch: 0.01, maxMs: 1000, share: 0.1 };

/** Divides the time until the deadline into stages. */
export function planStages({ deadline, maxDisplayedMatches }: Limits, isStreamed: boolean): Stages {
  const leftMs = Math.max(0, deadline - monotonicNow());
  const encodingMs = isStreamed
    ? 0
    : Math.min(encoding.maxMs, leftMs * encoding.share, maxDisplayedMatches * encoding.msPerMatch);
  const filesMs = Math.min(fileLoading.maxMs, leftMs * fileLoading.share);
  const filesUntil = deadline - encodingMs;
  return { searchUntil: filesUntil - filesMs, respondUntil: filesUntil - filesMs / 2, filesUntil };
}

interface ThreadResponse {
  readonly thread: SearchThread;
  readonly response: SearchResponse;
}

/**
 * Runs one search on some threads: sends it to all of them, chooses the best hits, and loads their files, unless these are
 * so few that they came with the hits.
 *
 * Rejects with `CANCELLED` as soon as `signal` aborts, and does not wait for threads past the end of a stage: a thread
 * that is running an expression, or that many searches share, may be slow to react.
 */
export async function runSearch(run: SearchRun, signal: AbortSignal): Promise<EngineResult | "tooSlow"> {
  throwIfAborted(signal);
  return await untilAborted(search(run, signal), signal);
}

async function search(run: SearchRun, signal: AbortSignal): Promise<EngineResult | "tooSlow"> {
  const pieces = new ReceivedPieces();
  try {
    const result = await searchWith(pieces, run, signal);
    if (result !== "tooSlow" && result.packed !== undefined)
      return { ...result, release: () => pieces.release() };
    pieces.release();
    return result;
  } catch (error) {
    pieces.release();
    throw error;
  }
}

/** The pieces of a search, whose bytes are released together. Those in responses that come too late are not: leases end. */
class ReceivedPieces {
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

async function searchWith(
  received: ReceivedPieces,
  run: SearchRun,
  signal: AbortSignal,
): Promise<EngineResult | "tooSlow"> {
  const replies = await queryThreads(run, received, signal);
  if (replies === "tooSlow") return replies;
  const { received: answered, lateCount } = replies;
  const responses = answered.map(({ response }) => response);
  const chosen = chooseHits(responses, run.limits);
  const { hits } = chosen;
  const loaded = await loadAllFiles(answered, hits, run.stages, received, signal);
  const { files, isTruncated } = withinBytes(loaded, run.limits.maxResponseBytes);
  const damagedFiles = new Set([...responses, ...loaded].flatMap((each) => each?.damagedFiles ?? []));
  run.onDamage([...damagedFiles]);

  const lost =
    run.threads.length - answered.length - lateCount + loaded.filter((each) => each === undefined).length;
  const shown = run.emit?.emitted() ?? {
    matchCount: files.reduce((sum, file) => sum + file.rangeCount, 0),
    fileCount: files.length,
  };
  const actualMatchCount = shown.matchCount;
  // A late thread may have emitted files, but its counts are missing.
  const totalMatchCount = Math.max(chosen.totalMatchCount, actualMatchCount);
  const limitedMatchCount = Math.max(chosen.limitedMatchCount, actualMatchCount);
  const fileCount = Math.max(chosen.fileCount, shown.fileCount);
  const hasLimit = run.limits.maxDisplayedMatches > 0;
  const reasons: readonly (readonly [boolean, FlushReason])[] = [
    [damagedFiles.size > 0, "SHARD_DAMAGED"],
    [isTruncated, "BYTE_LIMIT"],
    [lateCount > 0 || loaded.some((each) => each?.isLate === true), "TIME_LIMIT"],
    // Applies even if every worker finished: the result must not depend on which worker owns which shard.
    [limitedMatchCount >= run.limits.maxMatches, "MATCH_LIMIT"],
    [responses.some((response) => response.isTruncated), "MATCH_LIMIT"],
    [hasLimit && actualMatchCount < limitedMatchCount, "MATCH_LIMIT"],
    [lost > 0, "ENGINE_PARTIAL"],
    [responses.some(({ groups }) => groups?.isTruncated === true), "BYTE_LIMIT"],
  ];
  const sum = responses.reduce<SearchStats>((all, response) => addStats(all, response.stats), noStats);
  const stats = reasons.reduce(
    (all, [applies, flushReason]) => (applies ? addStats(all, { ...noStats, flushReason }) : all),
    { ...sum, totalMatchCount, fileCount, actualMatchCount, crashes: damagedFiles.size + lost },
  );
  const { phraseMatchCount } = chosen;
  const groups = await mergeGroups(responses, signal);
  const isExhaustive = stats.flushReason === "NONE";
  const shownFiles = run.acceptsPacked === true ? { files: [], packed: files } : { files: files.map(unpack) };
  return {
    ...shownFiles,
    stats,
    phraseMatchCount,
    isExhaustive,
    ...(groups === undefined ? {} : { groups }),
  };
}

/** Adds up the groups of all workers, in time slices. */
async function mergeGroups(
  responses: readonly SearchResponse[],
  signal: AbortSignal,
): Promise<CountedGroups | undefined> {
  const columns = responses.flatMap(({ groups }) => (groups === undefined ? [] : [groups]));
  if (columns.length === 0) return undefined;
  const counts = new Map<string, { matchCount: number; fileCount: number }>();
  const slice = new TimeSlice();
  for (const { keys, matchCounts, fileCounts } of columns) {
    for (let at = 0; at < keys.length; at++) {
      if (at % 256 === 0 && slice.isExpired) {
        await slice.yieldToEventLoop();
        throwIfAborted(signal);
      }
      const key = keys[at] ?? "";
      const [matchCount, fileCount] = [matchCounts[at] ?? 0, fileCounts[at] ?? 0];
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { matchCount, fileCount });
      else {
        known.matchCount += matchCount;
        known.fileCount += fileCount;
      }
    }
  }
  return {
    counts,
    repositories: new Set(columns.flatMap(({ repositories }) => repositories)),
    lines: new Map(columns.flatMap(({ lines }) => [...lines])),
  };
}

interface QueryOutcome {
  readonly received: readonly ThreadResponse[];
  /** The number of threads that had not responded by the end of the stage. */
  readonly lateCount: number;
}

async function queryThreads(
  run: SearchRun,
  received: ReceivedPieces,
  caller: AbortSignal,
): Promise<QueryOutcome | "tooSlow"> {
  const limit = new TimeLimit(caller, run.stages.respondUntil - monotonicNow());
  const { signal } = limit;
  let isTooSlow = false;
  let lateCount = 0;
  const query = async (thread: SearchThread, index: number): Promise<ThreadResponse[]> => {
    const take = async (piece: unknown) => {
      const files = listPacked(piece as PackedFiles).flatMap((file) =>
        file === undefined ? [] : [file.unpack()],
      );
      if (!signal.aborted) await run.emit?.push(files);
    };
    try {
      const response = await untilAborted(thread.run(run.callFor(index), signal, take), signal);
      if (response.kind === "tooSlow") {
        isTooSlow = true;
        limit.abort();
      }
      if (response.kind !== "hits") return [];
      if (response.attached !== undefined) received.add(response.attached);
      return [{ thread, response }];
    } catch (error) {
      if (isTooSlow || isServiceError(error, "ENGINE_UNAVAILABLE")) return [];
      if (limit.isExpired && !caller.aborted && isServiceError(error, "CANCELLED")) {
        lateCount++;
        return [];
      }
      limit.abort();
      throw error;
    }
  };
  try {
    const answered = (await Promise.all(run.threads.map(query))).flat();
    return isTooSlow ? "tooSlow" : { received: answered, lateCount };
  } finally {
    limit.dispose();
  }
}

/** Loads the files of the chosen hits until the end of the stage. */
async function loadAllFiles(
  replies: readonly ThreadResponse[],
  hits: readonly ChosenHits[],
  { filesUntil }: Stages,
  received: ReceivedPieces,
  caller: AbortSignal,
): Promise<LoadedFiles[]> {
  const limit = new TimeLimit(caller, filesUntil - monotonicNow());
  const { signal } = limit;
  const load = async ({ thread, response }: ThreadResponse, index: number): Promise<LoadedFiles> => {
    const picks = hits[index];
    if (picks === undefined) return noFiles;
    const { ranks, ...all } = picks;
    const attached = attachedFiles(response, picks);
    const known = attached === undefined ? noFiles : { ...noFiles, files: attached.files, ranks };
    if (response.token === 0 || attached?.cut.length === 0) return known;
    const requested = attached === undefined ? all : picksAt(all, attached.cut);
    const pieces: PackedFiles[] = [];
    const add = (piece: PackedFiles) => {
      received.add(piece);
      if (!signal.aborted) pieces.push(piece);
    };
    const call: FilesCall = { kind: "files", token: response.token, picks: requested, until: filesUntil };
    if (requested.shards.length === 0) {
      // Only releases the search, for which a thread that is busy with another one may take a while.
      thread.run(call, signal).catch(() => undefined);
      return known;
    }
    try {
      const shown = await untilAborted(
        thread.run(call, signal, (piece) => add(piece as PackedFiles)),
        signal,
      );
      if (shown.kind !== "files") return undefined;
      add(shown.last);
      const files = pieces.flatMap(listPacked);
      return { ...shown, files: attached === undefined ? files : replaceCut(attached, files), ranks };
    } catch (error) {
      const isLost = isServiceError(error, "ENGINE_UNAVAILABLE");
      const isLate = limit.isExpired && !caller.aborted && isServiceError(error, "CANCELLED");
      if (!isLost && !isLate) throw error;
      if (attached !== undefined) return known;
      return isLost ? undefined : { ...noFiles, files: pieces.flatMap(listPacked), isLate, ranks };
    }
  };
  try {
    return await Promise.all(replies.map(load));
  } finally {
    limit.dispose();
  }
}

interface AttachedFiles {
  readonly files: readonly (AnyFile | undefined)[];
  /** Indexes of files with fewer ranges than attached, but with chunks around all of these. */
  readonly cut: readonly number[];
}

/**
 * Returns the files of the picks if they are part of the response. If the result of all threads exceeds the limit, its last
 * file is cut.
 */
function attachedFiles(
  { attached, hits }: SearchResponse,
  { shards, hits: hitsInShards, maxRanges }: ChosenHits,
): AttachedFiles | undefined {
  if (attached === undefined) return undefined;
  const firstOfShard: number[] = [];
  let hitCount = 0;
  for (const { documents } of hits) {
    firstOfShard.push(hitCount);
    hitCount += documents.length;
  }
  const all = listPacked(attached);
  const cut: number[] = [];
  const files = Array.from(shards, (shard, at) => {
    const file = all[(firstOfShard[shard] ?? 0) + (hitsInShards[at] ?? 0)];
    const maxCount = maxRanges[at] ?? 0;
    if (file === undefined || file.rangeCount <= maxCount) return file;
    cut.push(at);
    return truncateFile(file.unpack(), maxCount);
  });
  return { files, cut };
}

function picksAt({ shards, hits, maxRanges }: FilePicks, indexes: readonly number[]): FilePicks {
  const pick = (column: Uint32Array) => Uint32Array.from(indexes, (at) => column[at] ?? 0);
  return { shards: pick(shards), hits: pick(hits), maxRanges: pick(maxRanges) };
}

/** Returns attached files in which those that are cut are replaced, as far as they could be loaded. */
function replaceCut({ files, cut }: AttachedFiles, loaded: readonly (PackedFile | undefined)[]) {
  const replaced = [...files];
  for (const [index, at] of cut.entries()) replaced[at] = loaded[index] ?? replaced[at];
  return replaced;
}

/** The files that one thread has loaded; undefined if it has exited. */
type LoadedFiles =
  | (Pick<FilesResponse, "isLate" | "damagedFiles"> & {
      /** Undefined for a file that cannot be read. */
      readonly files: readonly (AnyFile | undefined)[];
      /** The rank of each file. */
      readonly ranks: Uint32Array;
    })
  | undefined;

const noFiles = { files: [], ranks: new Uint32Array(), isLate: false, damagedFiles: [] };

/** Returns the files in the order of their ranks, up to the size limit of the response. */
function withinBytes(
  loaded: readonly LoadedFiles[],
  maxBytes: number,
): { files: AnyFile[]; isTruncated: boolean } {
  const present = loaded.filter((each) => each !== undefined);
  const count = present.reduce((sum, { ranks }) => sum + ranks.length, 0);
  const ranked = new Array<AnyFile | undefined>(count);
  for (const { files, ranks } of present) for (const [at, rank] of ranks.entries()) ranked[rank] = files[at];
  const files: AnyFile[] = [];
  let bytes = 0;
  for (const shown of ranked) {
    // Not loaded: the time or size limit was reached, or the shard is damaged.
    if (shown === undefined) continue;
    bytes += fileBytes(shown);
    if (bytes > maxBytes) return { files, isTruncated: true };
    files.push(shown);
  }
  return { files, isTruncated: false };
}
