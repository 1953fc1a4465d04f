/** Set operations on strictly ascending lists of numbers, where one is much shorter or comes as bits. */

/** From here on, leaping through the longer list beats going through both (test/bench/kernels.bench.ts). */
export const gallopingFactor = 50;

/** Place of the first number in `[from, to)` that is at least `wanted`, or `to`. */
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
 * Puts what both lists have in common into `into`, which has room for `shorter` and may be either list, and gives
 * how many there are. Each number is looked for in leaps that double, from where the one before it was.
 */
export function intersectGalloping(shorter: Uint32Array, longer: Uint32Array, into: Uint32Array): number {
  let found = 0;
  let from = 0;
  for (let at = 0; at < shorter.length && from < longer.length; at++) {
    const wanted = shorter[at] ?? 0;
    let leap = 1;
    while (from + leap < longer.length && (longer[from + leap] ?? 0) < wanted) leap *= 2;
    from = lowerBound(longer, wanted, from + (leap >>> 1), Math.min(longer.length, from + leap + 1));
    if (longer[from] === wanted) into[found++] = wanted;
  }
  return found;
}

/** Puts what is in either list into `into`, which has room for both and is neither, and gives how many there are. */
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
 * Puts the numbers whose bit is set into `into`, which may be `list`, and gives how many there are.
 * Bit `n % 32` of word `n / 32` stands for the number `n`; past the end no bit is set.
 */
export function intersectBits(list: Uint32Array, bits: Uint32Array, into: Uint32Array): number {
  let found = 0;
  for (let at = 0; at < list.length; at++) {
    const number = list[at] ?? 0;
    const word = bits[number >>> 5] ?? 0;
    // Written each time and counted when it belongs, since nobody can foretell which one does.
    into[found] = number;
    found += (word >>> (number & 31)) & 1;
  }
  return found;
}
