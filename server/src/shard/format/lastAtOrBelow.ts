import { lowerBound } from "#kernels/gallop";

/** Returns the last index in `[low, end)` of ascending values whose value is at most `wanted`, or `low - 1`. */
export function lastAtOrBelow(values: Uint32Array, low: number, end: number, wanted: number): number {
  return lowerBound(values, wanted + 1, low, end) - 1;
}
