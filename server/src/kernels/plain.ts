/** The kernels in TypeScript: for a Node without WebAssembly SIMD, and as the reference in tests. */

import { gallopingFactor, intersectGalloping } from "./gallop";
import { firstOrder, nextOrder } from "./gaps";
import type { Kernels } from "./kernels";
import { copyingMemory, KernelMemory } from "./memory";
import { foldByte, Needle } from "./needle";
import { PlainChunk } from "./plainChunk";

const newline = 10;
const folded = Uint8Array.from({ length: 256 }, (_, byte) => foldByte(byte));
const unfolded = Uint8Array.from({ length: 256 }, (_, byte) => byte);

export class PlainKernels implements Kernels {
  readonly #memory = new KernelMemory(copyingMemory());
  #chunk: PlainChunk | undefined;

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
    return findLinear(this.bytes, start, length, needle, maxHits, this.hits);
  }

  count(needle: Needle, start: number, length: number): number {
    this.#memory.check(start, length);
    return findLinear(this.bytes, start, length, needle, length, undefined);
  }

  newlines(start: number, length: number): number {
    this.#memory.check(start, length);
    const { bytes, hits } = this;
    let found = 0;
    for (let at = start, end = start + length; at < end; at++) {
      if (bytes[at] === newline) hits[found++] = at - start;
    }
    return found;
  }

  countNewlines(start: number, length: number): number {
    this.#memory.check(start, length);
    const { bytes } = this;
    let found = 0;
    for (let at = start, end = start + length; at < end; at++) if (bytes[at] === newline) found++;
    return found;
  }

  isAscii(start: number, length: number): boolean {
    this.#memory.check(start, length);
    const { bytes } = this;
    for (let at = start, end = start + length; at < end; at++) if ((bytes[at] ?? 0) >= 0x80) return false;
    return true;
  }

  countCodePoints(start: number, length: number): number {
    this.#memory.check(start, length);
    const { bytes } = this;
    let found = 0;
    for (let at = start, end = start + length; at < end; at++) {
      if (((bytes[at] ?? 0) & 0xc0) !== 0x80) found++;
    }
    return found;
  }

  fold(from: number, to: number, length: number): void {
    this.#memory.check(from, length);
    this.#memory.check(to, length);
    const { bytes } = this;
    for (let done = 0; done < length; done++) bytes[to + done] = folded[bytes[from + done] ?? 0] ?? 0;
  }

  decodeDeltas(start: number, length: number): number {
    this.#memory.check(start, length);
    const { bytes, decoded } = this;
    const end = start + length;
    let last = -1;
    let found = 0;
    for (let at = start; at < end; ) {
      let byte = bytes[at++] ?? 0;
      let delta = byte & 0x7f;
      for (let scale = 128; byte >= 0x80; scale *= 128) {
        if (at === end || scale > 2 ** 28) return -1;
        byte = bytes[at++] ?? 0;
        delta += (byte & 0x7f) * scale;
      }
      last += delta;
      if (delta === 0 || last > 0xffff_ffff) return -1;
      decoded[found++] = last;
    }
    return found;
  }

  decodeGaps(start: number, length: number, limit: number): number {
    this.#memory.check(start, Math.max(length, limit));
    const { bytes, decoded } = this;
    const stop = start + length;
    let at = start;
    if (length === 0) return 0;
    let byte = bytes[at++] ?? 0;
    let number = byte & 0x7f;
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      if (at === stop || scale > 2 ** 28) return -1;
      byte = bytes[at++] ?? 0;
      number += (byte & 0x7f) * scale;
    }
    if (number >= limit) return -1;
    let found = 0;
    decoded[found++] = number;
    let order = firstOrder(number);
    const bitAt = (position: number) => ((bytes[position >>> 3] ?? 0) >>> (position & 7)) & 1;
    for (let position = 8 * at, end = 8 * stop; ; ) {
      let zeros = 0;
      while (position + zeros < end && bitAt(position + zeros) === 0) zeros++;
      if (position + zeros === end) return zeros < 8 ? found : -1;
      const low = zeros + (order >> 2);
      position += zeros + 1;
      if (low > 31 || position + low > end) return -1;
      let gap = 2 ** low - 2 ** (order >> 2);
      for (let index = 0; index < low; index++) gap += bitAt(position + index) * 2 ** index;
      position += low;
      number += gap + 1;
      if (number >= limit) return -1;
      decoded[found++] = number;
      order = nextOrder(order, zeros);
    }
  }

  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    if (a.length > b.length) return this.intersect(b, a, into);
    if (b.length > a.length * gallopingFactor) return intersectGalloping(a, b, into);
    let found = 0;
    for (let aAt = 0, bAt = 0; aAt < a.length && bAt < b.length; ) {
      const one = a[aAt] ?? 0;
      const other = b[bAt] ?? 0;
      if (one <= other) aAt++;
      if (other <= one) bAt++;
      if (one === other) into[found++] = one;
    }
    return found;
  }

  select(list: Uint32Array, start: number, length: number, into: Uint32Array): number {
    this.#memory.check(start, length);
    const { bytes } = this;
    let found = 0;
    for (let at = 0; at < list.length; at++) {
      const number = list[at] ?? 0;
      const index = number >>> 3;
      if (index < length && (((bytes[start + index] ?? 0) >>> (number & 7)) & 1) === 1)
        into[found++] = number;
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
    this.#memory.check(start, length);
    this.#memory.checkRanges(rangeCount);
    this.#chunk = new PlainChunk(this.bytes, start, length, byteOffset, lineNumber);
    return this.#chunk.write(this.output, this.hits, rangeCount);
  }

  writeRanges(rangeCount: number): number {
    this.#memory.checkRanges(rangeCount);
    return this.#chunk?.writeRanges(this.output, this.hits, rangeCount) ?? 0;
  }
}

/**
 * Like `Kernels.find`, but in time linear in the text, with the algorithm of Knuth, Morris and Pratt.
 *
 * Returns the number of hits. Without `hits` it only counts.
 */
export function findLinear(
  bytes: Uint8Array,
  start: number,
  length: number,
  needle: Needle,
  maxHits: number,
  hits: Uint32Array | undefined,
): number {
  const { bytes: wanted, failures, caseSensitive } = needle;
  const seen = caseSensitive ? unfolded : folded;
  let found = 0;
  let matched = 0;
  for (let at = start, end = start + length; at < end && found < maxHits; at++) {
    const byte = seen[bytes[at] ?? 0];
    while (matched > 0 && wanted[matched] !== byte) matched = failures[matched - 1] ?? 0;
    if (wanted[matched] !== byte) continue;
    matched++;
    if (matched < wanted.length) continue;
    if (hits !== undefined) hits[found] = at + 1 - wanted.length - start;
    found++;
    matched = 0;
  }
  return found;
}
