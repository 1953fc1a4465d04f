import { canceled } from "./error";

/**
 * Settles as `work` does, but rejects with CANCELLED as soon as `signal` fires. `work` itself may take a while to
 * notice the signal; its outcome is then ignored.
 */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(canceled());
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
