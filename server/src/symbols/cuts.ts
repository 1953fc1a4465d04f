/** Parts left out of a text, and the way back from what is left to the whole. */

/** Shorter parts cost less than leaving them out. */
const leastBytes = 8;

/** Ranges of bytes, ascending and apart from each other. */
export class Cuts {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** What is left: where something is defined, or around these places, which ascend. */
  readonly #places: readonly number[] | undefined;
  #placesBefore = 0;

  constructor(places?: readonly number[]) {
    this.#places = places;
  }

  get count(): number {
    return this.starts.length;
  }

  get hasPlaces(): boolean {
    return this.#places !== undefined;
  }

  /** Whether a part has to be left. Asked for parts by ascending ends. */
  isWanted(start: number, end: number, defines: boolean): boolean {
    const places = this.#places;
    if (places === undefined) return defines;
    while ((places[this.#placesBefore] ?? end) < end) this.#placesBefore++;
    return (places[this.#placesBefore - 1] ?? -1) >= start;
  }

  /** From the `count`-th on, cuts are given up for one around them. */
  add(start: number, end: number, count = this.count): void {
    if (end - start < leastBytes) return;
    this.giveUp(count);
    this.starts.push(start);
    this.ends.push(end);
  }

  /** From the `count`-th on. */
  giveUp(count: number): void {
    this.starts.length = count;
    this.ends.length = count;
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
    let skipped = 0;
    for (let index = 0; index < count; index++) {
      const start = starts[index] ?? 0;
      this.#places[index] = start - skipped;
      skipped += (ends[index] ?? 0) - start;
      this.#skipped[index + 1] = skipped;
    }
    this.content = new Uint8Array(whole.length - skipped);
    let from = 0;
    for (let index = 0; index <= count; index++) {
      const part = whole.subarray(from, starts[index]);
      this.content.set(part, from - (this.#skipped[index] ?? 0));
      from = ends[index] ?? 0;
    }
  }

  /** Where in `content` a place of the whole text lies that was not left out. */
  shortOffset(whole: number): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle] ?? 0) + (this.#skipped[middle + 1] ?? 0) <= whole) low = middle + 1;
      else high = middle;
    }
    return whole - (this.#skipped[low] ?? 0);
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
