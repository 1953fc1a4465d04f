/** The last index in `[low, end)` of ascending values that is not above `wanted`; `low - 1` where there is none. */
export function lastAtOrBelow(values: Uint32Array, low: number, end: number, wanted: number): number {
  let from = low;
  let to = end;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] ?? 0) <= wanted) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
