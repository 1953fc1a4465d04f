import { getPriority, setPriority } from "node:os";

const lowestPriority = 19;

/** How far below the main thread's priority each kind of worker thread runs, as an increase of its nice value. */
export const niceness = { search: 3, index: 5 } as const;

/**
 * Lowers the priority of the calling thread, so that the main thread stays responsive when all cores are busy. Does
 * nothing outside Linux: elsewhere only a whole process has a priority.
 */
export function lowerThreadPriority(by: number): void {
  if (process.platform !== "linux") return;
  // On Linux, process id 0 means the calling thread.
  setPriority(0, Math.min(lowestPriority, getPriority(0) + by));
}
