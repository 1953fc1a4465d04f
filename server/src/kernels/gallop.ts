/** Set operations on strictly ascending lists of numbers, for lists of very different lengths and for bit sets. */

/** At this ratio of lengths, galloping through the longer list beats a linear merge (test/bench/kernels.bench.ts). */
export const gallopingFactor = 50;

/** Returns the index of the first number in `[from, to)` that is at least `wanted`, or `to`. */
export function lowerBound(list: Uint32Array, wanted: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Writes the intersection of two lists to `into`, which has room for `shorter` and may be either list. Returns its
 * length. Searches each number with doubling steps from the position of the previous one.
 */
export function intersectGalloping(shorter: Uint32Array, longer: Uint32Array, into: Uint32Array): number {
  let found = 0;
  let from = 0;
  for (let at = 0; at < shorter.length && from < longer.length; at++) {
    const wanted = shorter[at] ?? 0;
    let step = 1;
    while (from + step < longer.length && (longer[from + step] ?? 0) < wanted) step *= 2;
    from = lowerBound(longer, wanted, from + (step >>> 1), Math.min(longer.length, from + step + 1));
    if (longer[from] === wanted) into[found++] = wanted;
  }
  return found;
}

/** Writes the union of two lists to `into`, which has room for both and is neither. Returns its length. */
export function unite(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
  let aAt = 0;
  let bAt = 0;
  let found = 0;
  while (aAt < a.length && bAt < b.length) {
    const one = a[aAt] ?? 0;
    const other = b[bAt] ?? 0;
    into[found++] = one < other ? one : other;
    if (one <= other) aAt++;
    if (other <= one) bAt++;
  }
  const rest = aAt < a.length ? a.subarray(aAt) : b.subarray(bAt);
  into.set(rest, found);
  return found + rest.length;
}

/**
 * Writes to `into` the numbers of `list` whose bit is set. `into` may be `list`. Returns how many there are.
 * Bit `n % 32` of word `n / 32` stands for the number `n`; no bit is set after the end.
 */
export function intersectBits(list: Uint32Array, bits: Uint32Array, into: Uint32Array): number {
  let found = 0;
  for (let at = 0; at < list.length; at++) {
    const number = list[at] ?? 0;
    const word = bits[number >>> 5] ?? 0;
    // Written every time and counted only if its bit is set: a branch would be unpredictable.
    into[found] = number;
    found += (word >>> (number & 31)) & 1;
  }
  return found;
}
