/** Numbers of worker threads. */
import { availableParallelism } from "node:os";
import type { Configuration } from "./configuration";

export function indexWorkerCount(configuration: Configuration): number {
  return configuration.indexWorkers ?? defaultWorkerCount(1);
}

/**
 * Returns the number of cores, minus `reservedCores` if there are more than two, and at most eight. More workers would only
 * cost memory.
 */
export function defaultWorkerCount(reservedCores: number): number {
  const cores = availableParallelism();
  return Math.min(8, cores <= 2 ? cores : cores - reservedCores);
}
