/** The kernels in WebAssembly. Their source is `assembly/kernels.ts`. */
import binary from "./assembly/kernels.wasm";
import { gallopingFactor, intersectGalloping, lowerBound } from "./gallop";
import type { Kernels } from "./kernels";
import { grownMemory, KernelMemory, listStart, listWords, needleRoom, needleStart } from "./memory";
import { Needle } from "./needle";
import { findLinear } from "./plain";

/** Needles of up to 16 bytes are compared with one load, which must not include another needle's bytes. */
const needleGap = 16;

interface Exports {
  find(
    start: number,
    length: number,
    needle: number,
    size: number,
    first: number,
    second: number,
    out: number,
    max: number,
  ): number;
  findFolded: Exports["find"];
  count(start: number, length: number, needle: number, size: number, first: number, second: number): number;
  countFolded: Exports["count"];
  newlines(start: number, length: number, out: number): number;
  countNewlines(start: number, length: number): number;
  isAscii(start: number, length: number): number;
  countCodePoints(start: number, length: number): number;
  fold(from: number, to: number, length: number): void;
  decodeDeltas(start: number, length: number, out: number): number;
  decodeGaps(start: number, length: number, limit: number, out: number): number;
  intersect(a: number, aLength: number, b: number, bLength: number, out: number): number;
  select(list: number, length: number, bitmap: number, bytes: number, out: number): number;
  writeChunk(
    start: number,
    length: number,
    byteOffset: number,
    lineNumber: number,
    ranges: number,
    count: number,
    out: number,
  ): number;
  writeRanges(ranges: number, count: number, out: number): number;
  constantsEnd(): number;
}

/** Shared by all instances of the thread, so that an epoch identifies one instance. */
let lastEpoch = 0;

let supportsSimd: boolean | undefined;

/** Whether the machine and Node support WebAssembly SIMD. */
export function hasSimd(): boolean {
  supportsSimd ??= typeof WebAssembly !== "undefined" && WebAssembly.validate(binary);
  return supportsSimd;
}

export class SimdKernels implements Kernels {
  readonly #exports: Exports;
  readonly #memory: KernelMemory;
  #epoch = ++lastEpoch;
  #needleEnd = needleStart;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: 1 });
    this.#memory = new KernelMemory((byteCount) => grownMemory(memory, byteCount));
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary), { env: { memory } });
    this.#exports = exports as unknown as Exports;
    if (this.#exports.constantsEnd() > needleStart) throw new RangeError("The constants are too long.");
  }

  get bytes(): Uint8Array {
    return this.#memory.bytes;
  }

  get words(): Uint32Array {
    return this.#memory.words;
  }

  get hits(): Uint32Array {
    return this.#memory.hits;
  }

  get decoded(): Uint32Array {
    return this.#memory.decoded;
  }

  get output(): Uint8Array {
    return this.#memory.output;
  }

  reserve(byteCount: number): number {
    return this.#memory.reserve(byteCount);
  }

  prepareNeedle(bytes: Uint8Array, caseSensitive: boolean): Needle {
    return new Needle(bytes, caseSensitive);
  }

  find(needle: Needle, start: number, length: number, maxHits = length): number {
    this.#memory.check(start, length);
    if (maxHits <= 0) return 0;
    const size = needle.bytes.length;
    const address = this.#addressOf(needle);
    const out = this.#memory.hits.byteOffset;
    const { first, second } = needle;
    const max = Math.min(maxHits, 0x7fff_ffff);
    const found = needle.caseSensitive
      ? this.#exports.find(start, length, address, size, first, second, out, max)
      : this.#exports.findFolded(start, length, address, size, first, second, out, max);
    return found >= 0 ? found : findLinear(this.bytes, start, length, needle, max, this.hits);
  }

  count(needle: Needle, start: number, length: number): number {
    this.#memory.check(start, length);
    const size = needle.bytes.length;
    const address = this.#addressOf(needle);
    const { first, second } = needle;
    const found = needle.caseSensitive
      ? this.#exports.count(start, length, address, size, first, second)
      : this.#exports.countFolded(start, length, address, size, first, second);
    return found >= 0 ? found : findLinear(this.bytes, start, length, needle, length, undefined);
  }

  newlines(start: number, length: number): number {
    this.#memory.check(start, length);
    return this.#exports.newlines(start, length, this.#memory.hits.byteOffset);
  }

  countNewlines(start: number, length: number): number {
    this.#memory.check(start, length);
    return this.#exports.countNewlines(start, length);
  }

  isAscii(start: number, length: number): boolean {
    this.#memory.check(start, length);
    return this.#exports.isAscii(start, length) !== 0;
  }

  countCodePoints(start: number, length: number): number {
    this.#memory.check(start, length);
    return this.#exports.countCodePoints(start, length);
  }

  fold(from: number, to: number, length: number): void {
    this.#memory.check(from, length);
    this.#memory.check(to, length);
    this.#exports.fold(from, to, length);
  }

  decodeDeltas(start: number, length: number): number {
    this.#memory.check(start, length);
    return this.#exports.decodeDeltas(start, length, this.#memory.decoded.byteOffset);
  }

  decodeGaps(start: number, length: number, limit: number): number {
    this.#memory.check(start, Math.max(length, limit));
    return this.#exports.decodeGaps(start, length, limit, this.#memory.decoded.byteOffset);
  }

  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    if (a.length > b.length) return this.intersect(b, a, into);
    if (b.length > a.length * gallopingFactor) return intersectGalloping(a, b, into);
    return this.#intersectPieces(a, b, into);
  }

  /** Each iteration intersects a piece of both lists, and continues after the smaller of the two last numbers. */
  #intersectPieces(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    const words = this.#memory.words;
    const aStart = listStart / 4;
    const bStart = aStart + listWords;
    const outStart = bStart + listWords;
    let found = 0;
    for (let aAt = 0, bAt = 0; aAt < a.length && bAt < b.length; ) {
      const aEnd = Math.min(a.length, aAt + listWords);
      const bEnd = Math.min(b.length, bAt + listWords);
      words.set(a.subarray(aAt, aEnd), aStart);
      words.set(b.subarray(bAt, bEnd), bStart);
      const common = this.#exports.intersect(4 * aStart, aEnd - aAt, 4 * bStart, bEnd - bAt, 4 * outStart);
      const aLast = a[aEnd - 1] ?? 0;
      const bLast = b[bEnd - 1] ?? 0;
      aAt = aLast <= bLast ? aEnd : lowerBound(a, bLast + 1, aAt, aEnd);
      bAt = bLast <= aLast ? bEnd : lowerBound(b, aLast + 1, bAt, bEnd);
      into.set(words.subarray(outStart, outStart + common), found);
      found += common;
    }
    return found;
  }

  select(list: Uint32Array, start: number, length: number, into: Uint32Array): number {
    this.#memory.check(start, length);
    const { words } = this.#memory;
    const outStart = listStart + 4 * listWords;
    let found = 0;
    for (let at = 0; at < list.length; at += listWords) {
      const piece = list.subarray(at, at + listWords);
      words.set(piece, listStart / 4);
      const count = this.#exports.select(listStart, piece.length, start, length, outStart);
      into.set(words.subarray(outStart / 4, outStart / 4 + count), found);
      found += count;
    }
    return found;
  }

  writeChunk(
    start: number,
    length: number,
    byteOffset: number,
    lineNumber: number,
    rangeCount: number,
  ): number {
    const { hits, output } = this.#memory;
    this.#memory.check(start, length);
    this.#memory.checkRanges(rangeCount);
    return this.#exports.writeChunk(
      start,
      length,
      byteOffset,
      lineNumber,
      hits.byteOffset,
      rangeCount,
      output.byteOffset,
    );
  }

  writeRanges(rangeCount: number): number {
    const { hits, output } = this.#memory;
    this.#memory.checkRanges(rangeCount);
    return this.#exports.writeRanges(hits.byteOffset, rangeCount, output.byteOffset);
  }

  /**
   * Copies a needle into the memory on first use. When there is no room for more needles, all copies become invalid.
   */
  #addressOf(needle: Needle): number {
    if (needle.epoch === this.#epoch) return needle.address;
    const { length } = needle.bytes;
    if (length + needleGap > needleRoom) throw new RangeError(`A needle of ${length} bytes is too long.`);
    if (this.#needleEnd + length + needleGap > needleStart + needleRoom) {
      this.#needleEnd = needleStart;
      this.#epoch = ++lastEpoch;
    }
    // The epoch is set last, because a search may be interrupted in between.
    this.bytes.set(needle.bytes, this.#needleEnd);
    needle.address = this.#needleEnd;
    this.#needleEnd += length + needleGap;
    needle.epoch = this.#epoch;
    return needle.address;
  }
}
