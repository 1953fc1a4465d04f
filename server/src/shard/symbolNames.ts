import { damaged } from "./checksum";
import { type BlockLetters, blockLetters } from "./nameLetters";
import type { ShardReader } from "./reader";
import { foldName } from "./symbols";

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
  readonly #heads: string[] = [];
  /** Of each block that was asked for. */
  readonly #letters: BlockLetters[] = [];
  #lines: readonly string[] = [];
  #linesOf = -1;
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
    const block = this.blockOf(number);
    return this.#linesIn(block)[number - this.firstIn(block)] ?? "";
  }

  /** Of many at once, each block read once. */
  texts(numbers: Uint32Array): string[] {
    if (this.#all !== undefined) return Array.from(numbers, (number) => this.text(number));
    const texts = new Map<number, string>();
    for (const number of numbers.toSorted()) if (!texts.has(number)) texts.set(number, this.text(number));
    return Array.from(numbers, (number) => texts.get(number) ?? "");
  }

  /** Names that begin with `text`, or (`isWhole`) are it; ASCII letters in capitals or not. */
  find(text: string, isWhole: boolean): NameStretch {
    const folded = foldName(text);
    const from = this.#partition((name) => name < folded);
    const to = this.#partition(
      (name) => name < folded || (isWhole ? name === folded : name.startsWith(folded)),
    );
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

  /** The first name of which `isBefore` does not hold; it holds of all before that, folded. */
  #partition(isBefore: (folded: string) => boolean): number {
    if (this.count === 0) return 0;
    const block = this.#lastBlock((each) => isBefore(this.#head(each)));
    const lines = this.#linesIn(block);
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(foldName(lines[middle] ?? ""))) low = middle + 1;
      else high = middle;
    }
    return this.firstIn(block) + low;
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

  #head(block: number): string {
    const known = this.#heads[block];
    if (known !== undefined) return known;
    const head = foldName(this.#linesIn(block)[0] ?? "");
    this.#heads[block] = head;
    return head;
  }

  #linesIn(block: number): readonly string[] {
    if (this.#linesOf === block) return this.#lines;
    const bytes = this.bytesOf(block);
    this.#lines = bytes.toString("utf8", 0, bytes.length - 1).split("\n");
    this.#linesOf = block;
    return this.#lines;
  }
}
