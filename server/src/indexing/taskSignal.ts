import { throwIfAborted } from "#base/error";
import type { TaskContext } from "#platform/workers";

/** A worker's flag is asked this often while it waits for git; between documents it is asked directly. */
const pollMs = 50;

/** Runs work that wants a signal, in a worker that has a flag. */
export async function withSignal<Result>(
  context: TaskContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const look = () => {
    if (context.cancelled()) controller.abort();
  };
  look();
  throwIfAborted(controller.signal);
  const timer = setInterval(look, pollMs);
  try {
    return await work(controller.signal);
  } finally {
    clearInterval(timer);
  }
}
