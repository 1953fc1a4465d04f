import type { Kernels } from "#kernels/kernels";
import { maxWrittenRanges } from "#kernels/memory";
import type { Position, Range } from "#model/match";
import { countCodePoints, decodeText } from "#shard/format/text";
import { DocumentLines, type DocumentText } from "./documentLines";
import type { JsonWriter } from "./jsonWriter";
import type { DocumentRanges, RangeBuffer } from "./ranges";
import { TouchedSymbols } from "./touchedSymbols";

/** The JSON of chunks after their ranges: field names, in the order of `Chunk`, and punctuation. */
const json = {
  symbols: Buffer.from('],"symbols":'),
  noSymbols: Buffer.from('],"symbols":[]'),
  enclosing: Buffer.from(',"enclosing":'),
  endOfChunk: Buffer.from("}"),
  open: Buffer.from("["),
  separator: Buffer.from(","),
  close: Buffer.from("]"),
};

/**
 * Writes the JSON of a `Chunk[]` around the ranges of a document: whole lines with their context, in ascending order,
 * but first those that contain a range of `phrase`. Writes bytes rather than objects, because a response may contain a
 * hundred thousand ranges, and objects would be copied between threads and encoded on the main thread.
 */
export function writeChunks(
  writer: JsonWriter,
  source: DocumentText,
  all: DocumentRanges,
  contextLines: number,
  phrase?: RangeBuffer,
): void {
  writer.raw(json.open);
  const start = writer.length;
  const write = (isIncluded: (from: number, to: number) => boolean) =>
    writeSomeChunks(writer, start, source, all, contextLines, isIncluded);
  if (phrase === undefined) write(() => true);
  else {
    const { starts, ends } = all.ranges;
    const hasPhrase = (from: number, to: number) => {
      for (let at = from; at < to; at++) if (phrase.overlaps(starts[at] ?? 0, ends[at] ?? 0)) return true;
      return false;
    };
    write(hasPhrase);
    write((from, to) => !hasPhrase(from, to));
  }
  writer.raw(json.close);
}

/** Writes the chunks for whose ranges `[from, to)` `isIncluded` returns true. The first chunk is written at `first`. */
function writeSomeChunks(
  writer: JsonWriter,
  first: number,
  source: DocumentText,
  { ranges, from, to }: DocumentRanges,
  contextLines: number,
  isIncluded: (from: number, to: number) => boolean,
): void {
  const lines = new DocumentLines(source);
  const touched = source.symbols && new TouchedSymbols(source.symbols, source.document);
  const enclosing =
    source.symbols && source.findsEnclosing
      ? source.symbols.enclosingDefinitions(source.document)
      : undefined;
  // Often several chunks in a row are in the same definition, whose name has to be read.
  let named: { readonly number: number; readonly json: Buffer } | undefined;
  for (let at = from; at < to; ) {
    const firstLine = lines.lineAt(ranges.starts[at] ?? 0);
    const topLine = Math.max(1, firstLine - contextLines);
    let bottomLine = firstLine;
    let end = at;
    for (; end < to; end++) {
      const start = ranges.starts[end] ?? 0;
      if (end > at && !lines.isBefore(start, bottomLine + 2 * contextLines + 1)) break;
      bottomLine = Math.max(bottomLine, lines.lineAt(lastByte(start, ranges.ends[end] ?? 0)));
    }
    if (!isIncluded(at, end)) {
      at = end;
      continue;
    }
    const symbols = touched?.find(ranges, at, end) ?? [];
    if (writer.length > first) writer.raw(json.separator);
    const start = lines.lineStart(topLine);
    const stop = lines.lineStart(bottomLine + contextLines + 1);
    const address = lines.addressOf(start, stop);
    const shift = source.reader.shiftAt(source.document, start);
    const { kernels } = source.window;
    const byteOffset = start + shift.bytes;
    const lineNumber = topLine + shift.lines;
    for (let next = at; next < end; ) {
      const count = copyRanges(kernels, ranges, next, end, start);
      const length =
        next === at
          ? kernels.writeChunk(address, stop - start, byteOffset, lineNumber, count)
          : kernels.writeRanges(count);
      writer.raw(kernels.output, length);
      next += count;
    }
    if (symbols.length === 0) writer.raw(json.noSymbols);
    else {
      writer.raw(json.symbols);
      writer.value(symbols);
    }
    const last = ranges.ends[end - 1] ?? 0;
    const definition = enclosing
      ?.around(ranges.starts[at] ?? 0)
      .find((each) => each.end >= last && (each.nameStart < start || each.nameStart >= stop));
    if (definition !== undefined) {
      const { number, kind } = definition;
      if (named?.number !== number)
        named = { number, json: Buffer.from(JSON.stringify({ symbol: source.symbols?.name(number), kind })) };
      writer.raw(json.enclosing);
      writer.raw(named.json);
    }
    writer.raw(json.endOfChunk);
    at = end;
  }
}

/** The last byte of a range. One that ends after a newline ends in the line before it. */
function lastByte(start: number, end: number): number {
  return Math.max(start, end - 1);
}

/** Copies ranges of `[from, to)` to `hits`, relative to `origin`. Returns how many: as many as are written at once. */
function copyRanges(
  { hits }: Kernels,
  { starts, ends }: RangeBuffer,
  from: number,
  to: number,
  origin: number,
): number {
  const count = Math.min(to - from, maxWrittenRanges);
  for (let at = 0; at < count; at++) {
    hits[2 * at] = (starts[from + at] ?? 0) - origin;
    hits[2 * at + 1] = (ends[from + at] ?? 0) - origin;
  }
  return count;
}

/** Converts ranges in a path. They are on line 1, with offsets in the path. */
export function nameRanges(path: Uint8Array, { ranges, from, to }: DocumentRanges): Range[] {
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
