/** Elides ranges of a text, and maps offsets between the elided and the original text. */
import { partitionPoint } from "#base/binarySearch";

/** Shorter ranges are not worth eliding. */
const minBytes = 8;

/** Byte ranges to elide, ascending and disjoint. */
export class Cuts {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /**
   * Ranges that contain one of these ascending offsets, except for those of `skip`, are kept; if undefined, ranges that
   * define something are.
   */
  readonly #offsets: readonly number[] | undefined;
  /** The index of the first offset that has not been passed, and the last passed one that was not skipped. */
  #next = 0;
  #last = -1;

  constructor(offsets?: readonly number[]) {
    this.#offsets = offsets;
  }

  get count(): number {
    return this.starts.length;
  }

  /** Whether the text is elided to find one name, rather than all definitions. */
  get isForName(): boolean {
    return this.#offsets !== undefined;
  }

  /** Whether a range must be kept. Must be called with ascending ends. */
  mustKeep(start: number, end: number, definesNames: boolean): boolean {
    if (this.#offsets === undefined) return definesNames;
    this.#passTo(end);
    return this.#last >= start;
  }

  /**
   * Skips the offsets in a comment or a string. Must be called in order with `mustKeep`, and only if `start` is certainly
   * not in another one or an expression: a name that is skipped is not found.
   */
  skip(start: number, end: number): void {
    if (this.#offsets === undefined) return;
    this.#passTo(start);
    while ((this.#offsets[this.#next] ?? end) < end) this.#next++;
  }

  /** Whether an offset was not skipped. Must be called last. */
  hasName(): boolean {
    this.#passTo(Number.POSITIVE_INFINITY);
    return this.#last >= 0;
  }

  #passTo(end: number): void {
    for (; this.#next < (this.#offsets?.length ?? 0); this.#next++) {
      const offset = this.#offsets?.[this.#next] ?? end;
      if (offset >= end) return;
      this.#last = offset;
    }
  }

  /** Adds a range. It replaces the ranges from index `count` on, which are inside it. */
  add(start: number, end: number, count = this.count): void {
    if (end - start < minBytes) return;
    this.truncate(count);
    this.starts.push(start);
    this.ends.push(end);
  }

  /** Removes the ranges from index `count` on. */
  truncate(count: number): void {
    this.starts.length = count;
    this.ends.length = count;
  }
}

/** A text without the elided ranges. */
export class ElidedText {
  readonly content: Uint8Array;
  /** Whether the name for which the text was elided may occur in code. */
  readonly hasName: boolean;
  /** The offsets in `content` where a range was elided, ascending. */
  readonly #offsets: Uint32Array;
  /** The number of bytes elided before each of them, and in total. */
  readonly #skipped: Uint32Array;

  constructor(original: Uint8Array, cuts: Cuts) {
    const { count, starts, ends } = cuts;
    this.hasName = cuts.hasName();
    this.#offsets = new Uint32Array(count);
    this.#skipped = new Uint32Array(count + 1);
    let skipped = 0;
    for (let index = 0; index < count; index++) {
      const start = starts[index] ?? 0;
      this.#offsets[index] = start - skipped;
      skipped += (ends[index] ?? 0) - start;
      this.#skipped[index + 1] = skipped;
    }
    this.content = new Uint8Array(original.length - skipped);
    let from = 0;
    for (let index = 0; index <= count; index++) {
      const part = original.subarray(from, starts[index]);
      this.content.set(part, from - (this.#skipped[index] ?? 0));
      from = ends[index] ?? 0;
    }
  }

  /** Maps an offset of the original text. Returns undefined inside of an elided range, whose start maps to the cut. */
  toElided(original: number): number | undefined {
    const isBefore = (index: number) =>
      (this.#offsets[index] ?? 0) + (this.#skipped[index + 1] ?? 0) <= original;
    const cuts = partitionPoint(0, this.#offsets.length, isBefore);
    const offset = original - (this.#skipped[cuts] ?? 0);
    return offset > (this.#offsets[cuts] ?? offset) ? undefined : offset;
  }

  /** Maps an offset of `content`. An offset at a cut maps to the start of the elided range. */
  toOriginal(offset: number): number {
    const cuts = partitionPoint(0, this.#offsets.length, (at) => (this.#offsets[at] ?? 0) < offset);
    return offset + (this.#skipped[cuts] ?? 0);
  }
}
