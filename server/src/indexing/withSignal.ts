import { throwIfAborted } from "#base/error";
import type { TaskContext } from "#platform/serveTask";

/** How often the worker's cancellation flag is checked while it waits for git. */
const pollMs = 50;

/** Runs work that takes an `AbortSignal` in a worker, which has only a cancellation flag. */
export async function withSignal<Result>(
  context: TaskContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const check = () => {
    if (context.isCanceled()) controller.abort();
  };
  check();
  throwIfAborted(controller.signal);
  const timer = setInterval(check, pollMs);
  try {
    return await work(controller.signal);
  } finally {
    clearInterval(timer);
  }
}
