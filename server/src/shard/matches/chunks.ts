import type { Chunk, Position, Range } from "#model/match";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import type { ShardReader } from "#shard/format/reader";
import { countCodePoints, decodeText } from "#shard/format/text";
import type { TextWindow } from "#shard/format/window";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import type { RangeBuffer } from "./ranges";
import { TouchedSymbols } from "./touchedSymbols";

const newline = 0x0a;

/** Cuts chunks around the ranges `[from, to)` of a document: whole lines with their context, in ascending order. */
export function cutChunks(
  source: DocumentText,
  ranges: RangeBuffer,
  from: number,
  to: number,
  contextLines: number,
): Chunk[] {
  const text = new DocumentLines(source);
  const touched = source.symbols && new TouchedSymbols(source.symbols, source.document);
  const chunks: Chunk[] = [];
  for (let at = from; at < to; ) {
    const first = text.lineAt(ranges.starts[at] ?? 0);
    const topLine = Math.max(1, first - contextLines);
    let bottomLine = first;
    let end = at;
    for (; end < to; end++) {
      const start = ranges.starts[end] ?? 0;
      const startLine = end === at ? first : text.lineAt(start);
      if (startLine - contextLines > bottomLine + (end === at ? 0 : contextLines)) break;
      bottomLine = Math.max(bottomLine, lastLine(text, start, ranges.ends[end] ?? 0, startLine));
    }
    const symbols = touched?.find(ranges, at, end) ?? [];
    chunks.push({ ...cutChunk(text, ranges, at, end, topLine, bottomLine + contextLines), symbols });
    at = end;
  }
  return chunks;
}

/** The line of the last byte. A range that ends after a newline ends in the line before it. */
function lastLine(text: DocumentLines, start: number, end: number, startLine: number): number {
  return end > start + 1 ? text.lineAt(end - 1) : startLine;
}

function cutChunk(
  text: DocumentLines,
  ranges: RangeBuffer,
  from: number,
  to: number,
  topLine: number,
  bottomLine: number,
): Omit<Chunk, "symbols"> {
  const start = text.lineStart(topLine);
  const end = text.lineStart(bottomLine + 1);
  const bytes = text.slice(start, end);
  const matchRanges: Range[] = [];
  const cursor = { offset: start, line: topLine, lineStart: start, column: 1 };
  for (let at = from; at < to; at++) {
    const rangeStart = positionAt(bytes, start, cursor, ranges.starts[at] ?? 0);
    matchRanges.push({ start: rangeStart, end: positionAt(bytes, start, cursor, ranges.ends[at] ?? 0) });
  }
  return {
    content: decodeBytes(bytes),
    contentStart: { byteOffset: start, lineNumber: topLine, column: 1 },
    matchRanges,
  };
}

/** A position in a chunk. Moves only forward, so that a long line with many ranges is scanned once. */
interface Cursor {
  offset: number;
  line: number;
  lineStart: number;
  column: number;
}

/** Returns the position of a byte. Offsets must not decrease from call to call. */
function positionAt(bytes: Uint8Array, base: number, cursor: Cursor, offset: number): Position {
  for (let at = cursor.offset - base; at < offset - base; at++) {
    if (bytes[at] === newline) {
      cursor.line++;
      cursor.lineStart = base + at + 1;
      cursor.offset = cursor.lineStart;
      cursor.column = 1;
    }
  }
  cursor.column += countCodePoints(bytes, cursor.offset - base, offset - base);
  cursor.offset = offset;
  return { byteOffset: offset, lineNumber: cursor.line, column: cursor.column };
}

/** A document and the window to read it through. */
export interface DocumentText {
  readonly reader: ShardReader;
  readonly window: TextWindow;
  readonly document: number;
  /** Absent if not known. */
  readonly symbols?: SymbolReader | undefined;
}

/** The lines of one document. Reads blocks on demand, and caches them while they are adjacent. */
class DocumentLines {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #base: number;
  readonly #length: number;
  readonly #firstBlock: number;
  readonly #endBlock: number;
  /** Blocks `[loadedFrom, loadedTo)` are in `bytes`, which start at offset `loadedStart` of the document. */
  #loadedFrom: number;
  #loadedTo: number;
  #loadedStart = 0;
  #bytes = new Uint8Array(0);
  /** The starts of the loaded lines, and the end of the last. The first one has the number `firstLine`. */
  #lineStarts = new Uint32Array(0);
  #firstLine = 1;

  constructor({ reader, window, document }: DocumentText) {
    this.#reader = reader;
    this.#window = window;
    this.#base = reader.contentStarts[document] ?? 0;
    this.#length = reader.contentLength(document);
    this.#firstBlock = reader.firstBlocks[document] ?? 0;
    this.#endBlock = reader.firstBlocks[document + 1] ?? 0;
    this.#loadedFrom = this.#firstBlock;
    this.#loadedTo = this.#firstBlock;
  }

  #load(from: number, to: number): void {
    if (from >= this.#loadedFrom && to <= this.#loadedTo) return;
    const joins = this.#loadedTo > this.#loadedFrom && from <= this.#loadedTo && to >= this.#loadedFrom;
    const first = joins ? Math.min(from, this.#loadedFrom) : from;
    const end = joins ? Math.max(to, this.#loadedTo) : to;
    const { blockStarts, blockLines } = this.#reader;
    const start = blockStarts[first] ?? 0;
    const stop = blockStarts[end] ?? 0;
    const base = this.#window.load(this.#reader, start, stop, () => stop);
    const { kernels } = this.#window;
    const count = kernels.newlines(base, stop - start);
    const { hits } = kernels;
    const loadedStart = start - this.#base;
    const endsWithNewline = count > 0 && (hits[count - 1] ?? 0) === stop - start - 1;
    const lineStarts = new Uint32Array(count + (endsWithNewline ? 1 : 2));
    lineStarts[0] = loadedStart;
    for (let at = 0; at < count; at++) lineStarts[at + 1] = loadedStart + (hits[at] ?? 0) + 1;
    if (!endsWithNewline) lineStarts[count + 1] = loadedStart + stop - start;
    this.#loadedFrom = first;
    this.#loadedTo = end;
    this.#loadedStart = loadedStart;
    this.#bytes = kernels.bytes.slice(base, base + stop - start);
    this.#lineStarts = lineStarts;
    this.#firstLine = blockLines[first] ?? 1;
  }

  /** Returns the number of the line that contains the byte at `offset`. */
  lineAt(offset: number): number {
    const block = indexAtOrBelow(
      this.#reader.blockStarts,
      this.#firstBlock,
      this.#endBlock,
      offset + this.#base,
    );
    this.#load(block, block + 1);
    return this.#firstLine + indexAtOrBelow(this.#lineStarts, 0, this.#lineStarts.length - 1, offset);
  }

  /** Returns the byte offset where a line starts, or the length of the text for a line after the last. */
  lineStart(line: number): number {
    const block = indexAtOrBelow(this.#reader.blockLines, this.#firstBlock, this.#endBlock, line);
    this.#load(block, block + 1);
    return this.#lineStarts[line - this.#firstLine] ?? this.#length;
  }

  slice(start: number, end: number): Uint8Array {
    if (start >= end) return new Uint8Array(0);
    const { blockStarts } = this.#reader;
    const from = indexAtOrBelow(blockStarts, this.#firstBlock, this.#endBlock, start + this.#base);
    const to = indexAtOrBelow(blockStarts, this.#firstBlock, this.#endBlock, end - 1 + this.#base);
    this.#load(from, to + 1);
    return this.#bytes.subarray(start - this.#loadedStart, end - this.#loadedStart);
  }
}

/** Returns the last index in `[low, end)` whose value is at most `wanted`; `low` if there is none. */
function indexAtOrBelow(values: Uint32Array, low: number, end: number, wanted: number): number {
  return Math.max(low, lastAtOrBelow(values, low, end, wanted));
}

/** Converts ranges in a path. They are on line 1, with offsets in the path. */
export function nameRanges(path: Uint8Array, ranges: RangeBuffer, from: number, to: number): Range[] {
  const position = (byteOffset: number): Position => ({
    byteOffset,
    lineNumber: 1,
    column: 1 + countCodePoints(path, 0, byteOffset),
  });
  const named: Range[] = [];
  for (let at = from; at < to; at++) {
    named.push({ start: position(ranges.starts[at] ?? 0), end: position(ranges.ends[at] ?? 0) });
  }
  return named;
}

/** Decodes text for display. Each byte that is not UTF-8 becomes one U+FFFD, as in columns. Keeps a byte order mark. */
export function decodeBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decodeText(buffer, 0, buffer.length, false).text;
}
