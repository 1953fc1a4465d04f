/**
 * A set of integers from 0 to `size - 1`, 32 per word. `intersect`, `unite`, `subtract` and `invert` change the set in
 * place. Made for inner loops: does not check bounds.
 */
export class Bitset {
  readonly words: Uint32Array;
  /** All members are less than this. */
  readonly size: number;

  constructor(size: number, words = new Uint32Array((size + 31) >>> 5)) {
    this.size = size;
    this.words = words;
  }

  static full(size: number): Bitset {
    const set = new Bitset(size);
    set.words.fill(0xffffffff);
    set.#trim();
    return set;
  }

  has(member: number): boolean {
    return ((this.words[member >>> 5] ?? 0) & (1 << (member & 31))) !== 0;
  }

  add(member: number): void {
    const word = member >>> 5;
    this.words[word] = (this.words[word] ?? 0) | (1 << (member & 31));
  }

  delete(member: number): void {
    const word = member >>> 5;
    this.words[word] = (this.words[word] ?? 0) & ~(1 << (member & 31));
  }

  /** Adds all integers in `[start, end)`. */
  addRange(start: number, end: number): void {
    for (let member = start; member < end; ) {
      if ((member & 31) === 0 && member + 32 <= end) {
        this.words[member >>> 5] = 0xffffffff;
        member += 32;
      } else {
        this.add(member++);
      }
    }
  }

  copy(): Bitset {
    return new Bitset(this.size, this.words.slice());
  }

  intersect(other: Bitset): this {
    for (let at = 0; at < this.words.length; at++)
      this.words[at] = (this.words[at] ?? 0) & (other.words[at] ?? 0);
    return this;
  }

  unite(other: Bitset): this {
    for (let at = 0; at < this.words.length; at++)
      this.words[at] = (this.words[at] ?? 0) | (other.words[at] ?? 0);
    return this;
  }

  subtract(other: Bitset): this {
    for (let at = 0; at < this.words.length; at++)
      this.words[at] = (this.words[at] ?? 0) & ~(other.words[at] ?? 0);
    return this;
  }

  invert(): this {
    for (let at = 0; at < this.words.length; at++) this.words[at] = ~(this.words[at] ?? 0);
    this.#trim();
    return this;
  }

  count(): number {
    let total = 0;
    for (let at = 0; at < this.words.length; at++) {
      let word = this.words[at] ?? 0;
      word -= (word >>> 1) & 0x55555555;
      word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
      total += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return total;
  }

  isEmpty(): boolean {
    for (let at = 0; at < this.words.length; at++) if (this.words[at] !== 0) return false;
    return true;
  }

  /** Returns the first member that is at least `from`, or -1. */
  next(from: number): number {
    if (from >= this.size) return -1;
    let at = from >>> 5;
    let word = (this.words[at] ?? 0) & (0xffffffff << (from & 31));
    while (word === 0) {
      at++;
      if (at >= this.words.length) return -1;
      word = this.words[at] ?? 0;
    }
    return (at << 5) + 31 - Math.clz32(word & -word);
  }

  /** Clears the bits of the last word that are not less than `size`. */
  #trim(): void {
    const rest = this.size & 31;
    const last = this.words.length - 1;
    if (rest !== 0 && last >= 0) this.words[last] = (this.words[last] ?? 0) & ((1 << rest) - 1);
  }
}
