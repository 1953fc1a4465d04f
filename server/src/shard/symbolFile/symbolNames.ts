import { partitionPoint } from "#base/binarySearch";
import { shardDamaged } from "#shard/format/checksum";
import type { ShardReader } from "#shard/format/reader";
import { type BlockLetters, blockLetters } from "./nameLetters";
import { foldedRanks } from "./nameOrder";

const newline = 0x0a;
/** How many bytes are first read to get the first name of a block. Most names are shorter. */
const headBytes = 64;
const maxTexts = 256;

/** Names `[from, to)`. */
export interface NameRange {
  readonly from: number;
  readonly to: number;
}

const noNames: NameRange = { from: 0, to: 0 };

/** A position in a block: where a name starts, or the end. */
interface NamePosition {
  readonly block: number;
  readonly bytes: Buffer;
  readonly start: number;
}

/**
 * Looks up the names of a symbol file by number, and numbers by prefix. See `symbolFile.ts` for their order. Methods
 * throw `SHARD_DAMAGED`.
 */
export class SymbolNames {
  /** The shard with the names as its only document, for finders. */
  readonly reader: ShardReader;
  readonly count: number;
  /** The first names of blocks, loaded on demand. */
  readonly #heads: Buffer[] = [];
  /** The letters of blocks, loaded on demand. */
  readonly #letters: BlockLetters[] = [];
  /** The bytes of the block that was read last. */
  #cachedBytes: Buffer = Buffer.alloc(0);
  #cachedBlock = -1;
  /** A cache of names by number, because many definitions share a name. */
  readonly #texts = new Map<number, string>();
  #all: readonly string[] | undefined;

  constructor(reader: ShardReader, count: number) {
    this.reader = reader;
    this.count = count;
  }

  /** Loads all names into memory, for callers that need most of them. */
  loadAll(): void {
    const { content } = this.reader;
    const bytes = Buffer.alloc(content.length);
    content.read(0, bytes, 0, bytes.length);
    this.#all = bytes.toString("utf8", 0, Math.max(0, bytes.length - 1)).split("\n");
  }

  text(number: number): string {
    if (this.#all !== undefined) return this.#all[number] ?? "";
    const known = this.#texts.get(number);
    if (known !== undefined) return known;
    const block = this.blockOf(number);
    const bytes = this.#bytesIn(block);
    let start = 0;
    for (let at = this.firstIn(block); at < number; at++) start = endOfLine(bytes, start) + 1;
    const text = textOf(bytes, start);
    if (this.#texts.size >= maxTexts) this.#texts.clear();
    this.#texts.set(number, text);
    return text;
  }

  /** Returns many names at once, reading each block once. */
  texts(numbers: Uint32Array): string[] {
    if (this.#all !== undefined) return Array.from(numbers, (number) => this.text(number));
    const texts = new Map<number, string>();
    let lines: readonly string[] = [];
    let first = 0;
    for (const number of numbers.toSorted()) {
      if (number - first >= lines.length) {
        const block = this.blockOf(number);
        const bytes = this.#bytesIn(block);
        lines = bytes.toString("utf8", 0, bytes.length - 1).split("\n");
        first = this.firstIn(block);
      }
      texts.set(number, lines[number - first] ?? "");
    }
    return Array.from(numbers, (number) => texts.get(number) ?? "");
  }

  /** Finds the names that start with `text` or, if `isWhole`, that equal it. Ignores ASCII case. */
  find(text: string, isWhole: boolean): NameRange {
    if (this.count === 0) return noNames;
    const wanted = Buffer.from(text);
    const compare = (bytes: Buffer, start: number) => compareLine(bytes, start, wanted, isWhole);
    const first = this.#seek((bytes, start) => compare(bytes, start) < 0);
    // Usually there are none, and counting lines would take most of the time. At the end of a block, the first name may be in
    // the next one.
    if (first.start < first.bytes.length && compare(first.bytes, first.start) !== 0) return noNames;
    const end = this.#seek((bytes, start) => compare(bytes, start) <= 0);
    return { from: this.#numberAt(first), to: this.#numberAt(end) };
  }

  get blockCount(): number {
    return this.reader.meta.blockCount;
  }

  /** The names of a block, each followed by a newline. */
  bytesOf(block: number): Buffer {
    const { blockStarts, content } = this.reader;
    const start = blockStarts[block] ?? 0;
    const length = (blockStarts[block + 1] ?? 0) - start;
    if (length <= 0) throw shardDamaged("A block of symbol names is empty");
    const bytes = Buffer.allocUnsafe(length);
    content.read(start, bytes, 0, length);
    return bytes;
  }

  /** Reads one name of a block. */
  textIn(block: number, nameIndex: number): string {
    const { starts } = this.lettersIn(block);
    const start = starts[nameIndex] ?? 0;
    const bytes = Buffer.allocUnsafe(Math.max(0, (starts[nameIndex + 1] ?? 0) - 1 - start));
    this.reader.content.read((this.reader.blockStarts[block] ?? 0) + start, bytes, 0, bytes.length);
    return bytes.toString();
  }

  /** Returns the letters of a block's names. Cached, because fuzzy queries arrive one keystroke at a time. */
  lettersIn(block: number): BlockLetters {
    const letters = this.#letters[block] ?? blockLetters(this.bytesOf(block));
    this.#letters[block] = letters;
    return letters;
  }

  /** Returns the number of the first name of a block. */
  firstIn(block: number): number {
    return (this.reader.blockLines[block] ?? 1) - 1;
  }

  blockOf(number: number): number {
    return this.#lastBlock((block) => this.firstIn(block) <= number);
  }

  /**
   * Finds the first name for which `isBefore` returns false, or the end of the block before it. `isBefore` must return true
   * for all earlier names.
   */
  #seek(isBefore: (bytes: Buffer, start: number) => boolean): NamePosition {
    const block = this.#lastBlock((each) => isBefore(this.#head(each), 0));
    const bytes = this.#bytesIn(block);
    // Both are starts of lines.
    let low = 0;
    let high = bytes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = middle === low ? low : Math.max(low, bytes.lastIndexOf(newline, middle - 1) + 1);
      if (isBefore(bytes, start)) low = endOfLine(bytes, start) + 1;
      else high = start;
    }
    return { block, bytes, start: low };
  }

  #numberAt({ block, bytes, start }: NamePosition): number {
    let number = this.firstIn(block);
    for (let at = 0; at < Math.min(start, bytes.length); at++) if (bytes[at] === newline) number++;
    return number;
  }

  /** Finds the last block that passes `test`, or else the first one. After a block that does not pass, none does. */
  #lastBlock(test: (block: number) => boolean): number {
    return partitionPoint(1, this.blockCount, test) - 1;
  }

  /** The first name of a block, followed by a newline. */
  #head(block: number): Buffer {
    const known = this.#heads[block];
    if (known !== undefined) return known;
    const { blockStarts, content } = this.reader;
    const start = blockStarts[block] ?? 0;
    const bytes = Buffer.alloc(Math.max(0, Math.min(headBytes, (blockStarts[block + 1] ?? 0) - start)));
    content.read(start, bytes, 0, bytes.length);
    const whole = bytes.includes(newline) ? bytes : this.#bytesIn(block);
    const head = Buffer.from(whole.subarray(0, endOfLine(whole, 0) + 1));
    this.#heads[block] = head;
    return head;
  }

  #bytesIn(block: number): Buffer {
    if (this.#cachedBlock !== block) {
      this.#cachedBytes = this.bytesOf(block);
      this.#cachedBlock = block;
    }
    return this.#cachedBytes;
  }
}

/** Compares the line at `start` with `wanted`. Returns 0 if they are equal or, unless `isWhole`, if it is a prefix. */
function compareLine(bytes: Uint8Array, start: number, wanted: Uint8Array, isWhole: boolean): number {
  for (let at = 0; at < wanted.length; at++) {
    const byte = bytes[start + at] ?? newline;
    if (byte === newline) return -1;
    const difference = (foldedRanks[byte] ?? 0) - (foldedRanks[wanted[at] ?? 0] ?? 0);
    if (difference !== 0) return difference;
  }
  return isWhole && (bytes[start + wanted.length] ?? newline) !== newline ? 1 : 0;
}

/** The text of the line that starts there. */
function textOf(bytes: Buffer, start: number): string {
  return bytes.toString("utf8", start, endOfLine(bytes, start));
}

/** The offset of the newline of the line that starts there. */
function endOfLine(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(newline, start);
  return end < 0 ? bytes.length : end;
}
