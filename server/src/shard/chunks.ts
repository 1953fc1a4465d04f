import type { Chunk, Position, Range } from "#model/match";
import type { RangeBuffer } from "./ranges";
import type { ShardReader } from "./reader";
import { countCodePoints } from "./text";

const newline = 0x0a;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Ranges `[from, to)` of a document's text as chunks: whole lines, context around them, in the document's order. */
export function cutChunks(
  reader: ShardReader,
  document: number,
  ranges: RangeBuffer,
  from: number,
  to: number,
  contextLines: number,
): Chunk[] {
  const text = new DocumentLines(reader, document);
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
    chunks.push(cutChunk(text, ranges, at, end, topLine, bottomLine + contextLines));
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
): Chunk {
  const start = text.lineStart(topLine);
  const end = text.lineStart(bottomLine + 1);
  const bytes = text.slice(start, end);
  const matchRanges: Range[] = [];
  const cursor = { offset: start, line: topLine, lineStart: start };
  for (let at = from; at < to; at++) {
    const rangeStart = positionAt(bytes, start, cursor, ranges.starts[at] ?? 0);
    matchRanges.push({ start: rangeStart, end: positionAt(bytes, start, cursor, ranges.ends[at] ?? 0) });
  }
  return {
    content: decoder.decode(bytes),
    contentStart: { byteOffset: start, lineNumber: topLine, column: 1 },
    matchRanges,
    symbols: [],
  };
}

interface Cursor {
  offset: number;
  line: number;
  lineStart: number;
}

/** The position of a byte at or behind the last one that was asked for. */
function positionAt(bytes: Uint8Array, base: number, cursor: Cursor, offset: number): Position {
  for (let at = cursor.offset - base; at < offset - base; at++) {
    if (bytes[at] === newline) {
      cursor.line++;
      cursor.lineStart = base + at + 1;
    }
  }
  cursor.offset = Math.max(offset, cursor.offset);
  const column = 1 + countCodePoints(bytes, cursor.lineStart - base, offset - base);
  return { byteOffset: offset, lineNumber: cursor.line, column };
}

/** The lines of one document; blocks are read when they are needed and kept. */
class DocumentLines {
  readonly #reader: ShardReader;
  readonly #base: number;
  readonly #length: number;
  readonly #firstBlock: number;
  readonly #endBlock: number;
  /** Blocks `[loadedFrom, loadedTo)` are in `bytes`. */
  #loadedFrom = 0;
  #loadedTo = 0;
  #bytes = new Uint8Array(0);

  constructor(reader: ShardReader, document: number) {
    this.#reader = reader;
    this.#base = reader.contentStarts[document] ?? 0;
    this.#length = reader.contentLength(document);
    this.#firstBlock = reader.firstBlocks[document] ?? 0;
    this.#endBlock = reader.firstBlocks[document + 1] ?? 0;
    this.#loadedFrom = this.#firstBlock;
    this.#loadedTo = this.#firstBlock;
  }

  #blockStart(block: number): number {
    return (this.#reader.blockStarts[block] ?? 0) - this.#base;
  }

  /** Has the blocks in memory; those already there are kept only where they join. */
  #load(from: number, to: number): void {
    if (from >= this.#loadedFrom && to <= this.#loadedTo) return;
    const joins = this.#loadedTo > this.#loadedFrom && from <= this.#loadedTo && to >= this.#loadedFrom;
    const first = joins ? Math.min(from, this.#loadedFrom) : from;
    const end = joins ? Math.max(to, this.#loadedTo) : to;
    const start = this.#blockStart(first);
    const bytes = new Uint8Array(this.#blockStart(end) - start);
    this.#reader.content.read(this.#base + start, bytes, 0, bytes.length);
    this.#loadedFrom = first;
    this.#loadedTo = end;
    this.#bytes = bytes;
  }

  /** The number of the line that holds the byte. */
  lineAt(offset: number): number {
    const block = this.#blockOf(offset);
    this.#load(block, block + 1);
    let line = this.#reader.blockLines[block] ?? 1;
    const from = this.#blockStart(block) - this.#blockStart(this.#loadedFrom);
    const to = offset - this.#blockStart(this.#loadedFrom);
    for (let at = from; at < to; at++) if (this.#bytes[at] === newline) line++;
    return line;
  }

  /** Where a line begins, or the length of the text for a line behind the last. */
  lineStart(line: number): number {
    let low = this.#firstBlock;
    let high = this.#endBlock - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#reader.blockLines[middle] ?? 1) <= line) low = middle;
      else high = middle - 1;
    }
    this.#load(low, low + 1);
    const loadedStart = this.#blockStart(this.#loadedFrom);
    const end = this.#blockStart(low + 1) - loadedStart;
    let at = this.#blockStart(low) - loadedStart;
    for (let number = this.#reader.blockLines[low] ?? 1; number < line; number++) {
      const next = this.#bytes.indexOf(newline, at);
      if (next < 0 || next >= end) return Math.min(this.#length, end + loadedStart);
      at = next + 1;
    }
    return at + loadedStart;
  }

  slice(start: number, end: number): Uint8Array {
    if (start >= end) return new Uint8Array(0);
    this.#load(this.#blockOf(start), this.#blockOf(end - 1) + 1);
    const loadedStart = this.#blockStart(this.#loadedFrom);
    return this.#bytes.subarray(start - loadedStart, end - loadedStart);
  }

  #blockOf(offset: number): number {
    let low = this.#firstBlock;
    let high = this.#endBlock - 1;
    const wanted = offset + this.#base;
    const { blockStarts } = this.#reader;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((blockStarts[middle] ?? 0) <= wanted) low = middle;
      else high = middle - 1;
    }
    return low;
  }
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

/** Text for people: bytes that are no UTF-8 become U+FFFD, a byte order mark stays. */
export function decodeBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
