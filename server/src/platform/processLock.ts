/** A lock that all threads of the process share. */
import { getEnvironmentData, setEnvironmentData, threadId } from "node:worker_threads";

const key = "trawl/processLock";
/** Only a thread that was terminated while it held the lock has held it for longer. */
const maxHeldMs = 10_000;

/** Must be called before a thread is started. Threads that it starts inherit the lock. */
export function shareProcessLock(): void {
  if (getEnvironmentData(key) === undefined) setEnvironmentData(key, new SharedArrayBuffer(4));
}

/** Runs a short action while no other thread does. Blocks the thread until then. */
export function withProcessLock<Result>(action: () => Result): Result {
  const shared = getEnvironmentData(key);
  // It is missing only if there is no other thread.
  const holder = new Int32Array(shared instanceof SharedArrayBuffer ? shared : new SharedArrayBuffer(4));
  const own = threadId + 1;
  for (;;) {
    const other = Atomics.compareExchange(holder, 0, 0, own);
    if (other === 0) break;
    const isLost = Atomics.wait(holder, 0, other, maxHeldMs) === "timed-out";
    if (isLost && Atomics.compareExchange(holder, 0, other, own) === other) break;
  }
  try {
    return action();
  } finally {
    Atomics.compareExchange(holder, 0, own, 0);
    Atomics.notify(holder, 0);
  }
}
