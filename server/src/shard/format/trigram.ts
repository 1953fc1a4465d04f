import { isAscii } from "node:buffer";
import { trigramKernel } from "#kernels/trigrams";
import { blockHasFoldingSpecials, blockHasNonAscii } from "./shard";
import { threadWindow } from "./window";

/** ASCII letters in lower case, every other byte as it is. */
const foldTable = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Collects the trigrams of blocks in posting lists. `reset` clears them for the next shard, but keeps their memory. */
export class TrigramCollector {
  readonly #kernel = trigramKernel();
  #blockCount = 0;
  #replaced = new Uint8Array(1 << 16);

  reset(): void {
    this.#kernel.reset();
    this.#blockCount = 0;
  }

  /** Adds `bytes[start … end)` as the next block and returns its flags. */
  addBlock(bytes: Uint8Array, start: number, end: number): number {
    let flags = 0;
    this.#kernel.collect(bytes, start, end);
    if (!isAscii(bytes.subarray(start, end))) {
      flags = blockHasNonAscii;
      if (hasFoldingSpecials(bytes, start, end)) {
        flags |= blockHasFoldingSpecials;
        if (this.#replaced.length < end - start) this.#replaced = new Uint8Array(end - start);
        const length = replaceFoldingSpecials(bytes, start, end, this.#replaced);
        this.#kernel.collect(this.#replaced, 0, length);
      }
    }
    this.#kernel.next();
    this.#blockCount++;
    return flags;
  }

  /** Passes the posting lists to `write`, in ascending order of trigram. Their bytes are valid until it returns. */
  finish(write: (trigram: number, list: Uint8Array) => void): void {
    const bitmapBytes = (this.#blockCount + 7) >>> 3;
    this.#kernel.forEachList((trigram, list) => {
      write(trigram, 2 * list.length < bitmapBytes ? list : bitmapOf(list, this.#blockCount));
    });
  }
}

function bitmapOf(list: Uint8Array, blockCount: number): Uint8Array {
  const window = threadWindow();
  const base = window.scratch(Math.max(list.length, blockCount));
  const { kernels } = window;
  kernels.bytes.set(list, base);
  const count = kernels.decodeGaps(base, list.length, blockCount);
  const { decoded } = kernels;
  const bitmap = new Uint8Array((blockCount + 7) >>> 3);
  for (let at = 0; at < count; at++) {
    const block = decoded[at] ?? 0;
    bitmap[block >>> 3] = (bitmap[block >>> 3] ?? 0) | (1 << (block & 7));
  }
  return bitmap;
}

/** Returns the flags of a block in a shard without trigrams. */
export function blockFlagsOf(bytes: Uint8Array, start: number, end: number): number {
  if (isAscii(bytes.subarray(start, end))) return 0;
  return blockHasNonAscii | (hasFoldingSpecials(bytes, start, end) ? blockHasFoldingSpecials : 0);
}

/** Whether the bytes contain U+212A (`e2 84 aa`) or U+017F (`c5 bf`). */
export function hasFoldingSpecials(bytes: Uint8Array, start: number, end: number): boolean {
  const range = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  return range.includes(longS) || range.includes(kelvinSign);
}

const longS = Buffer.from("\u017f");
const kelvinSign = Buffer.from("\u212a");

function replaceFoldingSpecials(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let length = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0xc5 && at + 1 < end && bytes[at + 1] === 0xbf) {
      into[length++] = 0x73;
      at += 1;
    } else if (byte === 0xe2 && at + 2 < end && bytes[at + 1] === 0x84 && bytes[at + 2] === 0xaa) {
      into[length++] = 0x6b;
      at += 2;
    } else {
      into[length++] = byte;
    }
  }
  return length;
}

let distinct: Uint32Array | undefined;

/** Counts the distinct folded trigrams of `bytes`; stops once there are more than `limit`. */
export function countDistinctTrigrams(bytes: Uint8Array, limit: number): number {
  distinct ??= new Uint32Array(1 << 19);
  distinct.fill(0);
  let count = 0;
  let trigram = ((foldTable[bytes[0] ?? 0] ?? 0) << 8) | (foldTable[bytes[1] ?? 0] ?? 0);
  for (let at = 2; at < bytes.length && count <= limit; at++) {
    trigram = ((trigram << 8) | (foldTable[bytes[at] ?? 0] ?? 0)) & 0xffffff;
    const bits = distinct[trigram >>> 5] ?? 0;
    const bit = 1 << (trigram & 31);
    if ((bits & bit) === 0) {
      distinct[trigram >>> 5] = bits | bit;
      count++;
    }
  }
  return count;
}
