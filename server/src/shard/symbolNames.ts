import { damaged } from "./checksum";
import { type BlockLetters, blockLetters } from "./nameLetters";
import type { ShardReader } from "./reader";

const newline = 0x0a;
/** More bytes than most names have. */
const usualLength = 64;
const maxTexts = 256;

/** Names `[from, to)`. */
export interface NameStretch {
  readonly from: number;
  readonly to: number;
}

/** The names of a companion by their numbers, and their numbers by what they begin with. Order: symbols.ts. */
export class SymbolNames {
  /** The shard of one document that holds them, for finders. */
  readonly reader: ShardReader;
  readonly count: number;
  /** The first name of each block that was asked for. */
  readonly #heads: Buffer[] = [];
  /** Of each block that was asked for. */
  readonly #letters: BlockLetters[] = [];
  /** The block that was read last. */
  #open: Buffer = Buffer.alloc(0);
  #openBlock = -1;
  /** Names that were asked for, by their numbers: one name is that of many definitions. */
  readonly #texts = new Map<number, string>();
  #all: readonly string[] | undefined;

  constructor(reader: ShardReader, count: number) {
    this.reader = reader;
    this.count = count;
  }

  /** Reads all names and keeps them, for who asks for most of them. */
  keepAll(): void {
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

  /** Of many at once, each block read once. */
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

  /** Names that begin with `text`, or (`isWhole`) are it; ASCII letters in capitals or not. */
  find(text: string, isWhole: boolean): NameStretch {
    const wanted = Buffer.from(text);
    const from = this.#partition((bytes, start) => compareLine(bytes, start, wanted, isWhole) < 0);
    const to = this.#partition((bytes, start) => compareLine(bytes, start, wanted, isWhole) <= 0);
    return { from, to };
  }

  get blockCount(): number {
    return this.reader.meta.blockCount;
  }

  /** The names of a block, a newline behind each. */
  bytesOf(block: number): Buffer {
    const { blockStarts, content } = this.reader;
    const start = blockStarts[block] ?? 0;
    const length = (blockStarts[block + 1] ?? 0) - start;
    if (length <= 0) throw damaged("Names of symbols");
    const bytes = Buffer.allocUnsafe(length);
    content.read(start, bytes, 0, length);
    return bytes;
  }

  /** One name of a block, read alone. */
  textIn(block: number, at: number): string {
    const { starts } = this.lettersIn(block);
    const start = starts[at] ?? 0;
    const bytes = Buffer.allocUnsafe(Math.max(0, (starts[at + 1] ?? 0) - 1 - start));
    this.reader.content.read((this.reader.blockStarts[block] ?? 0) + start, bytes, 0, bytes.length);
    return bytes.toString();
  }

  /** Kept: who looks for letters looks again with the next one. */
  lettersIn(block: number): BlockLetters {
    const letters = this.#letters[block] ?? blockLetters(this.bytesOf(block));
    this.#letters[block] = letters;
    return letters;
  }

  /** The first name of a block. */
  firstIn(block: number): number {
    return (this.reader.blockLines[block] ?? 1) - 1;
  }

  blockOf(number: number): number {
    return this.#lastBlock((block) => this.firstIn(block) <= number);
  }

  /** The first name of which `isBefore` does not hold; it does of all before that. It is told where its line begins. */
  #partition(isBefore: (bytes: Buffer, start: number) => boolean): number {
    if (this.count === 0) return 0;
    const block = this.#lastBlock((each) => isBefore(this.#head(each), 0));
    const bytes = this.#bytesIn(block);
    // Both are beginnings of lines.
    let low = 0;
    let high = bytes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = middle === low ? low : Math.max(low, bytes.lastIndexOf(newline, middle - 1) + 1);
      if (isBefore(bytes, start)) low = endOfLine(bytes, start) + 1;
      else high = start;
    }
    let number = this.firstIn(block);
    for (let at = 0; at < Math.min(low, bytes.length); at++) if (bytes[at] === newline) number++;
    return number;
  }

  /** The last block of which `holds` does; it does of all before that. The first where it does of none. */
  #lastBlock(holds: (block: number) => boolean): number {
    let low = 0;
    let high = this.blockCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (holds(middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The first name of a block, a newline behind it. */
  #head(block: number): Buffer {
    const known = this.#heads[block];
    if (known !== undefined) return known;
    const { blockStarts, content } = this.reader;
    const start = blockStarts[block] ?? 0;
    const bytes = Buffer.alloc(Math.max(0, Math.min(usualLength, (blockStarts[block + 1] ?? 0) - start)));
    content.read(start, bytes, 0, bytes.length);
    const whole = bytes.includes(newline) ? bytes : this.#bytesIn(block);
    const head = Buffer.from(whole.subarray(0, endOfLine(whole, 0) + 1));
    this.#heads[block] = head;
    return head;
  }

  #bytesIn(block: number): Buffer {
    if (this.#openBlock !== block) {
      this.#open = this.bytesOf(block);
      this.#openBlock = block;
    }
    return this.#open;
  }
}

/** By byte of UTF-8: as names are ordered, which is by UTF-16 and without regard to capitals of ASCII. */
const ranks = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  // What takes a surrogate pair stands before the last characters that take none.
  return byte === 0xee || byte === 0xef ? byte + 0x10 : byte;
});

/** Negative where the line that begins at `start` stands before `wanted`; 0 where it is that or (not `isWhole`) begins so. */
function compareLine(bytes: Uint8Array, start: number, wanted: Uint8Array, isWhole: boolean): number {
  for (let at = 0; at < wanted.length; at++) {
    const byte = bytes[start + at] ?? newline;
    if (byte === newline) return -1;
    const difference = (ranks[byte] ?? 0) - (ranks[wanted[at] ?? 0] ?? 0);
    if (difference !== 0) return difference;
  }
  return isWhole && (bytes[start + wanted.length] ?? newline) !== newline ? 1 : 0;
}

/** The text of the line that begins there. */
function textOf(bytes: Buffer, start: number): string {
  return bytes.toString("utf8", start, endOfLine(bytes, start));
}

/** Where the newline of the line is that begins there. */
function endOfLine(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(newline, start);
  return end < 0 ? bytes.length : end;
}
