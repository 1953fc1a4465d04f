/** The clock, which tests replace. */
import { canceled, throwIfAborted } from "#base/error";

export interface Clock {
  /** Milliseconds since 1970: for times that are stored or shown. Jumps when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start: for durations. Never jumps. */
  elapsed(): number;
  /** Runs `call` once after `delayMs`, unless the returned function is called first. Never keeps the process alive. */
  after(delayMs: number, call: () => void): () => void;
}

/**
 * Milliseconds since an arbitrary start: never jumps, and is the same on every thread of this process, which
 * `performance.now()` is not. Deadlines are measured by this clock.
 */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: monotonicNow,
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Waits `delayMs`. Rejects with CANCELLED when the signal fires. Never keeps the process alive. */
export async function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(canceled());
    };
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    signal.addEventListener("abort", abort, { once: true });
  });
}
