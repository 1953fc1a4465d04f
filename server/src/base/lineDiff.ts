/**
 * Finds which lines of a text still exist in a later version of it.
 *
 * Common prefixes and suffixes are trimmed. Lines that occur exactly once in both versions, in the same order, are the
 * anchors (patience diff). Between two anchors, Myers' algorithm finds the shortest edit script. The effort is limited:
 * lines beyond it count as changed.
 */
import { partitionPoint } from "./binarySearch";

/** Limit of the steps of all Myers searches together: about 50 ms. */
const maxEffort = 4_000_000;
/** Largest edit distance that one Myers search explores. Memory grows with its square. */
const maxEdits = 700;

/** Returns, for each line of `before`, its index in `after`, or -1. Indexes ascend. */
export function matchLines(before: readonly string[], after: readonly string[]): Int32Array {
  const matches = new Int32Array(before.length).fill(-1);
  const lineIds = new Map<string, number>();
  const left = internLines(before, lineIds);
  const right = internLines(after, lineIds);
  const effort = { left: maxEffort };
  const pending: LineRange[] = [{ start: 0, end: left.length, newStart: 0, newEnd: right.length }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const range = trimEqualEnds(next, left, right, matches);
    if (range.start === range.end || range.newStart === range.newEnd) continue;
    const anchors = matchUniqueLines(range, left, right);
    if (anchors.length === 0) {
      shortestEdit(range, left, right, matches, effort);
      continue;
    }
    let { start, newStart } = range;
    for (const [oldIndex, newIndex] of anchors) {
      matches[oldIndex] = newIndex;
      pending.push({ start, end: oldIndex, newStart, newEnd: newIndex });
      start = oldIndex + 1;
      newStart = newIndex + 1;
    }
    pending.push({ start, end: range.end, newStart, newEnd: range.newEnd });
  }
  return matches;
}

/** Half-open ranges of lines in the old text and in the new one. */
interface LineRange {
  readonly start: number;
  readonly end: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Numbers lines so that equal lines have equal numbers. */
function internLines(lines: readonly string[], lineIds: Map<string, number>): Int32Array {
  const ids = new Int32Array(lines.length);
  for (const [at, line] of lines.entries()) {
    const known = lineIds.get(line) ?? lineIds.size;
    if (known === lineIds.size) lineIds.set(line, known);
    ids[at] = known;
  }
  return ids;
}

function trimEqualEnds(
  range: LineRange,
  left: Int32Array,
  right: Int32Array,
  matches: Int32Array,
): LineRange {
  let { start, end, newStart, newEnd } = range;
  while (start < end && newStart < newEnd && left[start] === right[newStart]) matches[start++] = newStart++;
  while (start < end && newStart < newEnd && left[end - 1] === right[newEnd - 1]) matches[--end] = --newEnd;
  return { start, end, newStart, newEnd };
}

/** Returns the longest sequence of lines that occur once on each side of a range, in the same order on both. */
function matchUniqueLines(
  range: LineRange,
  left: Int32Array,
  right: Int32Array,
): [oldIndex: number, newIndex: number][] {
  const indexes = new Map<number, { oldIndex: number; newIndex: number }>();
  for (let oldIndex = range.start; oldIndex < range.end; oldIndex++) {
    const line = left[oldIndex] ?? 0;
    indexes.set(line, { oldIndex: indexes.has(line) ? -1 : oldIndex, newIndex: -1 });
  }
  for (let newIndex = range.newStart; newIndex < range.newEnd; newIndex++) {
    const entry = indexes.get(right[newIndex] ?? 0);
    if (entry === undefined) continue;
    // -2: the line occurs more than once in the new text.
    entry.newIndex = entry.newIndex === -1 ? newIndex : -2;
  }
  const unique = [...indexes.values()].filter(({ oldIndex, newIndex }) => oldIndex >= 0 && newIndex >= 0);
  return longestAscending(unique.sort((one, other) => one.oldIndex - other.oldIndex));
}

interface Pair {
  readonly oldIndex: number;
  readonly newIndex: number;
}

/**
 * Returns the longest run of pairs whose `newIndex` ascend. Patience sorting: `ends[n]` is the index of the pair with the
 * smallest `newIndex` that ends a run of n + 1 pairs.
 */
function longestAscending(pairs: readonly Pair[]): [number, number][] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [index, { newIndex }] of pairs.entries()) {
    const length = partitionPoint(0, ends.length, (at) => (pairs[ends[at] ?? 0]?.newIndex ?? 0) < newIndex);
    before[index] = ends[length - 1] ?? -1;
    ends[length] = index;
  }
  const run: [number, number][] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) run.push([pair.oldIndex, pair.newIndex]);
  }
  return run.reverse();
}

/**
 * Myers' greedy search: `reach[k]` is the furthest old line on diagonal k (old line − new line) with d edits. The state
 * of each d is saved for tracing back.
 */
function shortestEdit(
  { start, end, newStart, newEnd }: LineRange,
  left: Int32Array,
  right: Int32Array,
  matches: Int32Array,
  effort: { left: number },
): void {
  const length = end - start;
  const newLength = newEnd - newStart;
  const most = Math.min(length + newLength, maxEdits);
  const middle = most + 1;
  const reach = new Int32Array(2 * middle + 1);
  const states: Int32Array[] = [];
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
        states.push(reach.slice(middle - d - 1, middle + d + 2));
        traceBack(states, start, newStart, length, newLength, matches);
        return;
      }
    }
    effort.left -= d + 1;
    if (effort.left < 0) return;
    states.push(reach.slice(middle - d - 1, middle + d + 2));
  }
}

/** `states[d]` contains the diagonals from −d−1 to d+1. */
function traceBack(
  states: readonly Int32Array[],
  start: number,
  newStart: number,
  length: number,
  newLength: number,
  matches: Int32Array,
): void {
  let x = length;
  let y = newLength;
  for (let d = states.length - 1; d >= 0; d--) {
    const k = x - y;
    const reach = states[d - 1];
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
