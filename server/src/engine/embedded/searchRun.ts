import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { CountedGroups, EngineResult } from "#engine/engine";
import { listPacked, type PackedFiles, PackedList } from "#model/packedFile";
import { addStats, type FlushReason, noStats, type SearchStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { releaseBytes } from "#platform/sharedRegion";
import { TimeLimit } from "#platform/timeLimit";
import { TimeSlice } from "#platform/timeSlice";
import type { Limits } from "#query/limits";
import { loadChosenFiles, ReceivedPieces, type ThreadResponse } from "./chosenFiles";
import { chooseHits } from "./collect";
import type { LimitedEmit } from "./limitedEmit";
import type { RankCall, SearchCall, SearchResponse, SearchThread } from "./searchMessages";

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

/**
 * Runs one search on some threads: sends it to all of them, chooses the best hits, and loads their files, unless these came
 * with the hits.
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
    throwIfAborted(signal);
    if (result !== "tooSlow" && result.packed !== undefined)
      return { ...result, release: () => pieces.release() };
    pieces.release();
    return result;
  } catch (error) {
    pieces.release();
    throw error;
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
  const slice = new TimeSlice();
  const chosen = await chooseHits(responses, run.limits, slice);
  throwIfAborted(signal);
  const loading = { slice, until: run.stages.filesUntil, maxBytes: run.limits.maxResponseBytes, received };
  const loaded = await loadChosenFiles(answered, chosen.hits, loading, signal);
  const { files, isTruncated } = loaded;
  const damagedFiles = new Set([...responses, loaded].flatMap((each) => each.damagedFiles));
  run.onDamage([...damagedFiles]);

  const lost = run.threads.length - answered.length - lateCount + loaded.lostCount;
  const shown = run.emit?.emitted() ?? loaded;
  const actualMatchCount = shown.matchCount;
  // A late thread may have emitted files, but its counts are missing.
  const totalMatchCount = Math.max(chosen.totalMatchCount, actualMatchCount);
  const limitedMatchCount = Math.max(chosen.limitedMatchCount, actualMatchCount);
  const fileCount = Math.max(chosen.fileCount, shown.fileCount);
  const hasLimit = run.limits.maxDisplayedMatches > 0;
  const reasons: readonly (readonly [boolean, FlushReason])[] = [
    [damagedFiles.size > 0, "SHARD_DAMAGED"],
    [isTruncated, "BYTE_LIMIT"],
    [lateCount > 0 || loaded.isLate, "TIME_LIMIT"],
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
  const groups = await mergeGroups(responses, slice, signal);
  const isExhaustive = stats.flushReason === "NONE";
  const shownFiles =
    run.acceptsPacked === true
      ? { files: [], packed: files }
      : { files: Array.from(files, (file) => file.unpack()) };
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
  slice: TimeSlice,
  signal: AbortSignal,
): Promise<CountedGroups | undefined> {
  const columns = responses.flatMap(({ groups }) => (groups === undefined ? [] : [groups]));
  if (columns.length === 0) return undefined;
  const counts = new Map<string, { matchCount: number; fileCount: number }>();
  for (const { keys, matchCounts, fileCounts } of columns) {
    for (let at = 0; at < keys.length; at++) {
      if (at % 256 === 0) {
        await slice.yieldIfExpired();
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
    const arrived = new PackedList();
    const emitted: PackedFiles[] = [];
    const take = async (piece: unknown) => {
      if (run.emit === undefined) {
        received.add(piece as PackedFiles);
        arrived.pushAll(piece as PackedFiles);
        emitted.push(piece as PackedFiles);
        return;
      }
      const files = listPacked(piece as PackedFiles).flatMap((file) =>
        file === undefined ? [] : [file.unpack()],
      );
      if (!signal.aborted) await run.emit.push(files);
    };
    try {
      const response = await untilAborted(thread.run(run.callFor(index), signal, take), signal);
      if (response.kind === "tooSlow") {
        isTooSlow = true;
        limit.abort();
      }
      if (response.kind !== "hits") return [];
      if (response.attached !== undefined) {
        received.add(response.attached);
        arrived.pushAll(response.attached);
      }
      if (response.loadedCount === 0) for (const piece of emitted) releaseBytes(piece);
      return [{ thread, response, arrived }];
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
