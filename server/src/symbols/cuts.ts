/** Parts left out of a text, and the way back from what is left to the whole. */

/** Ranges of bytes, ascending and apart from each other. */
export class Cuts {
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  get count(): number {
    return this.starts.length;
  }

  /** Takes the place of those from the `count`-th on, which lie in it. */
  replace(count: number, start: number, end: number): void {
    this.starts.length = count;
    this.ends.length = count;
    this.starts.push(start);
    this.ends.push(end);
  }
}

/** A text without what was cut. */
export class ShortText {
  readonly content: Uint8Array;
  /** Where in `content` something was left out, ascending. */
  readonly #places: Uint32Array;
  /** How many bytes were left out before each of them, and in all. */
  readonly #skipped: Uint32Array;

  constructor(whole: Uint8Array, { count, starts, ends }: Cuts) {
    this.#places = new Uint32Array(count);
    this.#skipped = new Uint32Array(count + 1);
    const content = new Uint8Array(whole.length);
    let from = 0;
    let length = 0;
    for (let index = 0; index < count; index++) {
      const start = starts[index] ?? 0;
      content.set(whole.subarray(from, start), length);
      length += start - from;
      from = ends[index] ?? 0;
      this.#places[index] = length;
      this.#skipped[index + 1] = from - length;
    }
    content.set(whole.subarray(from), length);
    this.content = content.subarray(0, length + whole.length - from);
  }

  /** Where in the whole text a place of `content` lies; one at a cut is the end of what is before it. */
  wholeOffset(offset: number): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + (this.#skipped[low] ?? 0);
  }
}
