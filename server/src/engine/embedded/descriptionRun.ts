import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { EngineResult } from "#engine/engine";
import { addStats, type FlushReason, noStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import { maxDocuments } from "./bestDocuments";
import type {
  DescriptionCall,
  EstimateCall,
  EstimatesResponse,
  FrequenciesResponse,
  SearchThread,
} from "./searchMessages";
import { runSearch, type SearchRun } from "./searchRun";

/** A search for a description, without the calls that rank its documents. */
export interface DescriptionRun extends Omit<SearchRun, "callFor"> {
  readonly countCallFor: (thread: number, until: number) => DescriptionCall;
}

/** The share of the time that counting may take. */
const countingShare = 0.5;

/**
 * Runs one search for a description: all threads count how often its words occur, estimate by the sums how well each of
 * their documents fits, and then read and rank those with the best estimates of all. If the result is to be emitted, that
 * happens at its end, because only then are the best files known.
 */
export async function runDescription(run: DescriptionRun, signal: AbortSignal): Promise<EngineResult> {
  throwIfAborted(signal);
  const { emit, threads, stages, countCallFor } = run;
  const now = monotonicNow();
  const until = now + (stages.searchUntil - now) * countingShare;
  const limit = new TimeLimit(signal, stages.searchUntil - now);
  const reasons: FlushReason[] = [];
  const ask = async <Kind extends StepResponse["kind"]>(
    asked: readonly SearchThread[],
    kind: Kind,
    callFor: (index: number) => DescriptionCall | EstimateCall,
  ) => {
    const responses = await Promise.all(
      asked.map(async (thread, index) => {
        try {
          const response = await untilAborted(thread.run(callFor(index), limit.signal), limit.signal);
          if (response.kind === kind)
            return { thread, response: response as Extract<StepResponse, { kind: Kind }> };
        } catch (error) {
          reasons.push(reasonOf(error, limit, signal));
        }
        return undefined;
      }),
    );
    return responses.filter((each) => each !== undefined);
  };
  try {
    const counted = await ask(threads, "frequencies", (index) => countCallFor(index, until));
    const { blockCount, counts } = sumOf(counted.map(({ response }) => response));
    const estimated = await ask(
      counted.map(({ thread }) => thread),
      "estimates",
      (index) => ({ kind: "estimate", token: counted[index]?.response.token ?? 0, blockCount, counts }),
    );
    const leastEstimate = leastOf(estimated.map(({ response }) => response.scores));
    const found = await runSearch(
      {
        ...run,
        emit: undefined,
        threads: estimated.map(({ thread }) => thread),
        callFor: (index) => ({ kind: "rank", token: estimated[index]?.response.token ?? 0, leastEstimate }),
      },
      signal,
    );
    if (found === "tooSlow") throw new Error("A search for a description must not report tooSlow");
    const stats = reasons.reduce(
      (sum, flushReason) => addStats(sum, { ...noStats, flushReason }),
      found.stats,
    );
    const result = { ...found, stats, isExhaustive: found.isExhaustive && reasons.length === 0 };
    if (emit === undefined) return result;
    await emit.push(found.files);
    return { ...result, files: [] };
  } finally {
    limit.dispose();
  }
}

type StepResponse = FrequenciesResponse | EstimatesResponse;

/** Returns why the documents of a thread are missing: it has exited, or is late. Throws if the caller has canceled. */
function reasonOf(error: unknown, limit: TimeLimit, caller: AbortSignal): FlushReason {
  if (isServiceError(error, "ENGINE_UNAVAILABLE")) return "ENGINE_PARTIAL";
  if (limit.isExpired && !caller.aborted && isServiceError(error, "CANCELLED")) return "TIME_LIMIT";
  throw error;
}

function sumOf(frequencies: readonly FrequenciesResponse[]): Pick<EstimateCall, "blockCount" | "counts"> {
  const sums: number[] = [];
  for (const { counts } of frequencies)
    for (const [stem, each] of counts.entries()) sums[stem] = (sums[stem] ?? 0) + each;
  return { blockCount: frequencies.reduce((sum, each) => sum + each.blockCount, 0), counts: sums };
}

/** Returns the lowest of the best estimates of all threads. */
function leastOf(scores: readonly Float64Array[]): number {
  const all = Float64Array.from(scores.flatMap((each) => [...each])).sort();
  return all.at(-maxDocuments) ?? 0;
}
