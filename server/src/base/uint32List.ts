/** A growable list of unsigned 32-bit integers. A typed array, because the garbage collector does not scan it. */
export class Uint32List {
  #values = new Uint32Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns 0 past the end. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? 0) : 0;
  }

  /** Sets a value. If `index` is past the end, all values before it that are not set yet are 0. */
  set(index: number, value: number): void {
    if (index >= this.#length) this.#extend(index + 1);
    this.#values[index] = value;
  }

  push(value: number): void {
    this.set(this.#length, value);
  }

  truncate(length: number): void {
    this.#values.fill(0, length, this.#length);
    this.#length = Math.min(length, this.#length);
  }

  #extend(length: number): void {
    if (length > this.#values.length) {
      const grown = new Uint32Array(Math.max(length, 2 * this.#values.length));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#length = length;
  }
}
