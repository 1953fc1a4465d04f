import type { Clock } from "#platform/clock";

/** A clock that stands still until it is set. Its elapsed time is the same value. */
export interface ManualClock extends Clock {
  time: number;
}

export function manualClock(time: number): ManualClock {
  return {
    time,
    now() {
      return this.time;
    },
    elapsed() {
      return this.time;
    },
    after: () => () => {},
  };
}

/** A clock that stands still until it is advanced. */
export interface SteppedClock extends Clock {
  /** Lets time pass, and runs what is due meanwhile, with all that follows from it without I/O. */
  advance(ms: number): Promise<void>;
}

export function steppedClock(): SteppedClock {
  let time = Date.UTC(2026, 0, 1);
  const timers = new Map<object, { readonly at: number; readonly call: () => void }>();
  return {
    now: () => time,
    elapsed: () => time,
    after(delayMs, call) {
      const key = {};
      timers.set(key, { at: time + delayMs, call });
      return () => timers.delete(key);
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const [next] = [...timers].sort(([, one], [, other]) => one.at - other.at);
        if (next === undefined || next[1].at > end) break;
        timers.delete(next[0]);
        time = Math.max(time, next[1].at);
        next[1].call();
      }
      time = end;
    },
  };
}

/**
 * Measures how many times longer computing takes than on an idle machine, because other processes use its processors;
 * at least 1. Limits that only catch hangs are multiplied by this. Call it while no other thread of this process runs.
 */
export function slowdown(): number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const usedMs = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  while (usedMs() < 50);
  return Math.max(1, (performance.now() - startedAt) / usedMs());
}
