/**
 * Which lines of a text are still there in a later one.
 *
 * What begins and ends alike is taken off; lines that occur once in both and keep their order divide the rest; what is
 * between two of those goes the shortest way from one to the other (Myers), as far as that is not too costly: lines
 * past the effort count as changed.
 */

/** Steps of all searches for a shortest way: some 50 ms. */
const maxEffort = 4_000_000;
/** Lines that one shortest way may leave and add; it needs memory by the square of that. */
const maxDifferences = 700;

/** For each line of `before` its place in `after`, or -1; places ascend. */
export function matchLines(before: readonly string[], after: readonly string[]): Int32Array {
  const matches = new Int32Array(before.length).fill(-1);
  const names = new Map<string, number>();
  const left = numbered(before, names);
  const right = numbered(after, names);
  const effort = { left: maxEffort };
  const waiting: Stretch[] = [{ start: 0, end: left.length, newStart: 0, newEnd: right.length }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const stretch = withoutEqualEnds(next, left, right, matches);
    if (stretch.start === stretch.end || stretch.newStart === stretch.newEnd) continue;
    const anchors = uniqueLines(stretch, left, right);
    if (anchors.length === 0) {
      shortestWay(stretch, left, right, matches, effort);
      continue;
    }
    let { start, newStart } = stretch;
    for (const [at, newAt] of anchors) {
      matches[at] = newAt;
      waiting.push({ start, end: at, newStart, newEnd: newAt });
      start = at + 1;
      newStart = newAt + 1;
    }
    waiting.push({ start, end: stretch.end, newStart, newEnd: stretch.newEnd });
  }
  return matches;
}

/** Lines `start` to before `end` of the old text, and of the new one. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** The same number for the same line. */
function numbered(lines: readonly string[], names: Map<string, number>): Int32Array {
  const numbers = new Int32Array(lines.length);
  for (const [at, line] of lines.entries()) {
    const known = names.get(line) ?? names.size;
    if (known === names.size) names.set(line, known);
    numbers[at] = known;
  }
  return numbers;
}

function withoutEqualEnds(
  stretch: Stretch,
  left: Int32Array,
  right: Int32Array,
  matches: Int32Array,
): Stretch {
  let { start, end, newStart, newEnd } = stretch;
  while (start < end && newStart < newEnd && left[start] === right[newStart]) matches[start++] = newStart++;
  while (start < end && newStart < newEnd && left[end - 1] === right[newEnd - 1]) matches[--end] = --newEnd;
  return { start, end, newStart, newEnd };
}

/** Lines that stand once in each side of a stretch: the longest run of them that is in the same order in both. */
function uniqueLines(stretch: Stretch, left: Int32Array, right: Int32Array): [at: number, newAt: number][] {
  const places = new Map<number, { at: number; newAt: number }>();
  for (let at = stretch.start; at < stretch.end; at++) {
    const line = left[at] ?? 0;
    places.set(line, { at: places.has(line) ? -1 : at, newAt: -1 });
  }
  for (let newAt = stretch.newStart; newAt < stretch.newEnd; newAt++) {
    const place = places.get(right[newAt] ?? 0);
    if (place === undefined) continue;
    // -2: it stands there more than once.
    place.newAt = place.newAt === -1 ? newAt : -2;
  }
  const unique = [...places.values()].filter(({ at, newAt }) => at >= 0 && newAt >= 0);
  return longestAscending(unique.sort((one, other) => one.at - other.at));
}

interface Pair {
  readonly at: number;
  readonly newAt: number;
}

/** Patience sorting: `ends[n]` is the smallest last `newAt` of a run of n + 1 pairs. */
function longestAscending(pairs: readonly Pair[]): [number, number][] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [index, { newAt }] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.newAt ?? 0) < newAt) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const run: [number, number][] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) run.push([pair.at, pair.newAt]);
  }
  return run.reverse();
}

/**
 * Myers' greedy search: `reach[k]` is how far one comes on diagonal k (old place − new place) with d differences. What
 * was reached with each d is kept, to walk back.
 */
function shortestWay(
  { start, end, newStart, newEnd }: Stretch,
  left: Int32Array,
  right: Int32Array,
  matches: Int32Array,
  effort: { left: number },
): void {
  const length = end - start;
  const newLength = newEnd - newStart;
  const most = Math.min(length + newLength, maxDifferences);
  const middle = most + 1;
  const reach = new Int32Array(2 * middle + 1);
  const kept: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach[middle + k - 1] ?? 0) < (reach[middle + k + 1] ?? 0));
      let x = down ? (reach[middle + k + 1] ?? 0) : (reach[middle + k - 1] ?? 0) + 1;
      let y = x - k;
      while (x < length && y < newLength && left[start + x] === right[newStart + y]) {
        x++;
        y++;
        effort.left--;
      }
      reach[middle + k] = x;
      if (x >= length && y >= newLength) {
        kept.push(reach.slice(middle - d - 1, middle + d + 2));
        walkBack(kept, start, newStart, length, newLength, matches);
        return;
      }
    }
    effort.left -= d + 1;
    if (effort.left < 0) return;
    kept.push(reach.slice(middle - d - 1, middle + d + 2));
  }
}

/** `kept[d]` holds the diagonals from −d−1 to d+1. */
function walkBack(
  kept: readonly Int32Array[],
  start: number,
  newStart: number,
  length: number,
  newLength: number,
  matches: Int32Array,
): void {
  let x = length;
  let y = newLength;
  for (let d = kept.length - 1; d >= 0; d--) {
    const k = x - y;
    const reach = kept[d - 1];
    let fromX = 0;
    let fromY = 0;
    if (reach !== undefined) {
      const below = reach[k - 1 + d] ?? 0;
      const above = reach[k + 1 + d] ?? 0;
      const down = k === -d || (k !== d && below < above);
      fromX = down ? above : below;
      fromY = fromX - (down ? k + 1 : k - 1);
    }
    const diagonalStart = reach === undefined ? 0 : Math.max(fromX, fromY + k);
    while (x > diagonalStart && x > 0 && y > 0) matches[start + --x] = newStart + --y;
    x = fromX;
    y = fromY;
  }
}
