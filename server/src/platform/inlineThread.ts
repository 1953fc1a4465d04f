import { canceled } from "#base/error";
import type { Task } from "./serveTask";
import type { Pool } from "./threadPool";
import type { Thread } from "./workerThread";

/** Runs `task` on the calling thread, for tests and one-shot commands. */
export function inlineThread<Input, Output>(
  task: Task<Input, Output>,
  size = 1,
): Pool<Input, Output> & Thread<Input, Output> {
  return {
    size,
    async run(input, signal, onPartial) {
      if (signal?.aborted) throw canceled();
      const output = await task(input, {
        isCanceled: () => signal?.aborted === true,
        emit: async (partial) => onPartial?.(partial),
      });
      if (signal?.aborted) throw canceled();
      return output;
    },
    async close() {},
    async end() {},
  };
}
