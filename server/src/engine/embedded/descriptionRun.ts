import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { EngineResult } from "#engine/engine";
import { addStats, type FlushReason, noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { DescriptionCall, FrequenciesResponse, SearchThread } from "./searchMessages";
import { runSearch, type SearchRun } from "./searchRun";

/** A search for a description, without the calls that rank its documents. */
export interface DescriptionRun extends Omit<SearchRun, "callFor"> {
  readonly countCallFor: (thread: number, until: number) => DescriptionCall;
}

/** The share of the time that counting may take. */
const countingShare = 0.5;

/**
 * Runs one search for a description: all threads count how often its words occur, and then rank their documents by the
 * sums. If the result is to be emitted, that happens at its end, because only then are the best files known.
 */
export async function runDescription(run: DescriptionRun, signal: AbortSignal): Promise<EngineResult> {
  throwIfAborted(signal);
  const { emit, threads, stages, countCallFor } = run;
  const now = monotonicNow();
  const until = now + (stages.searchUntil - now) * countingShare;
  const limit = new TimeLimit(signal, stages.searchUntil - now);
  let counted: readonly (FrequenciesResponse | FlushReason)[];
  try {
    counted = await Promise.all(
      threads.map((thread, index) => count(thread, countCallFor(index, until), limit, signal)),
    );
  } finally {
    limit.dispose();
  }
  const frequencies = counted.filter((each) => typeof each !== "string");
  const reasons = counted.filter((each) => typeof each === "string");
  const sums: number[] = [];
  for (const { counts } of frequencies)
    for (const [stem, each] of counts.entries()) sums[stem] = (sums[stem] ?? 0) + each;
  const blockCount = frequencies.reduce((sum, each) => sum + each.blockCount, 0);
  const found = await runSearch(
    {
      ...run,
      emit: undefined,
      threads: threads.filter((_, index) => typeof counted[index] !== "string"),
      callFor: (index) => ({ kind: "rank", token: frequencies[index]?.token ?? 0, blockCount, counts: sums }),
    },
    signal,
  );
  if (found === "tooSlow") throw new Error("A search for a description must not report tooSlow");
  const stats = reasons.reduce((sum, flushReason) => addStats(sum, { ...noStats, flushReason }), found.stats);
  const result = { ...found, stats, isExhaustive: found.isExhaustive && reasons.length === 0 };
  if (emit === undefined) return result;
  await emit.push(found.files);
  return { ...result, files: [] };
}

/** Counts on one thread. Returns why its documents are missing if it has exited or is late. */
async function count(
  thread: SearchThread,
  call: DescriptionCall,
  limit: TimeLimit,
  caller: AbortSignal,
): Promise<FrequenciesResponse | FlushReason> {
  try {
    const response = await untilAborted(thread.run(call, limit.signal), limit.signal);
    return response.kind === "frequencies" ? response : "ENGINE_PARTIAL";
  } catch (error) {
    if (isServiceError(error, "ENGINE_UNAVAILABLE")) return "ENGINE_PARTIAL";
    if (limit.isExpired && !caller.aborted && isServiceError(error, "CANCELLED")) return "TIME_LIMIT";
    throw error;
  }
}
