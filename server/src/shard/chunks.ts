import type { Chunk, Position, Range } from "#model/match";
import { lastAtOrBelow } from "./lastAtOrBelow";
import type { RangeBuffer } from "./ranges";
import type { ShardReader } from "./reader";
import type { SymbolReader } from "./symbolReader";
import { countCodePoints, decodeText } from "./text";
import { TouchedSymbols } from "./touchedSymbols";
import type { TextWindow } from "./window";

const newline = 0x0a;

/** Ranges `[from, to)` of a document's text as chunks: whole lines, context around them, in the document's order. */
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
    const symbols = touched?.by(ranges, at, end) ?? [];
    chunks.push({ ...cutChunk(text, ranges, at, end, topLine, bottomLine + contextLines), symbols });
    at = end;
  }
  return chunks;
}

/** The line of the last byte: an end behind a newline belongs to the line that it ends. */
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

/** A place in a chunk; goes forward only, so that a long line with many ranges is crossed once. */
interface Cursor {
  offset: number;
  line: number;
  lineStart: number;
  column: number;
}

/** The position of a byte at or behind the last one that was asked for. */
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
  /** Absent where they are not known. */
  readonly symbols?: SymbolReader | undefined;
}

/** The lines of one document; blocks are read when they are needed and kept while they join. */
class DocumentLines {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #base: number;
  readonly #length: number;
  readonly #firstBlock: number;
  readonly #endBlock: number;
  /** Blocks `[loadedFrom, loadedTo)` are in `bytes`, whose first byte is at `loadedStart` of the document. */
  #loadedFrom: number;
  #loadedTo: number;
  #loadedStart = 0;
  #bytes = new Uint8Array(0);
  /** Where the loaded lines begin, and the end of the last; the first has the number `firstLine`. */
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
    const place = this.#window.load(this.#reader, start, stop, () => stop);
    const { kernels } = this.#window;
    const count = kernels.newlines(place, stop - start);
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
    this.#bytes = kernels.bytes.slice(place, place + stop - start);
    this.#lineStarts = lineStarts;
    this.#firstLine = blockLines[first] ?? 1;
  }

  /** The number of the line that holds the byte. */
  lineAt(offset: number): number {
    const block = atOrBelow(this.#reader.blockStarts, this.#firstBlock, this.#endBlock, offset + this.#base);
    this.#load(block, block + 1);
    return this.#firstLine + atOrBelow(this.#lineStarts, 0, this.#lineStarts.length - 1, offset);
  }

  /** Where a line begins, or the length of the text for a line behind the last. */
  lineStart(line: number): number {
    const block = atOrBelow(this.#reader.blockLines, this.#firstBlock, this.#endBlock, line);
    this.#load(block, block + 1);
    return this.#lineStarts[line - this.#firstLine] ?? this.#length;
  }

  slice(start: number, end: number): Uint8Array {
    if (start >= end) return new Uint8Array(0);
    const { blockStarts } = this.#reader;
    const from = atOrBelow(blockStarts, this.#firstBlock, this.#endBlock, start + this.#base);
    const to = atOrBelow(blockStarts, this.#firstBlock, this.#endBlock, end - 1 + this.#base);
    this.#load(from, to + 1);
    return this.#bytes.subarray(start - this.#loadedStart, end - this.#loadedStart);
  }
}

/** The last index in `[low, end)` whose value is not above `wanted`; `low` where there is none. */
function atOrBelow(values: Uint32Array, low: number, end: number, wanted: number): number {
  return Math.max(low, lastAtOrBelow(values, low, end, wanted));
}

/** Ranges in a path: line 1, offsets in the path. */
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

/**
 * Text for people: each byte that is no UTF-8 becomes one U+FFFD, as columns count it; a byte order mark stays.
 */
export function decodeBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decodeText(buffer, 0, buffer.length, false).text;
}
