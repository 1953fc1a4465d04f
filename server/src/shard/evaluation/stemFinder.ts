import type { Kernels } from "#kernels/kernels";
import { stemOf } from "#query/description";
import type { TextWindow } from "#shard/format/window";
import { byteClasses, endsAtEdge, type RangeBuffer, startsAtEdge } from "#shard/matches/ranges";
import { compilePattern, type LiteralPattern } from "./pattern";

const classes = { other: 0, lower: 1, upper: 2, digit: 3, nonAscii: 4 } as const;
/** Suffixes are cached, because a text has few different ones. Hostile texts may have many. */
const maxKnownSuffixes = 1000;
/** Numbers of more bytes would not be exact. */
const maxKeyBytes = 7;

/** Finds the words with one stem, also within identifiers: `regist` finds `registry` in `route_registry` and `RouteRegistry`. */
export class StemFinder {
  readonly stem: string;
  /** Finds the stem anywhere. Case matters in stems that are not ASCII: they are found as written. */
  readonly pattern: LiteralPattern;
  readonly #isAscii: boolean;
  /** By the bytes of the suffix as a number, or as text if it has more. */
  readonly #suffixes = new Map<number | string, boolean>();

  constructor(stem: string, kernels: Kernels) {
    this.stem = stem;
    this.#isAscii = /^[a-z0-9]+$/.test(stem);
    const pattern = compilePattern({ kind: "literal", text: stem, caseSensitive: !this.#isAscii }, kernels);
    if (pattern.kind !== "literal") throw new Error(`The stem "${stem}" is not a literal`);
    this.pattern = pattern;
  }

  /**
   * Appends the words in `[base, end)` of the kernels' memory, which starts at byte `origin` of the document and at the
   * start of a line.
   */
  find(
    window: TextWindow,
    base: number,
    end: number,
    origin: number,
    term: number,
    ranges: RangeBuffer,
  ): void {
    const { kernels } = window;
    const { needle } = this.pattern;
    const count = kernels.find(needle, base, end - base);
    const { hits, bytes } = kernels;
    const { buffer } = window;
    for (let at = 0; at < count; at++) {
      const start = base + (hits[at] ?? 0);
      const stop = this.#wordEnd(buffer, bytes, start, base, end);
      if (stop > 0) ranges.push(origin + start - base, origin + stop - base, startsAtEdge | endsAtEdge, term);
    }
  }

  /** Returns where the word that starts at `start` ends; 0 if no word with this stem starts there. */
  #wordEnd(buffer: Buffer, bytes: Uint8Array, start: number, low: number, high: number): number {
    const stemEnd = start + this.pattern.needle.bytes.length;
    const first = byteClasses[bytes[start] ?? 0];
    const isStart = first === classes.nonAscii || isWordStart(bytes, start, low, high);
    if (!isStart || !this.#isAscii) return isStart ? stemEnd : 0;
    const second = start + 1 < high ? byteClasses[bytes[start + 1] ?? 0] : classes.other;
    const isUpper = first === classes.upper && second === classes.upper;
    const rest = first === classes.upper && !isUpper ? classes.lower : first;
    let end = start + 1;
    while (end < high && byteClasses[bytes[end] ?? 0] === rest) end++;
    // The last capital of `JSONParser` that is followed by a lower-case letter starts the next word.
    if (isUpper && end < high && byteClasses[bytes[end] ?? 0] === classes.lower) end--;
    if (end < stemEnd) return 0;
    return end === stemEnd || this.#accepts(buffer, stemEnd, end) ? end : 0;
  }

  /** Whether words with the suffix `[start, end)` have the stem. */
  #accepts(buffer: Buffer, start: number, end: number): boolean {
    const key = end - start > maxKeyBytes ? buffer.toString("latin1", start, end) : keyOf(buffer, start, end);
    let accepts = this.#suffixes.get(key);
    if (accepts === undefined) {
      const suffix = buffer.toString("latin1", start, end);
      accepts = stemOf(this.stem + suffix.toLowerCase()) === this.stem;
      if (this.#suffixes.size < maxKnownSuffixes) this.#suffixes.set(key, accepts);
    }
    return accepts;
  }
}

/** Returns a number for ASCII letters and digits, because decoding them takes longer than looking them up. */
function keyOf(bytes: Uint8Array, start: number, end: number): number {
  let key = 0;
  for (let at = start; at < end; at++) key = key * 0x80 + (bytes[at] ?? 0);
  return key;
}

/** Whether a word of an identifier starts at an ASCII letter or digit. Reads only bytes in `[low, high)`. */
function isWordStart(bytes: Uint8Array, at: number, low: number, high: number): boolean {
  if (at === low) return true;
  const before = byteClasses[bytes[at - 1] ?? 0];
  const here = byteClasses[bytes[at] ?? 0];
  if (before === classes.other) return true;
  if (before === classes.nonAscii) return here === classes.upper;
  if (before === here) {
    // In `JSONParser`, `P` starts a word.
    return here === classes.upper && at + 1 < high && byteClasses[bytes[at + 1] ?? 0] === classes.lower;
  }
  return here !== classes.lower || before === classes.digit;
}
