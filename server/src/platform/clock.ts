/** Time, where a test must be able to choose it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls once after `delayMs` unless the returned function is called first. Never keeps the process alive. */
  after(delayMs: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
