/** Maps line numbers of a text to a later version of it, including lines that have changed a little. */
import { matchLines } from "./lineDiff";

/** A changed line is searched for at most this many lines before and after its expected position. */
const maxDistance = 40;
/**
 * The share of character pairs that two lines must have in common for one to count as a changed version of the other.
 */
const minSimilarity = 0.6;
const maxComparedLength = 400;
/** Limit of the comparisons for all requested lines together: about 50 ms. */
const maxComparisons = 20_000;

/** Returns, for each line number (from 1) of `before`, the one in `after`, or `null` if the line is gone. */
export function mapLines(before: string, after: string, lines: readonly number[]): (number | null)[] {
  const left = splitLines(before);
  const right = splitLines(after);
  const matches = matchLines(left, right);
  const texts = new Texts(left, right);
  return lines.map((line) => {
    if (line > left.length) return null;
    const found = matches[line - 1] ?? -1;
    const mapped = found >= 0 ? found : (texts.movedLine(line - 1) ?? changedLine(line - 1, matches, texts));
    return mapped === undefined ? null : mapped + 1;
  });
}

/** Splits a text into lines, without line terminators. */
export function splitLines(text: string): string[] {
  return text.split(/\r?\n/);
}

/**
 * Returns the most similar of the lines that replaced the old ones around `index`; among equals, the nearest to the
 * expected position. Returns undefined if none is similar enough.
 */
function changedLine(index: number, matches: Int32Array, texts: Texts): number | undefined {
  if (texts.comparisonsLeft <= 0) return undefined;
  const { first, last } = texts.gapAround(index, matches);
  const start = first < 0 ? 0 : (matches[first] ?? 0) + 1;
  const end = last >= matches.length ? texts.after.length : (matches[last] ?? 0);
  const share = (index - first) / Math.max(last - first, 1);
  const expected = Math.min(end - 1, start + Math.floor(share * (end - start)));
  const wanted = pairsOf(texts.before[index] ?? "");
  let best: number | undefined;
  let bestSimilarity = minSimilarity;
  for (let distance = 0; distance <= maxDistance; distance++) {
    for (const candidate of distance === 0 ? [expected] : [expected - distance, expected + distance]) {
      if (candidate < start || candidate >= end || texts.comparisonsLeft-- <= 0) continue;
      const found = similarity(wanted, texts.pairsAfter(candidate));
      if (found > bestSimilarity || (found === minSimilarity && best === undefined)) {
        best = candidate;
        bestSimilarity = found;
      }
    }
  }
  return best;
}

/** The index of each line that occurs once. */
type SingleLines = ReadonlyMap<string, number>;

function singleLines(lines: readonly string[]): SingleLines {
  const indexes = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (indexes.has(line)) repeated.add(line);
    else indexes.set(line, at);
  }
  for (const line of repeated) indexes.delete(line);
  return indexes;
}

class Texts {
  readonly before: readonly string[];
  readonly after: readonly string[];
  comparisonsLeft = maxComparisons;
  readonly #pairs = new Map<number, Uint32Array>();
  #gap = { first: 0, last: 0 };
  #single: { readonly before: SingleLines; readonly after: SingleLines } | undefined;

  constructor(before: readonly string[], after: readonly string[]) {
    this.before = before;
    this.after = after;
  }

  /** Finds a line that occurs once in both texts and has moved past others. */
  movedLine(index: number): number | undefined {
    this.#single ??= { before: singleLines(this.before), after: singleLines(this.after) };
    const text = this.before[index] ?? "";
    return this.#single.before.has(text) ? this.#single.after.get(text) : undefined;
  }

  /** Returns the matched lines around an unmatched one. Cached: neighboring lines are usually requested together. */
  gapAround(index: number, matches: Int32Array): { readonly first: number; readonly last: number } {
    let { first, last } = this.#gap;
    if (index <= first || index >= last) {
      first = index - 1;
      while (first >= 0 && (matches[first] ?? -1) < 0) first--;
      last = index + 1;
      while (last < matches.length && (matches[last] ?? -1) < 0) last++;
      this.#gap = { first, last };
    }
    return { first, last };
  }

  pairsAfter(index: number): Uint32Array {
    const pairs = this.#pairs.get(index) ?? pairsOf(this.after[index] ?? "");
    this.#pairs.set(index, pairs);
    return pairs;
  }
}

/** Returns the pairs of adjacent characters as sorted numbers. Ignores whitespace around the line. */
function pairsOf(line: string): Uint32Array {
  const text = line.trim().slice(0, maxComparedLength);
  const pairs = new Uint32Array(Math.max(text.length - 1, 0));
  for (let at = 0; at < pairs.length; at++) {
    pairs[at] = (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
  }
  return pairs.sort();
}

/** Returns the Dice coefficient of two lists of pairs, 0 to 1. */
function similarity(one: Uint32Array, other: Uint32Array): number {
  if (one.length === 0 || other.length === 0) return 0;
  let common = 0;
  for (let left = 0, right = 0; left < one.length && right < other.length; ) {
    const difference = (one[left] ?? 0) - (other[right] ?? 0);
    if (difference === 0) common++;
    if (difference <= 0) left++;
    if (difference >= 0) right++;
  }
  return (2 * common) / (one.length + other.length);
}
