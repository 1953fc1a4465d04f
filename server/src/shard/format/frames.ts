/**
 * The text of a shard in compressed frames: one for each block, so that a search decompresses only what it reads.
 *
 * Frames are in the LZ4 block format and share a dictionary. With it, frames of 4 KiB become about as small as much larger
 * ones without. A frame as long as its text is not compressed.
 */
import {
  type Compressor,
  type Decompressor,
  maxDictionaryBytes,
  newCompressor,
  newDecompressor,
} from "#kernels/lz4";
import { hasSimd } from "#kernels/simd";
import { BlockCache, type CachedBlocks, newCachedBlocks } from "./blockCache";
import { shardDamaged } from "./checksum";
import { trainDictionary } from "./dictionary";
import { lastAtOrBelow } from "./lastAtOrBelow";
import { GrowingWords } from "./numbers";
import { bytesOf, type PagedReader, type PagedSection, type SectionWriter } from "./sections";
import { checkedPageBytes, isCompressed, type ShardFormatVersion, type WrittenFormatVersion } from "./shard";

/** The text of a shard. */
export interface ContentReader {
  /** Bytes of text. */
  readonly length: number;
  /**
   * Fills `target[offset … offset + length)` with the text from `position`. May read `upcoming` blocks from disk as well, so
   * that reading them takes less time. Throws `SHARD_DAMAGED`.
   */
  read(position: number, target: Uint8Array, offset: number, length: number, upcoming?: UpcomingBlocks): void;
}

/** Which blocks will be read next: ascending ones from index `at` on, or all that follow. */
export interface UpcomingBlocks {
  readonly blocks: Uint32Array | undefined;
  readonly at: number;
}

/** The destination of the text of a shard. */
export interface ContentWriter {
  /** Bytes of text so far. */
  readonly length: number;
  /** Appends `bytes[start … end)`, a block. */
  writeBlock(bytes: Uint8Array, start: number, end: number): void;
  /** Writes what is left, and additional sections. */
  finish(): void;
}

/** The dictionary is trained on the first text of a shard, which is kept in memory until then. */
const trainingBytes = 4 * 1024 * 1024;
/** Only every fourth block of it is used: all of them would make frames only one percent smaller. */
const trainingStep = 4;
/** The share of the text that its dictionary may take. */
const dictionaryShare = 1 / 32;
/** The limit of frames that are read with one call. */
const maxBatchBytes = 128 * 1024;
/**
 * Upcoming frames are read with others if they start at most this far after them: a system call takes about as long as copying
 * 16 KiB.
 */
const maxGapBytes = 16 * 1024;
const maxAheadBytes = checkedPageBytes;
/** A batch of more blocks is part of a scan, which would evict everything else from the cache. */
const maxCachedBatch = 16;

/** One of each per thread: all methods are synchronous, and rewriting reads with another dictionary than it writes. */
let compressor: Compressor | undefined;
let decompressor: Decompressor | undefined;
const cache = new BlockCache();
/** The frames that are in the decompressor's memory, from `compressedStart` on. */
const loaded: { owner: FrameReader | undefined; start: number; end: number } = {
  owner: undefined,
  start: 0,
  end: 0,
};

/** The format of shards on disk. Shards in an older one are rewritten. */
export function diskFormatVersion(): WrittenFormatVersion {
  return hasSimd() ? 4 : 3;
}

export function contentWriter(sections: SectionWriter, formatVersion: ShardFormatVersion): ContentWriter {
  const section = sections.stream("content", "contentChecks");
  return isCompressed(formatVersion) ? new FrameWriter(sections, section) : new PlainWriter(section);
}

class PlainWriter implements ContentWriter {
  readonly #section: PagedSection;

  constructor(section: PagedSection) {
    this.#section = section;
  }

  get length(): number {
    return this.#section.length;
  }

  writeBlock(bytes: Uint8Array, start: number, end: number): void {
    this.#section.write(bytes.subarray(start, end));
  }

  finish(): void {
    this.#section.finish();
  }
}

class FrameWriter implements ContentWriter {
  readonly #sections: SectionWriter;
  readonly #section: PagedSection;
  readonly #starts = new GrowingWords();
  /** Blocks that wait for the dictionary. */
  #waiting: Uint8Array[] = [];
  #dictionary: Uint8Array | undefined;
  length = 0;

  constructor(sections: SectionWriter, section: PagedSection) {
    this.#sections = sections;
    this.#section = section;
  }

  writeBlock(bytes: Uint8Array, start: number, end: number): void {
    this.length += end - start;
    if (this.#dictionary !== undefined) {
      this.#compress(bytes.subarray(start, end), this.#dictionary);
      return;
    }
    // `slice` of a Buffer would not copy, and the caller may reuse it.
    this.#waiting.push(new Uint8Array(bytes.subarray(start, end)));
    if (this.length >= trainingBytes) this.#train();
  }

  #train(): Uint8Array {
    const samples = this.#waiting.filter((_, index) => index % trainingStep === 0);
    const sampleBytes = samples.reduce((sum, { length }) => sum + length, 0);
    const text = Buffer.concat(samples, Math.min(sampleBytes, trainingBytes / trainingStep));
    const dictionary = trainDictionary(text, Math.min(maxDictionaryBytes, this.length * dictionaryShare));
    for (const block of this.#waiting) this.#compress(block, dictionary);
    this.#waiting = [];
    this.#dictionary = dictionary;
    return dictionary;
  }

  #compress(text: Uint8Array, dictionary: Uint8Array): void {
    compressor ??= newCompressor();
    compressor.reserve(text.length, text.length);
    compressor.useDictionary(dictionary);
    compressor.bytes.set(text, compressor.textStart);
    const length = compressor.compress(text.length);
    const { bytes, compressedStart } = compressor;
    this.#starts.push(this.#section.length);
    this.#section.write(length === 0 ? text : bytes.subarray(compressedStart, compressedStart + length));
  }

  finish(): void {
    const dictionary = this.#dictionary ?? this.#train();
    this.#starts.push(this.#section.length);
    this.#section.finish();
    this.#sections.write("frameStarts", bytesOf(this.#starts.words()));
    this.#sections.write("dictionary", dictionary);
  }
}

export class FrameReader implements ContentReader {
  readonly length: number;
  readonly #frames: PagedReader;
  readonly #frameStarts: Uint32Array;
  readonly #blockStarts: Uint32Array;
  readonly #dictionary: Uint8Array;
  readonly #cached: CachedBlocks;

  constructor(
    frames: PagedReader,
    frameStarts: Uint32Array,
    blockStarts: Uint32Array,
    dictionary: Uint8Array,
  ) {
    if (dictionary.length > maxDictionaryBytes) throw shardDamaged("The dictionary is too long");
    this.length = blockStarts[blockStarts.length - 1] ?? 0;
    if (!isAscending(frameStarts, frames.length) || !isAscending(blockStarts, this.length))
      throw shardDamaged("The blocks are out of order");
    this.#frames = frames;
    this.#frameStarts = frameStarts;
    this.#blockStarts = blockStarts;
    this.#dictionary = dictionary;
    this.#cached = newCachedBlocks(frameStarts.length - 1);
  }

  read(
    position: number,
    target: Uint8Array,
    offset: number,
    length: number,
    upcoming?: UpcomingBlocks,
  ): void {
    if (length <= 0) return;
    const end = position + length;
    if (end > this.length) throw shardDamaged(`The text ends before byte ${end}`);
    let block = lastAtOrBelow(this.#blockStarts, 0, this.#cached.length, position);
    let stop = block + 1;
    while ((this.#blockStarts[stop] ?? end) < end) stop++;
    while (block < stop) {
      const slot = this.#cached[block] ?? -1;
      if (slot >= 0) {
        this.#copy(block, cache.bytes, cache.startOf(slot), position, target, offset, end);
        block++;
      } else {
        const batchEnd = this.#batchEnd(block, stop);
        this.#readBatch(block, batchEnd, position, target, offset, end, upcoming);
        block = batchEnd;
      }
    }
  }

  /** Returns the end of the blocks from `first` on that are not cached and are read with one call. */
  #batchEnd(first: number, stop: number): number {
    const maxEnd = (this.#frameStarts[first] ?? 0) + maxBatchBytes;
    let end = first + 1;
    while (end < stop && this.#cached[end] === -1 && (this.#frameStarts[end + 1] ?? 0) <= maxEnd) end++;
    return end;
  }

  /** Reads the blocks `[first, stop)`, and copies those of their bytes that are in `[position, end)`. */
  #readBatch(
    first: number,
    stop: number,
    position: number,
    target: Uint8Array,
    offset: number,
    end: number,
    upcoming: UpcomingBlocks | undefined,
  ): void {
    const from = this.#frameStarts[first] ?? 0;
    const to = this.#frameStarts[stop] ?? 0;
    decompressor ??= newDecompressor();
    const lz4 = decompressor;
    if (lz4.reserve(this.#longest(first, stop), Math.max(to - from, maxAheadBytes))) loaded.owner = undefined;
    lz4.useDictionary(this.#dictionary);
    const compressed = this.#load(lz4, from, to, upcoming);
    const isCached = stop - first <= maxCachedBatch;
    for (let block = first; block < stop; block++) {
      this.#decompress(lz4, block, compressed + (this.#frameStarts[block] ?? 0) - from);
      const { bytes, textStart } = lz4;
      if (isCached) cache.add(this.#cached, block, bytes, textStart, textStart + this.#textBytes(block));
      this.#copy(block, bytes, textStart, position, target, offset, end);
    }
  }

  /** Loads the frames in `[from, to)` of the section, and returns their address. */
  #load(
    { bytes, compressedStart }: Decompressor,
    from: number,
    to: number,
    upcoming: UpcomingBlocks | undefined,
  ): number {
    if (loaded.owner !== this || from < loaded.start || to > loaded.end) {
      const end = upcoming === undefined ? to : this.#aheadEnd(from, to, upcoming);
      loaded.owner = undefined;
      this.#frames.read(from, bytes, compressedStart, end - from);
      loaded.start = from;
      loaded.end = end;
      loaded.owner = this;
    }
    return compressedStart + from - loaded.start;
  }

  /**
   * Returns the end of the upcoming frames that are worth reading together with those in `[from, to)`. They are not in the next
   * checked page, whose damage must not affect these.
   */
  #aheadEnd(from: number, to: number, { blocks, at }: UpcomingBlocks): number {
    const starts = this.#frameStarts;
    const limit = Math.min(from + maxAheadBytes, Math.ceil(to / checkedPageBytes) * checkedPageBytes);
    if (blocks === undefined)
      return Math.max(to, starts[lastAtOrBelow(starts, 0, starts.length, limit)] ?? 0);
    let end = to;
    for (let next = at; next < blocks.length; next++) {
      const block = blocks[next] ?? 0;
      const stop = starts[block + 1] ?? 0;
      if (stop <= end) continue;
      if (stop > limit || (starts[block] ?? 0) - end > maxGapBytes) break;
      if (this.#cached[block] === -1) end = stop;
    }
    return end;
  }

  #textBytes(block: number): number {
    return (this.#blockStarts[block + 1] ?? 0) - (this.#blockStarts[block] ?? 0);
  }

  #longest(first: number, stop: number): number {
    let longest = 0;
    for (let block = first; block < stop; block++) longest = Math.max(longest, this.#textBytes(block));
    return longest;
  }

  /** Decompresses the frame of a block, which is at `compressed`. */
  #decompress(lz4: Decompressor, block: number, compressed: number): void {
    const textBytes = this.#textBytes(block);
    const compressedBytes = (this.#frameStarts[block + 1] ?? 0) - (this.#frameStarts[block] ?? 0);
    if (compressedBytes === textBytes)
      lz4.bytes.copyWithin(lz4.textStart, compressed, compressed + compressedBytes);
    else if (!lz4.decompress(compressed, compressedBytes, textBytes))
      throw shardDamaged(`Block ${block} cannot be decompressed`);
  }

  /** Copies what is in `[position, end)` of a block whose text starts at `bytes[textStart]`. */
  #copy(
    block: number,
    bytes: Uint8Array,
    textStart: number,
    position: number,
    target: Uint8Array,
    offset: number,
    end: number,
  ): void {
    const start = this.#blockStarts[block] ?? 0;
    const from = Math.max(position, start);
    const to = Math.min(end, this.#blockStarts[block + 1] ?? 0);
    target.set(bytes.subarray(textStart + from - start, textStart + to - start), offset + from - position);
  }
}

/** Whether numbers ascend from 0 to `last`. */
function isAscending(numbers: Uint32Array, last: number): boolean {
  return (
    numbers[0] === 0 && numbers.at(-1) === last && numbers.every((each, at) => each >= (numbers[at - 1] ?? 0))
  );
}
