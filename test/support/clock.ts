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
