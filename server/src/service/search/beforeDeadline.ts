import { setMaxListeners } from "node:events";
import { isServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { CallContext } from "#contract/service";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";

/**
 * Resolves with the result of `work`, or with `undefined` if the deadline passes first. The signal passed to `work`
 * fires at the deadline.
 *
 * Rejects with CANCELLED when the caller's own signal fires.
 */
export async function runBeforeDeadline<Result>(
  { signal: caller, deadline }: Pick<CallContext, "signal" | "deadline">,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const limit = new TimeLimit(caller, deadline - monotonicNow());
  // Each file that is being read or parsed adds a listener.
  setMaxListeners(0, limit.signal);
  try {
    return await untilAborted(work(limit.signal), limit.signal);
  } catch (error) {
    if (!limit.isExpired || caller.aborted || !isServiceError(error, "CANCELLED")) throw error;
    return undefined;
  } finally {
    limit.dispose();
  }
}
