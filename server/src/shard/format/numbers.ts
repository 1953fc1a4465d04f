import { shardDamaged } from "./checksum";

/** A growing buffer of LEB128 numbers. */
export class GrowingBytes {
  #bytes = new Uint8Array(1 << 12);
  length = 0;

  /** Appends an integer from 0 to 2³⁵ - 1. */
  writeNumber(value: number): void {
    if (this.length + 5 > this.#bytes.length) {
      const bytes = new Uint8Array(this.#bytes.length * 2);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.length++] = rest;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Reads consecutive LEB128 numbers of up to 35 bits. */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** Throws `SHARD_DAMAGED` at the end, and for a number that is too long. */
  next(): number {
    const byte = this.#bytes[this.#offset++] ?? 0x80;
    return byte < 0x80 ? byte : this.#continue(byte & 0x7f);
  }

  #continue(lowest: number): number {
    let value = lowest;
    for (let factor = 0x80; factor < 2 ** 35; factor *= 0x80) {
      const byte = this.#bytes[this.#offset++] ?? 0x80;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw shardDamaged("A number is truncated or too long");
  }
}

/** A growing buffer of 32-bit numbers. */
export class GrowingWords {
  #words = new Uint32Array(1 << 10);
  length = 0;

  push(value: number): void {
    if (this.length === this.#words.length) {
      const words = new Uint32Array(this.length * 2);
      words.set(this.#words);
      this.#words = words;
    }
    this.#words[this.length++] = value;
  }

  at(index: number): number {
    return this.#words[index] ?? 0;
  }

  words(): Uint32Array {
    return this.#words.subarray(0, this.length);
  }
}
