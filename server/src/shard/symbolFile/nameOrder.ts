/** The order of names in a symbol file: by UTF-16 units, first of their folded forms, then of themselves. */

const newline = 0x0a;
/** Shorter ranges are sorted by insertion. */
const minPartitioned = 16;

/** The sort keys of UTF-8 bytes. In UTF-16, surrogate pairs sort before U+E000 to U+FFFF. */
const exactRanks = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0xee || byte === 0xef ? byte + 0x10 : byte,
);
/** The same, ignoring ASCII case. */
export const foldedRanks = exactRanks.map((rank, byte) =>
  byte >= 0x41 && byte <= 0x5a ? rank + 0x20 : rank,
);

interface Sorting {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  /** Indexes in `starts`. */
  readonly order: Uint32Array;
  readonly ranks: Uint8Array;
}

/**
 * Sorts names, which have no control characters, and each of which ends with a newline in `bytes`. Returns the indexes of
 * their starts in order.
 */
export function sortNames(bytes: Uint8Array, starts: Uint32Array): Uint32Array {
  const order = new Uint32Array(starts.length);
  for (let at = 0; at < order.length; at++) order[at] = at;
  sortRange({ bytes, starts, order, ranks: foldedRanks }, 0, order.length, 0);
  return order;
}

/** Sorts `order[from … to)`, names whose first `depth` bytes have the same ranks, with a three-way radix quicksort. */
function sortRange(sorting: Sorting, from: number, to: number, depth: number): void {
  const { bytes, starts, order, ranks } = sorting;
  const rankAt = (at: number) => ranks[bytes[(starts[order[at] ?? 0] ?? 0) + depth] ?? 0] ?? 0;
  while (to - from >= minPartitioned) {
    // At random, because names could be made so that any fixed position has the rarest rank.
    const pivot = rankAt(from + Math.floor(Math.random() * (to - from)));
    let less = from;
    let greater = to;
    for (let at = from; at < greater; ) {
      const number = order[at] ?? 0;
      const rank = rankAt(at);
      if (rank < pivot) {
        order[at++] = order[less] ?? 0;
        order[less++] = number;
      } else if (rank > pivot) {
        order[at] = order[--greater] ?? 0;
        order[greater] = number;
      } else at++;
    }
    // No rank is less than that of a newline, where names end.
    if (pivot === newline) {
      if (ranks === foldedRanks) sortRange({ ...sorting, ranks: exactRanks }, from, greater, 0);
      from = greater;
      continue;
    }
    if (less === from && greater === to) {
      depth = commonDepth(sorting, from, to, depth + 1);
      continue;
    }
    // This loop continues with the longest range, so that no names can make the stack overflow.
    const longest = Math.max(less - from, greater - less, to - greater);
    if (greater - less === longest) {
      sortRange(sorting, from, less, depth);
      sortRange(sorting, greater, to, depth);
      from = less;
      to = greater;
      depth++;
    } else {
      sortRange(sorting, less, greater, depth + 1);
      if (less - from === longest) {
        sortRange(sorting, greater, to, depth);
        to = less;
      } else {
        sortRange(sorting, from, less, depth);
        from = greater;
      }
    }
  }
  for (let at = from + 1; at < to; at++) {
    const number = order[at] ?? 0;
    let into = at;
    for (; into > from && compareNames(sorting, order[into - 1] ?? 0, number, depth) > 0; into--)
      order[into] = order[into - 1] ?? 0;
    order[into] = number;
  }
}

/** Compares two names from byte `depth` on. */
function compareNames(sorting: Sorting, left: number, right: number, depth: number): number {
  const { bytes, starts, ranks } = sorting;
  const leftStart = starts[left] ?? 0;
  const rightStart = starts[right] ?? 0;
  for (let at = depth; ; at++) {
    const rank = ranks[bytes[leftStart + at] ?? 0] ?? 0;
    const difference = rank - (ranks[bytes[rightStart + at] ?? 0] ?? 0);
    if (difference !== 0) return difference;
    if (rank === newline)
      return ranks === foldedRanks ? compareNames({ ...sorting, ranks: exactRanks }, left, right, 0) : 0;
  }
}

/** Returns how many first bytes of the names `order[from … to)` have the same ranks. They are known to be at least `depth`. */
function commonDepth(
  { bytes, starts, order, ranks }: Sorting,
  from: number,
  to: number,
  depth: number,
): number {
  const first = starts[order[from] ?? 0] ?? 0;
  let common = Number.POSITIVE_INFINITY;
  for (let at = from + 1; at < to; at++) {
    const start = starts[order[at] ?? 0] ?? 0;
    let equal = depth;
    while (equal < common && bytes[first + equal] !== newline) {
      if (ranks[bytes[first + equal] ?? 0] !== ranks[bytes[start + equal] ?? 0]) break;
      equal++;
    }
    common = equal;
  }
  return common;
}
