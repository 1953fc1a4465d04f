import { shardDamaged } from "#shard/format/checksum";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import type { ShardReader } from "#shard/format/reader";
import type { TextWindow } from "#shard/format/window";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";

/** A document and the window to read it through. */
export interface DocumentText {
  readonly reader: ShardReader;
  readonly window: TextWindow;
  readonly document: number;
  /** Absent if not known. */
  readonly symbols?: SymbolReader | undefined;
  /** Whether to write the definitions that enclose chunks. Default: false. */
  readonly findsEnclosing?: boolean | undefined;
}

const newline = 0x0a;

/** The line starts of a block. Shared, because there is one for each file of a response. */
let lineStarts = new Uint32Array(1024);

/**
 * The lines of one document. Loads one block at a time, because blocks consist of whole lines. A thread may use only one
 * instance at a time.
 */
export class DocumentLines {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #base: number;
  readonly #length: number;
  readonly #firstBlock: number;
  readonly #endBlock: number;
  /** The line that `lineAt` found last, its start, its end, and its block; no line before the first call. */
  readonly #found = { line: -1, start: 0, end: 0, block: -1 };
  /** The block whose lines are all known, or -1. */
  #block = -1;
  /** In `lineStarts`: the starts of its lines, and the end of the last. */
  #lineCount = 0;
  /** The number of its first line. */
  #firstLine = 1;

  constructor({ reader, window, document }: DocumentText) {
    this.#reader = reader;
    this.#window = window;
    this.#base = reader.contentStarts[document] ?? 0;
    this.#length = reader.contentLength(document);
    this.#firstBlock = reader.firstBlocks[document] ?? 0;
    this.#endBlock = reader.firstBlocks[document + 1] ?? 0;
    // Otherwise an address could be outside of the blocks that are loaded, where text of other documents may be.
    const isInBlocks =
      reader.blockStarts[this.#firstBlock] === this.#base &&
      reader.blockStarts[this.#endBlock] === this.#base + this.#length;
    if (!isInBlocks) throw shardDamaged(`The blocks of document ${document} are not its text`);
  }

  /** Returns the number of the line that contains the byte at `offset`; of the last line for the end of the text. */
  lineAt(offset: number): number {
    const at = this.#inText(offset);
    const { start, end, line } = this.#found;
    return at >= start && at < end ? line : this.#find(at);
  }

  /** Returns the byte offset where a line starts, or the length of the text for a line after the last. */
  lineStart(line: number): number {
    const found = this.#found;
    if (line === found.line) return found.start;
    if (line === found.line + 1) return found.end;
    const { blockLines } = this.#reader;
    const isInBlock = this.#block >= 0 && line >= this.#firstLine && line < this.#firstLine + this.#lineCount;
    if (!isInBlock) this.#load(indexAtOrBelow(blockLines, this.#firstBlock, this.#endBlock, line));
    const index = line - this.#firstLine;
    return index < this.#lineCount ? (lineStarts[index] ?? 0) : this.#length;
  }

  /** Returns whether the byte at `offset` is in a line before `line`. */
  isBefore(offset: number, line: number): boolean {
    return this.#inText(offset) < this.lineStart(line);
  }

  /** Returns the address of the text `[start, end)` in `window.kernels.bytes`, which is valid until the next call. */
  addressOf(start: number, end: number): number {
    const from = this.#blockAt(start);
    const to = this.#blockAt(Math.max(start, end - 1)) + 1;
    return this.#read(from, to) + start + this.#base - (this.#reader.blockStarts[from] ?? 0);
  }

  /** The end of the text belongs to its last line. */
  #inText(offset: number): number {
    return Math.max(0, Math.min(offset, this.#length - 1));
  }

  /** Finds a line without the other lines of its block, because most blocks have only a few matches. */
  #find(offset: number): number {
    const { blockStarts, blockLines } = this.#reader;
    const found = this.#found;
    const block = this.#blockAt(offset);
    const first = (blockStarts[block] ?? 0) - this.#base;
    const stop = (blockStarts[block + 1] ?? 0) - this.#base;
    const shift = this.#read(block, block + 1) - first;
    const { kernels } = this.#window;
    const { bytes } = kernels;
    const isAfter = block === found.block && offset >= found.end;
    const from = isAfter ? found.end : first;
    const fromLine = isAfter ? found.line + 1 : (blockLines[block] ?? 1);
    let start = offset;
    while (start > from && bytes[shift + start - 1] !== newline) start--;
    let end = offset;
    while (end < stop && bytes[shift + end] !== newline) end++;
    found.line = fromLine + kernels.countNewlines(shift + from, start - from);
    found.start = start;
    found.end = Math.min(end + 1, stop);
    found.block = block;
    return found.line;
  }

  #blockAt(offset: number): number {
    const { blockStarts } = this.#reader;
    const position = offset + this.#base;
    const { block } = this.#found;
    if (position >= (blockStarts[block] ?? 0) && position < (blockStarts[block + 1] ?? 0)) return block;
    return indexAtOrBelow(blockStarts, this.#firstBlock, this.#endBlock, position);
  }

  #load(block: number): void {
    if (block === this.#block) return;
    const { blockStarts, blockLines } = this.#reader;
    const start = blockStarts[block] ?? 0;
    const stop = blockStarts[block + 1] ?? 0;
    const address = this.#read(block, block + 1);
    const { kernels } = this.#window;
    const count = kernels.newlines(address, stop - start);
    const { hits } = kernels;
    const first = start - this.#base;
    const endsWithNewline = count > 0 && (hits[count - 1] ?? 0) === stop - start - 1;
    if (lineStarts.length < count + 2) lineStarts = new Uint32Array(2 * (count + 2));
    lineStarts[0] = first;
    for (let at = 0; at < count; at++) lineStarts[at + 1] = first + (hits[at] ?? 0) + 1;
    if (!endsWithNewline) lineStarts[count + 1] = first + stop - start;
    this.#block = block;
    this.#lineCount = count + (endsWithNewline ? 1 : 2);
    this.#firstLine = blockLines[block] ?? 1;
  }

  /** Loads blocks, and none ahead: the next ones may contain no match, and those that do are usually cached. */
  #read(from: number, to: number): number {
    return this.#window.load(this.#reader, from, to);
  }
}

/** Returns the last index in `[low, end)` whose value is at most `wanted`; `low` if there is none. */
function indexAtOrBelow(values: Uint32Array, low: number, end: number, wanted: number): number {
  return Math.max(low, lastAtOrBelow(values, low, end, wanted));
}
