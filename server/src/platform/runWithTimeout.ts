import { readFileSync } from "node:fs";
import { Script } from "node:vm";

/** Where `script` finds the function to run. */
const slot = Symbol.for("trawl.guarded");
const script = new Script(`globalThis[Symbol.for("trawl.guarded")]()`);

type Guarded = { [slot]?: () => void };

/**
 * Runs a function, and interrupts it after `timeoutMs`, even within a regular expression: V8 has no time limit for
 * these, but `vm` can interrupt whatever it runs. Returns false if `run` was interrupted, and rethrows its errors. The
 * overhead is about 0.3 ms.
 */
export function runWithTimeout(run: () => void, timeoutMs: number): boolean {
  (globalThis as Guarded)[slot] = run;
  try {
    script.runInThisContext({ timeout: Math.max(1, Math.ceil(timeoutMs)) });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  }
}

/**
 * Like `runWithTimeout`, but limits processor time: on a busy machine, a thread waits for a processor most of the time.
 * If `run` is interrupted before it has used half of `limitMs`, it is called again, with more time, and must continue
 * where it was or start again. After `latestMs`, it is not called again. Where the processor time of a thread is not
 * known, the limit is elapsed time.
 */
export function runWithProcessorLimit(run: () => void, limitMs: number, latestMs: number): boolean {
  const startedAt = performance.now();
  for (let timeoutMs = limitMs; ; ) {
    const before = threadMs();
    if (runWithTimeout(run, timeoutMs)) return true;
    const usedMs = Math.max(1, threadMs() - before);
    const leftMs = startedAt + latestMs - performance.now();
    const wasWaiting = usedMs < limitMs / 2;
    if (!wasWaiting || leftMs <= 0) return false;
    timeoutMs = Math.min(leftMs, (timeoutMs * limitMs) / usedMs);
  }
}

/** Returns the milliseconds for which this thread has used a processor; NaN if they are not known. */
function threadMs(): number {
  // Node 20 does not have this function.
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  if (threadCpuUsage !== undefined) {
    const { user, system } = threadCpuUsage.call(process);
    return (user + system) / 1000;
  }
  try {
    return Number.parseInt(readFileSync("/proc/thread-self/schedstat", "latin1"), 10) / 1e6;
  } catch {
    // This is not Linux.
    return Number.NaN;
  }
}
