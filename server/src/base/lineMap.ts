/** Where lines of a text stand in a later one, also when they were touched a little. */
import { matchLines } from "./lineDiff";

/** A line that was changed is looked for so far around the place where it would be. */
const maxDistance = 40;
/** Share of pairs of letters that two lines must have in common to be the same line, changed. */
const minSimilarity = 0.6;
const maxComparedLength = 400;
/** In all, for all lines that are asked for: some 50 ms. */
const maxComparisons = 20_000;

/** For each line number (from 1) of `before` the one in `after`; `null` where it is not there any more. */
export function mapLines(before: string, after: string, lines: readonly number[]): (number | null)[] {
  const left = splitLines(before);
  const right = splitLines(after);
  const matches = matchLines(left, right);
  const texts = new Texts(left, right);
  return lines.map((line) => {
    if (line > left.length) return null;
    const found = matches[line - 1] ?? -1;
    const place = found >= 0 ? found : (texts.movedLine(line - 1) ?? changedLine(line - 1, matches, texts));
    return place === undefined ? null : place + 1;
  });
}

/** Line ends are no part of a line. */
export function splitLines(text: string): string[] {
  return text.split(/\r?\n/);
}

/** The most similar of the lines that stand in place of the old ones around `at`; of equals the nearest. */
function changedLine(at: number, matches: Int32Array, texts: Texts): number | undefined {
  if (texts.comparisonsLeft <= 0) return undefined;
  const { first, last } = texts.stretchAround(at, matches);
  const start = first < 0 ? 0 : (matches[first] ?? 0) + 1;
  const end = last >= matches.length ? texts.after.length : (matches[last] ?? 0);
  const share = (at - first) / Math.max(last - first, 1);
  const expected = Math.min(end - 1, start + Math.floor(share * (end - start)));
  const wanted = pairsOf(texts.before[at] ?? "");
  let best: number | undefined;
  let bestSimilarity = minSimilarity;
  for (let distance = 0; distance <= maxDistance; distance++) {
    for (const place of distance === 0 ? [expected] : [expected - distance, expected + distance]) {
      if (place < start || place >= end || texts.comparisonsLeft-- <= 0) continue;
      const found = similarity(wanted, texts.pairsAfter(place));
      if (found > bestSimilarity || (found === minSimilarity && best === undefined)) {
        best = place;
        bestSimilarity = found;
      }
    }
  }
  return best;
}

/** Index of each line that no other one is equal to. */
type SingleLines = ReadonlyMap<string, number>;

function singleLines(lines: readonly string[]): SingleLines {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    else places.set(line, at);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

class Texts {
  readonly before: readonly string[];
  readonly after: readonly string[];
  comparisonsLeft = maxComparisons;
  readonly #pairs = new Map<number, Uint32Array>();
  #stretch = { first: 0, last: 0 };
  #single: { readonly before: SingleLines; readonly after: SingleLines } | undefined;

  constructor(before: readonly string[], after: readonly string[]) {
    this.before = before;
    this.after = after;
  }

  /** Where a line went to that stands once in both texts: past others, or it would be matched. */
  movedLine(at: number): number | undefined {
    this.#single ??= { before: singleLines(this.before), after: singleLines(this.after) };
    const text = this.before[at] ?? "";
    return this.#single.before.has(text) ? this.#single.after.get(text) : undefined;
  }

  /** The matched lines before and after a line that is not, whose neighbours were mostly asked for just before. */
  stretchAround(at: number, matches: Int32Array): { readonly first: number; readonly last: number } {
    let { first, last } = this.#stretch;
    if (at <= first || at >= last) {
      first = at - 1;
      while (first >= 0 && (matches[first] ?? -1) < 0) first--;
      last = at + 1;
      while (last < matches.length && (matches[last] ?? -1) < 0) last++;
      this.#stretch = { first, last };
    }
    return { first, last };
  }

  pairsAfter(place: number): Uint32Array {
    const pairs = this.#pairs.get(place) ?? pairsOf(this.after[place] ?? "");
    this.#pairs.set(place, pairs);
    return pairs;
  }
}

/** Pairs of neighbouring letters as numbers, in order; white space around the line does not count. */
function pairsOf(line: string): Uint32Array {
  const text = line.trim().slice(0, maxComparedLength);
  const pairs = new Uint32Array(Math.max(text.length - 1, 0));
  for (let at = 0; at < pairs.length; at++) {
    pairs[at] = (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
  }
  return pairs.sort();
}

/** What part of their pairs both have (Dice), 0 to 1. */
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
