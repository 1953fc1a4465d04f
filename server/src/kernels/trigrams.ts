/**
 * Collects the distinct trigrams of a block: the loop that runs over every byte that is indexed. In WebAssembly,
 * without bounds checks, it is one and a half times as fast as in TypeScript.
 */
import binary from "./assembly/trigrams.wasm";
import { grownMemory } from "./memory";
import { foldByte } from "./needle";

export interface TrigramKernel {
  /**
   * The trigrams of the current block: `b0 << 16 | b1 << 8 | b2`, of bytes with A to Z in lower case. Only as many as
   * `collect` returned are valid. Replaced when it grows.
   */
  readonly found: Uint32Array;
  /** Adds the new trigrams of `bytes[start … end)` to the current block. Returns how many the block has. */
  collect(bytes: Uint8Array, start: number, end: number): number;
  /** Starts the next block. */
  next(): void;
}

const folded = Uint8Array.from({ length: 256 }, (_, byte) => foldByte(byte));
const seenWords = 1 << 19;
const pageBytes = 65_536;

/**
 * The memory layout:
 *
 *     0          1024     + 2 MiB    + capacity    + 4 × twice the capacity
 *     (empty)    fold     seen       text          found
 *
 * Found trigrams have room for twice the capacity, because a block may be collected in two forms.
 */
const foldStart = 1024;
const seenStart = 2048;
const textStart = seenStart + 4 * seenWords;

interface Exports {
  collect(start: number, length: number, fold: number, seen: number, out: number, found: number): number;
  clear(out: number, found: number, seen: number): void;
}

class WasmTrigrams implements TrigramKernel {
  readonly #memory = new WebAssembly.Memory({ initial: Math.ceil(textStart / pageBytes) });
  readonly #exports: Exports;
  #bytes = new Uint8Array();
  #capacity = 0;
  #foundStart = 0;
  #count = 0;
  found = new Uint32Array();

  constructor() {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary), {
      env: { memory: this.#memory },
    });
    this.#exports = exports as unknown as Exports;
    this.#grow(pageBytes);
    this.#bytes.set(folded, foldStart);
  }

  /** Must be called only between blocks, because the larger text overlaps the old results. */
  #grow(capacity: number): void {
    this.#capacity = Math.ceil(capacity / 64) * 64;
    this.#foundStart = textStart + this.#capacity;
    const byteCount = this.#foundStart + 8 * this.#capacity + 64;
    const buffer = grownMemory(this.#memory, byteCount);
    this.#bytes = new Uint8Array(buffer);
    this.found = new Uint32Array(buffer, this.#foundStart, 2 * this.#capacity);
  }

  collect(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > this.#capacity) {
      if (this.#count > 0)
        throw new RangeError("The second form of a block must not be longer than the first.");
      this.#grow(2 * length);
    }
    this.#bytes.set(bytes.subarray(start, end), textStart);
    this.#count = this.#exports.collect(
      textStart,
      length,
      foldStart,
      seenStart,
      this.#foundStart,
      this.#count,
    );
    return this.#count;
  }

  next(): void {
    this.#exports.clear(this.#foundStart, this.#count, seenStart);
    this.#count = 0;
  }
}

export class PlainTrigrams implements TrigramKernel {
  readonly #seen = new Uint32Array(seenWords);
  #count = 0;
  found = new Uint32Array(2 * pageBytes);

  collect(bytes: Uint8Array, start: number, end: number): number {
    if (this.found.length < this.#count + end - start) {
      const larger = new Uint32Array(2 * (this.#count + end - start));
      larger.set(this.found);
      this.found = larger;
    }
    const seen = this.#seen;
    const found = this.found;
    let count = this.#count;
    if (end - start < 3) return count;
    let trigram = ((folded[bytes[start] ?? 0] ?? 0) << 8) | (folded[bytes[start + 1] ?? 0] ?? 0);
    for (let at = start + 2; at < end; at++) {
      trigram = ((trigram << 8) | (folded[bytes[at] ?? 0] ?? 0)) & 0xffffff;
      const word = trigram >>> 5;
      const bits = seen[word] ?? 0;
      seen[word] = bits | (1 << (trigram & 31));
      found[count] = trigram;
      count += ((bits >>> (trigram & 31)) & 1) ^ 1;
    }
    this.#count = count;
    return count;
  }

  next(): void {
    for (let at = 0; at < this.#count; at++) this.#seen[(this.found[at] ?? 0) >>> 5] = 0;
    this.#count = 0;
  }
}

/** Returns a new kernel, for one builder of posting lists. */
export function trigramKernel(): TrigramKernel {
  const runs = typeof WebAssembly !== "undefined" && WebAssembly.validate(binary);
  return runs ? new WasmTrigrams() : new PlainTrigrams();
}
