import { isAscii } from "node:buffer";
import { trigramKernel } from "#kernels/trigrams";
import { blockHasFoldingSpecials, blockHasNonAscii } from "./shard";

/** ASCII letters in lower case, every other byte as it is. */
const foldTable = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Pairs are stored in chunks of 16 MiB. */
const arenaShift = 22;
const arenaMask = (1 << arenaShift) - 1;
/** Stands in for the last block number of a list that is written as a bitmap. */
const bitmapMarker = -2;

/**
 * Collects the trigrams of each block and writes the posting lists.
 *
 * The kernel scans the bytes and reports each trigram of a block once, so that only these pairs access the large table.
 * Pairs are stored as dense ids in block order, so that writing the lists takes one pass without sorting. `reset`
 * clears an instance for the next shard, but keeps its memory.
 */
export class TrigramCollector {
  readonly #kernel = trigramKernel();
  /** Trigram to dense id + 1. */
  readonly #ids = new Uint32Array(1 << 24);
  #trigrams = new Uint32Array(1 << 16);
  /** Two numbers per id, adjacent for the cache: its last block, and the bytes of its list so far. */
  #states = new Int32Array(1 << 17);
  #trigramCount = 0;
  readonly #arena: Uint32Array[] = [];
  #pairCount = 0;
  #blockEnds = new Float64Array(1 << 12);
  #blockCount = 0;
  #replaced = new Uint8Array(1 << 16);

  get blockCount(): number {
    return this.#blockCount;
  }

  reset(): void {
    for (let id = 0; id < this.#trigramCount; id++) this.#ids[this.#trigrams[id] ?? 0] = 0;
    this.#trigramCount = 0;
    this.#pairCount = 0;
    this.#blockCount = 0;
  }

  /** Adds `bytes[start … end)` as the next block and returns its flags. */
  addBlock(bytes: Uint8Array, start: number, end: number): number {
    const kernel = this.#kernel;
    let flags = 0;
    let count = kernel.collect(bytes, start, end);
    if (!isAscii(bytes.subarray(start, end))) {
      flags = blockHasNonAscii;
      if (hasFoldingSpecials(bytes, start, end)) {
        flags |= blockHasFoldingSpecials;
        if (this.#replaced.length < end - start) this.#replaced = new Uint8Array(end - start);
        const length = replaceFoldingSpecials(bytes, start, end, this.#replaced);
        count = kernel.collect(this.#replaced, 0, length);
      }
    }
    this.#addPairs(count, kernel.found);
    kernel.next();
    if (this.#blockCount === this.#blockEnds.length) this.#blockEnds = grow(this.#blockEnds);
    this.#blockEnds[this.#blockCount++] = this.#pairCount;
    return flags;
  }

  /** Stores the trigrams of the current block as ids, and adds up the sizes of their lists. */
  #addPairs(count: number, found: Uint32Array): void {
    const block = this.#blockCount;
    const ids = this.#ids;
    let states = this.#states;
    let pairs = this.#arenaChunk();
    for (let at = 0; at < count; at++) {
      const trigram = found[at] ?? 0;
      let id = (ids[trigram] ?? 0) - 1;
      if (id < 0) {
        id = this.#addTrigram(trigram);
        states = this.#states;
      }
      const delta = block - (states[2 * id] ?? 0);
      states[2 * id] = block;
      states[2 * id + 1] =
        (states[2 * id + 1] ?? 0) + (delta < 0x80 ? 1 : delta < 0x4000 ? 2 : delta < 0x200000 ? 3 : 4);
      pairs[this.#pairCount & arenaMask] = id;
      if ((++this.#pairCount & arenaMask) === 0) pairs = this.#arenaChunk();
    }
  }

  #arenaChunk(): Uint32Array {
    const chunk = this.#pairCount >>> arenaShift;
    let pairs = this.#arena[chunk];
    if (pairs === undefined) {
      pairs = new Uint32Array(1 << arenaShift);
      this.#arena.push(pairs);
    }
    return pairs;
  }

  #addTrigram(trigram: number): number {
    const id = this.#trigramCount++;
    if (id === this.#trigrams.length) {
      this.#trigrams = grow(this.#trigrams);
      this.#states = grow(this.#states);
    }
    this.#trigrams[id] = trigram;
    this.#states[2 * id] = -1;
    this.#states[2 * id + 1] = 0;
    this.#ids[trigram] = id + 1;
    return id;
  }

  /** Returns the posting lists: `trigrams` ascend, and list i is `postings[starts[i] … starts[i + 1])`. */
  finish(): { trigrams: Uint32Array; starts: Uint32Array; postings: Uint8Array } {
    const count = this.#trigramCount;
    const trigrams = this.#trigrams.slice(0, count).sort();
    const bitmapBytes = (this.#blockCount + 7) >>> 3;
    const starts = new Uint32Array(count + 1);
    let total = 0;
    for (let at = 0; at < count; at++) {
      const id = (this.#ids[trigrams[at] ?? 0] ?? 0) - 1;
      const bytes = this.#states[2 * id + 1] ?? 0;
      starts[at] = total;
      // From here on a state contains the last block (none for a bitmap) and the position to write at.
      this.#states[2 * id] = bytes < bitmapBytes ? -1 : bitmapMarker;
      this.#states[2 * id + 1] = total;
      total += Math.min(bytes, bitmapBytes);
    }
    starts[count] = total;
    return { trigrams, starts, postings: this.#writeLists(total) };
  }

  #writeLists(total: number): Uint8Array {
    const postings = new Uint8Array(total);
    const states = this.#states;
    const ends = this.#blockEnds;
    let pair = 0;
    let block = 0;
    for (const pairs of this.#arena) {
      const last = Math.min(this.#pairCount, pair + pairs.length);
      for (let at = 0; pair < last; at++, pair++) {
        while (pair >= (ends[block] ?? 0)) block++;
        const state = 2 * (pairs[at] ?? 0);
        const lastBlock = states[state] ?? 0;
        let position = states[state + 1] ?? 0;
        if (lastBlock === bitmapMarker) {
          position += block >>> 3;
          postings[position] = (postings[position] ?? 0) | (1 << (block & 7));
          continue;
        }
        states[state] = block;
        let delta = block - lastBlock;
        while (delta >= 0x80) {
          postings[position++] = (delta & 0x7f) | 0x80;
          delta >>>= 7;
        }
        postings[position++] = delta;
        states[state + 1] = position;
      }
    }
    return postings;
  }
}

function grow<Numbers extends Uint32Array | Int32Array | Float64Array>(numbers: Numbers): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(numbers.length * 2);
  larger.set(numbers);
  return larger;
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
