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
  WorkerResponse,
} from "./searchMessages";
import { runSearch, type SearchRun } from "./searchRun";

/** A search for a description, without the calls that rank its documents. */
export interface DescriptionRun extends Omit<SearchRun, "callFor"> {
  readonly countCallFor: (thread: number, until: number) => DescriptionCall;
}

/**
 * Shares of the time after which threads stop counting and estimating, and after which a thread that has not responded is
 * dropped. The rest is for reading documents.
 */
const counting = { until: 0.5, dropped: 0.6 };
const estimating = { until: 0.7, dropped: 0.8 };

/**
 * Runs one search for a description: all threads count how often its words occur, estimate by the sums how well each of
 * their documents fits, and then read and rank those with the best estimates of all. If the result is to be emitted, that
 * happens at its end, because only then are the best files known.
 */
export async function runDescription(run: DescriptionRun, signal: AbortSignal): Promise<EngineResult> {
  throwIfAborted(signal);
  const { emit, threads, stages, countCallFor } = run;
  const startedAt = monotonicNow();
  const timeAt = (share: number) => startedAt + (stages.searchUntil - startedAt) * share;
  const reasons: FlushReason[] = [];
  const counted = await ask(threads, "frequencies", {
    callFor: (index) => countCallFor(index, timeAt(counting.until)),
    limit: new TimeLimit(signal, timeAt(counting.dropped) - monotonicNow()),
    signal,
    reasons,
  });
  const sums = sumOf(counted.map(({ response }) => response));
  const estimated = await ask(
    counted.map(({ thread }) => thread),
    "estimates",
    {
      callFor: (index) => {
        const token = counted[index]?.response.token ?? 0;
        return { kind: "estimate", token, ...sums, until: timeAt(estimating.until) };
      },
      limit: new TimeLimit(signal, timeAt(estimating.dropped) - monotonicNow()),
      signal,
      reasons,
    },
  );
  const documentCounts = chooseDocuments(estimated.map(({ response }) => response.scores));
  const found = await runSearch(
    {
      ...run,
      emit: undefined,
      threads: estimated.map(({ thread }) => thread),
      callFor: (index) => {
        const token = estimated[index]?.response.token ?? 0;
        return { kind: "rank", token, documentCount: documentCounts[index] ?? 0 };
      },
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

type StepResponse = FrequenciesResponse | EstimatesResponse;

interface Step {
  readonly callFor: (index: number) => DescriptionCall | EstimateCall;
  /** Disposed of at the end of the step. */
  readonly limit: TimeLimit;
  readonly signal: AbortSignal;
  /** Receives why documents of some threads are missing. */
  readonly reasons: FlushReason[];
}

/** Runs a step on some threads, and drops those that have exited or are late. Rejects if the caller has canceled. */
async function ask<Kind extends StepResponse["kind"]>(
  threads: readonly SearchThread[],
  kind: Kind,
  { callFor, limit, signal, reasons }: Step,
): Promise<{ readonly thread: SearchThread; readonly response: Extract<StepResponse, { kind: Kind }> }[]> {
  const isExpected = (response: WorkerResponse): response is Extract<StepResponse, { kind: Kind }> =>
    response.kind === kind;
  const responses = threads.map(async (thread, index) => {
    try {
      const response = await untilAborted(thread.run(callFor(index), limit.signal), limit.signal);
      if (isExpected(response)) return [{ thread, response }];
      reasons.push("ENGINE_PARTIAL");
    } catch (error) {
      reasons.push(reasonOf(error, limit, signal));
    }
    return [];
  });
  try {
    return (await Promise.all(responses)).flat();
  } finally {
    limit.dispose();
  }
}

/** Returns why the documents of a thread are missing. Throws if it has neither exited nor reached the limit. */
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

/** Returns how many of the best documents of all threads belong to each thread. */
function chooseDocuments(scores: readonly Float64Array[]): readonly number[] {
  const all = scores.flatMap((each, thread) => [...each].map((score) => ({ score, thread })));
  const best = all.sort((one, other) => other.score - one.score).slice(0, maxDocuments);
  const counts = scores.map(() => 0);
  for (const { thread } of best) counts[thread] = (counts[thread] ?? 0) + 1;
  return counts;
}
