/**
 * Returns the first index in `[low, high)` for which `isBefore` is false, or `high`. `isBefore` must be true up to some
 * index and false from there on.
 *
 * To search posting lists in inner loops, use `lowerBound` of `#kernels/gallop`, which needs no callback.
 */
export function partitionPoint(low: number, high: number, isBefore: (index: number) => boolean): number {
  let first = low;
  let end = high;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (isBefore(middle)) first = middle + 1;
    else end = middle;
  }
  return first;
}
