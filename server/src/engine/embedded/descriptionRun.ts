import { isServiceError, throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { EngineResult } from "#engine/engine";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { DescriptionCall, FrequenciesResponse, SearchThread } from "./searchMessages";
import { runSearch, type SearchRun } from "./searchRun";

/** A search for a description, without the calls that rank its documents. */
export interface DescriptionRun extends Omit<SearchRun, "callFor"> {
  readonly countCallFor: (thread: number) => DescriptionCall;
}

/** A thread that has not counted anything does not know this token, and counts as lost. */
const noFrequencies = { token: 0, blockCount: 0, counts: [] };

/**
 * Runs one search for a description: all threads count how often its words occur, and then rank their documents by the
 * sums. If the result is to be emitted, that happens at its end, because only then are the best files known.
 */
export async function runDescription(run: DescriptionRun, signal: AbortSignal): Promise<EngineResult> {
  throwIfAborted(signal);
  const limit = new TimeLimit(signal, run.stages.searchUntil - monotonicNow());
  let counted: readonly Pick<FrequenciesResponse, "token" | "blockCount" | "counts">[];
  try {
    counted = await Promise.all(
      run.threads.map((thread, index) => count(thread, run.countCallFor(index), limit, signal)),
    );
  } finally {
    limit.dispose();
  }
  const sums: number[] = [];
  for (const { counts } of counted)
    for (const [stem, each] of counts.entries()) sums[stem] = (sums[stem] ?? 0) + each;
  const blockCount = counted.reduce((sum, each) => sum + each.blockCount, 0);
  const { emit, ...ranked } = run;
  const found = await runSearch(
    {
      ...ranked,
      emit: undefined,
      callFor: (index) => ({ kind: "rank", token: counted[index]?.token ?? 0, blockCount, counts: sums }),
    },
    signal,
  );
  if (found === "tooSlow") throw new Error("A search for a description must not report tooSlow");
  if (emit === undefined) return found;
  await emit.push(found.files);
  return { ...found, files: [] };
}

/** Counts on one thread. A thread that has exited, or is late, counts nothing. */
async function count(
  thread: SearchThread,
  call: DescriptionCall,
  limit: TimeLimit,
  caller: AbortSignal,
): Promise<Pick<FrequenciesResponse, "token" | "blockCount" | "counts">> {
  try {
    const response = await untilAborted(thread.run(call, limit.signal), limit.signal);
    return response.kind === "frequencies" ? response : noFrequencies;
  } catch (error) {
    const isLate = limit.isExpired && !caller.aborted && isServiceError(error, "CANCELLED");
    if (isLate || isServiceError(error, "ENGINE_UNAVAILABLE")) return noFrequencies;
    throw error;
  }
}
