/**
 * Collects the trigrams of blocks in posting lists: the loops that run over every byte that is indexed, and over every distinct
 * trigram of every block. In WebAssembly, without bounds checks, they are up to twice as fast as in TypeScript.
 */
import binary from "./assembly/trigrams.wasm";
import { encodeGaps } from "./gaps";
import { grownCapacity, grownMemory } from "./memory";
import { foldByte } from "./needle";

export interface TrigramKernel {
  /**
   * Adds the trigrams of `bytes[start … end)` to the current block: `b0 << 16 | b1 << 8 | b2`, of bytes with A to Z in lower case.
   * A block may be collected in two forms; the second must not be longer than the first.
   */
  collect(bytes: Uint8Array, start: number, end: number): void;
  /** Appends the number of the current block to the lists of its trigrams, and starts the next block. */
  next(): void;
  /**
   * Passes each list to `write`, in ascending order of trigram, in the encoding of `gaps.ts`. Its bytes are valid until `write` returns.
   */
  forEachList(write: (trigram: number, list: Uint8Array) => void): void;
  /** Starts again with block 0 and no lists, but keeps the memory. */
  reset(): void;
}

const folded = Uint8Array.from({ length: 256 }, (_, byte) => foldByte(byte));

/** The bytes of which most texts consist. */
const commonBytes = Buffer.from("abcdefghijklmnopqrstuvwxyz0123456789 \n\t_.,;:(){}[]\"'/*-+=<>&|!#\\");
/** By code. The first 64 are the most common ones, so that their trigrams have the smallest keys. */
const codedBytes = Uint8Array.from(new Set([...commonBytes, ...new Uint8Array(256).keys()]));
const codes = folded.map((byte) => codedBytes.indexOf(byte));

/** Returns where tables contain a trigram, see `assembly/trigrams.ts`. */
function keyOf(trigram: number): number {
  let upper = 0;
  let lower = 0;
  for (const shift of [16, 8, 0]) {
    const code = codes[(trigram >>> shift) & 255] ?? 0;
    upper = (upper << 2) | (code >>> 6);
    lower = (lower << 6) | (code & 63);
  }
  return (upper << 18) | lower;
}

function trigramOf(key: number): number {
  let trigram = 0;
  for (const index of [2, 1, 0]) {
    const code = (((key >>> (18 + 2 * index)) & 3) << 6) | ((key >>> (6 * index)) & 63);
    trigram = (trigram << 8) | (codedBytes[code] ?? 0);
  }
  return trigram;
}

const seenWords = 1 << 19;
const trigramCount = 1 << 24;
const pageBytes = 65_536;

/**
 * The memory layout:
 *
 *     0          1024     + 2 MiB    + 64 MiB     + capacity    + 4 × twice the capacity
 *     (empty)    codes    seen       states       text          found                       lists
 *
 * Found trigrams have room for twice the capacity, because a block may be collected in two forms. A text that is longer than the
 * capacity and what is found in it are placed among the lists.
 */
const codesStart = 1024;
const seenStart = 2048;
const statesStart = seenStart + 4 * seenWords;
const firstTextStart = statesStart + 4 * trigramCount;
const firstCapacity = pageBytes;

/** How much memory the lists may need for each trigram of a block: a new state and a chunk. */
const listBytesPerTrigram = 64;

/** Words of a state and a chunk, see `assembly/trigrams.ts`. */
const stateWords = { filled: 1, buffer: 2, end: 4, previous: 5, key: 6, link: 7 };
const chunkWords = 7;

interface Exports {
  collect(start: number, length: number, codes: number, seen: number, out: number, found: number): number;
  append(out: number, found: number, seen: number, states: number, block: number): void;
  readonly free: { value: number };
  readonly lastState: { value: number };
}

class WasmTrigrams implements TrigramKernel {
  readonly #memory = new WebAssembly.Memory({ initial: Math.ceil(firstTextStart / pageBytes) });
  readonly #exports: Exports;
  #bytes = new Uint8Array();
  #words = new Uint32Array();
  #textStart = firstTextStart;
  #capacity = firstCapacity;
  #found = 0;
  #block = 0;
  #list = new Uint32Array(1 << 10);

  constructor() {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary), {
      env: { memory: this.#memory },
    });
    this.#exports = exports as unknown as Exports;
    this.#exports.free.value = this.#placeText(firstTextStart, firstCapacity);
    this.#bytes.set(codes, codesStart);
  }

  /** Reserves room for a text and what is found in it. Returns where it ends. */
  #placeText(start: number, capacity: number): number {
    this.#textStart = start;
    this.#capacity = capacity;
    const end = start + 9 * capacity;
    this.#reserve(end);
    return end;
  }

  get #foundStart(): number {
    return this.#textStart + this.#capacity;
  }

  #reserve(byteCount: number): void {
    const { length } = this.#bytes;
    if (byteCount <= length) return;
    const buffer = grownMemory(this.#memory, Math.max(byteCount, length + length / 8));
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
  }

  collect(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length > this.#capacity) {
      if (this.#found > 0)
        throw new RangeError("The second form of a block must not be longer than the first.");
      const capacity = grownCapacity(this.#capacity, length);
      this.#exports.free.value = this.#placeText(this.#exports.free.value, capacity);
    }
    this.#bytes.set(bytes.subarray(start, end), this.#textStart);
    this.#found = this.#exports.collect(
      this.#textStart,
      length,
      codesStart,
      seenStart,
      this.#foundStart,
      this.#found,
    );
  }

  next(): void {
    this.#reserve(this.#exports.free.value + this.#found * listBytesPerTrigram);
    this.#exports.append(this.#foundStart, this.#found, seenStart, statesStart, this.#block);
    this.#found = 0;
    this.#block++;
  }

  forEachList(write: (trigram: number, list: Uint8Array) => void): void {
    const words = this.#words;
    for (const trigram of Uint32Array.from(this.#keys(), trigramOf).sort())
      write(trigram, this.#listOf((words[(statesStart >>> 2) + keyOf(trigram)] ?? 0) >>> 2));
  }

  *#keys(): Iterable<number> {
    const words = this.#words;
    let state = this.#exports.lastState.value >>> 2;
    for (; state !== 0; state = (words[state + stateWords.previous] ?? 0) >>> 2)
      yield words[state + stateWords.key] ?? 0;
  }

  /** `state`: the address in words. */
  #listOf(state: number): Uint8Array {
    const words = this.#words;
    const end = (words[state + stateWords.end] ?? 0) >>> 2;
    let length = 0;
    let at = state + stateWords.link;
    while (at !== end) {
      const chunk = (words[at] ?? 0) >>> 2;
      if (length + chunkWords >= this.#list.length) {
        const larger = new Uint32Array(2 * this.#list.length);
        larger.set(this.#list);
        this.#list = larger;
      }
      const stop = end > chunk && end <= chunk + chunkWords ? end : chunk + chunkWords;
      for (at = chunk; at < stop; at++) this.#list[length++] = words[at] ?? 0;
    }
    this.#list[length] = words[state + stateWords.buffer] ?? 0;
    const filled = (words[state + stateWords.filled] ?? 0) >>> 16;
    return new Uint8Array(this.#list.buffer, 0, 4 * length + ((filled + 7) >>> 3));
  }

  reset(): void {
    // Ends a block whose writer has failed.
    this.next();
    for (const key of this.#keys()) this.#words[(statesStart >>> 2) + key] = 0;
    this.#exports.free.value = this.#placeText(firstTextStart, this.#capacity);
    this.#exports.lastState.value = 0;
    this.#block = 0;
  }
}

export class PlainTrigrams implements TrigramKernel {
  readonly #seen = new Uint8Array(trigramCount);
  readonly #found: number[] = [];
  readonly #lists = new Map<number, number[]>();
  #block = 0;

  collect(bytes: Uint8Array, start: number, end: number): void {
    let trigram = ((folded[bytes[start] ?? 0] ?? 0) << 8) | (folded[bytes[start + 1] ?? 0] ?? 0);
    for (let at = start + 2; at < end; at++) {
      trigram = ((trigram << 8) | (folded[bytes[at] ?? 0] ?? 0)) & 0xffffff;
      if (this.#seen[trigram] === 1) continue;
      this.#seen[trigram] = 1;
      this.#found.push(trigram);
    }
  }

  next(): void {
    for (const trigram of this.#found) {
      this.#seen[trigram] = 0;
      const list = this.#lists.get(trigram);
      if (list === undefined) this.#lists.set(trigram, [this.#block]);
      else list.push(this.#block);
    }
    this.#found.length = 0;
    this.#block++;
  }

  forEachList(write: (trigram: number, list: Uint8Array) => void): void {
    for (const trigram of Uint32Array.from(this.#lists.keys()).sort())
      write(trigram, encodeGaps(this.#lists.get(trigram) ?? []));
  }

  reset(): void {
    this.next();
    this.#lists.clear();
    this.#block = 0;
  }
}

/** Returns a new kernel, for one writer of posting lists. */
export function trigramKernel(): TrigramKernel {
  const runs = typeof WebAssembly !== "undefined" && WebAssembly.validate(binary);
  return runs ? new WasmTrigrams() : new PlainTrigrams();
}
