import { blockHasFoldingSpecials, blockHasNonAscii } from "./shard";

/** ASCII letters in lower case, every other byte as it is. */
export const foldTable = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

const arenaChunkLength = 1 << 22;

/**
 * Collects which trigrams each block holds, and writes the posting lists.
 *
 * Runs over every byte of the corpus. A bitmap of 2 MiB tells whether the block has the trigram already (it stays in
 * the cache); only new pairs touch the large table. Pairs are kept as dense ids in block order, so that writing the
 * lists is one pass without sorting. One instance serves many shards: `reset` forgets what it holds and keeps the
 * memory.
 */
export class TrigramCollector {
  readonly #seen = new Uint32Array(1 << 19);
  /** Trigram to dense id + 1. */
  readonly #ids = new Uint32Array(1 << 24);
  #trigrams = new Uint32Array(1 << 16);
  #lastBlocks = new Int32Array(1 << 16);
  #byteCounts = new Uint32Array(1 << 16);
  #trigramCount = 0;
  readonly #arena: Uint32Array[] = [];
  #pairCount = 0;
  #blockEnds = new Float64Array(1 << 12);
  #blockCount = 0;
  #scratch = new Uint8Array(1 << 16);

  get blockCount(): number {
    return this.#blockCount;
  }

  reset(): void {
    for (let id = 0; id < this.#trigramCount; id++) this.#ids[this.#trigrams[id] ?? 0] = 0;
    this.#trigramCount = 0;
    this.#pairCount = 0;
    this.#blockCount = 0;
  }

  /** Adds `bytes[start … end)` as the next block and gives its flags. */
  addBlock(bytes: Uint8Array, start: number, end: number): number {
    const firstPair = this.#pairCount;
    let flags = this.#collect(bytes, start, end);
    if (flags !== 0 && hasFoldingSpecials(bytes, start, end)) {
      flags |= blockHasFoldingSpecials;
      if (this.#scratch.length < end - start) this.#scratch = new Uint8Array(end - start);
      const length = replaceFoldingSpecials(bytes, start, end, this.#scratch);
      this.#collect(this.#scratch, 0, length);
    }
    this.#forgetSeen(firstPair);
    if (this.#blockCount === this.#blockEnds.length) this.#blockEnds = grow(this.#blockEnds);
    this.#blockEnds[this.#blockCount++] = this.#pairCount;
    return flags;
  }

  #collect(bytes: Uint8Array, start: number, end: number): number {
    const seen = this.#seen;
    const block = this.#blockCount;
    let high = 0;
    if (end - start < 3) {
      for (let at = start; at < end; at++) high |= bytes[at] ?? 0;
      return high > 0x7f ? blockHasNonAscii : 0;
    }
    const first = bytes[start] ?? 0;
    const second = bytes[start + 1] ?? 0;
    high = first | second;
    let trigram = ((foldTable[first] ?? 0) << 8) | (foldTable[second] ?? 0);
    for (let at = start + 2; at < end; at++) {
      const byte = bytes[at] ?? 0;
      high |= byte;
      trigram = ((trigram << 8) | (foldTable[byte] ?? 0)) & 0xffffff;
      const word = trigram >>> 5;
      const bits = seen[word] ?? 0;
      const bit = 1 << (trigram & 31);
      if ((bits & bit) === 0) {
        seen[word] = bits | bit;
        this.#addPair(trigram, block);
      }
    }
    return high > 0x7f ? blockHasNonAscii : 0;
  }

  #addPair(trigram: number, block: number): void {
    let id = (this.#ids[trigram] ?? 0) - 1;
    if (id < 0) id = this.#addTrigram(trigram);
    const delta = block - (this.#lastBlocks[id] ?? 0);
    this.#lastBlocks[id] = block;
    this.#byteCounts[id] =
      (this.#byteCounts[id] ?? 0) + (delta < 0x80 ? 1 : delta < 0x4000 ? 2 : delta < 0x200000 ? 3 : 4);
    const chunk = this.#pairCount >>> 22;
    let pairs = this.#arena[chunk];
    if (pairs === undefined) {
      pairs = new Uint32Array(arenaChunkLength);
      this.#arena.push(pairs);
    }
    pairs[this.#pairCount & (arenaChunkLength - 1)] = id;
    this.#pairCount++;
  }

  #addTrigram(trigram: number): number {
    const id = this.#trigramCount++;
    if (id === this.#trigrams.length) {
      this.#trigrams = grow(this.#trigrams);
      this.#lastBlocks = grow(this.#lastBlocks);
      this.#byteCounts = grow(this.#byteCounts);
    }
    this.#trigrams[id] = trigram;
    this.#lastBlocks[id] = -1;
    this.#byteCounts[id] = 0;
    this.#ids[trigram] = id + 1;
    return id;
  }

  #forgetSeen(firstPair: number): void {
    for (let pair = firstPair; pair < this.#pairCount; pair++) {
      const id = this.#arena[pair >>> 22]?.[pair & (arenaChunkLength - 1)] ?? 0;
      this.#seen[(this.#trigrams[id] ?? 0) >>> 5] = 0;
    }
  }

  /** How many distinct trigrams the blocks from `firstBlock` on hold, counted once a block. */
  pairsSince(firstBlock: number): number {
    return this.#pairCount - (firstBlock === 0 ? 0 : (this.#blockEnds[firstBlock - 1] ?? 0));
  }

  /** The lists of all blocks: `trigrams` ascending, list i in `postings[starts[i] … starts[i + 1])`. */
  finish(): { trigrams: Uint32Array; starts: Uint32Array; postings: Uint8Array } {
    const count = this.#trigramCount;
    const trigrams = this.#trigrams.slice(0, count).sort();
    const bitmapBytes = (this.#blockCount + 7) >>> 3;
    const starts = new Uint32Array(count + 1);
    const places = new Uint32Array(count);
    const isBitmap = new Uint8Array(count);
    let total = 0;
    for (let at = 0; at < count; at++) {
      const id = (this.#ids[trigrams[at] ?? 0] ?? 0) - 1;
      const bytes = this.#byteCounts[id] ?? 0;
      starts[at] = total;
      places[id] = total;
      if (bytes >= bitmapBytes) {
        isBitmap[id] = 1;
        total += bitmapBytes;
      } else {
        total += bytes;
      }
    }
    starts[count] = total;
    return { trigrams, starts, postings: this.#writeLists(total, places, isBitmap) };
  }

  #writeLists(total: number, places: Uint32Array, isBitmap: Uint8Array): Uint8Array {
    const postings = new Uint8Array(total);
    const last = this.#lastBlocks;
    last.fill(-1, 0, this.#trigramCount);
    let pair = 0;
    for (let block = 0; block < this.#blockCount; block++) {
      const end = this.#blockEnds[block] ?? 0;
      for (; pair < end; pair++) {
        const id = this.#arena[pair >>> 22]?.[pair & (arenaChunkLength - 1)] ?? 0;
        let place = places[id] ?? 0;
        if (isBitmap[id] === 1) {
          const at = place + (block >>> 3);
          postings[at] = (postings[at] ?? 0) | (1 << (block & 7));
          continue;
        }
        let delta = block - (last[id] ?? 0);
        last[id] = block;
        while (delta >= 0x80) {
          postings[place++] = (delta & 0x7f) | 0x80;
          delta >>>= 7;
        }
        postings[place++] = delta;
        places[id] = place;
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

/** The flags of a block whose trigrams nobody wants. */
export function blockFlagsOf(bytes: Uint8Array, start: number, end: number): number {
  let high = 0;
  for (let at = start; at < end; at++) high |= bytes[at] ?? 0;
  if (high < 0x80) return 0;
  return blockHasNonAscii | (hasFoldingSpecials(bytes, start, end) ? blockHasFoldingSpecials : 0);
}

/** U+212A is `e2 84 aa`, U+017F is `c5 bf`. */
export function hasFoldingSpecials(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + 1 < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0xc5 && bytes[at + 1] === 0xbf) return true;
    if (byte === 0xe2 && bytes[at + 1] === 0x84 && bytes[at + 2] === 0xaa && at + 2 < end) return true;
  }
  return false;
}

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

/** How many distinct folded trigrams `bytes` holds; stops counting above `enough`. */
export function countDistinctTrigrams(bytes: Uint8Array, enough: number): number {
  distinct ??= new Uint32Array(1 << 19);
  distinct.fill(0);
  let count = 0;
  let trigram = ((foldTable[bytes[0] ?? 0] ?? 0) << 8) | (foldTable[bytes[1] ?? 0] ?? 0);
  for (let at = 2; at < bytes.length && count <= enough; at++) {
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
