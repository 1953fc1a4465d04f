/** Writes the JSON of a chunk in TypeScript (see `plain.ts`). */
import { sequenceLength } from "./utf8";

const newline = 0x0a;
const encoder = new TextEncoder();

/** A chunk that is being written. */
export class PlainChunk {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  readonly #byteOffset: number;
  readonly #lineNumber: number;
  /** Up to where lines and columns were counted. */
  #at: number;
  #line: number;
  #column = 1;

  /** See `Kernels.writeChunk`. */
  constructor(bytes: Uint8Array, start: number, length: number, byteOffset: number, lineNumber: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = start + length;
    this.#byteOffset = byteOffset;
    this.#lineNumber = lineNumber;
    this.#at = start;
    this.#line = lineNumber;
  }

  write(output: Uint8Array, ranges: Uint32Array, rangeCount: number): number {
    const content = JSON.stringify(this.#text());
    const start = JSON.stringify({ byteOffset: this.#byteOffset, lineNumber: this.#lineNumber, column: 1 });
    const first = this.#ranges(ranges, rangeCount);
    const json = `{"content":${content},"contentStart":${start},"matchRanges":[${first}`;
    return encoder.encodeInto(json, output).written;
  }

  writeRanges(output: Uint8Array, ranges: Uint32Array, rangeCount: number): number {
    return encoder.encodeInto(`,${this.#ranges(ranges, rangeCount)}`, output).written;
  }

  #text(): string {
    const pieces: string[] = [];
    for (let at = this.#start; at < this.#end; ) {
      const length = sequenceLength(this.#bytes, at, this.#end);
      pieces.push(length === 0 ? "\ufffd" : String.fromCodePoint(codePoint(this.#bytes, at, length)));
      at += Math.max(length, 1);
    }
    return pieces.join("");
  }

  #ranges(ranges: Uint32Array, count: number): string {
    const written: string[] = [];
    for (let at = 0; at < count; at++) {
      const start = this.#position(ranges[2 * at] ?? 0);
      written.push(JSON.stringify({ start, end: this.#position(ranges[2 * at + 1] ?? 0) }));
    }
    return written.join(",");
  }

  #position(offset: number) {
    const end = Math.min(this.#start + offset, this.#end);
    for (let at = this.#at; at < end; ) {
      const isNewline = this.#bytes[at] === newline;
      this.#line += isNewline ? 1 : 0;
      this.#column = isNewline ? 1 : this.#column + 1;
      at += Math.max(sequenceLength(this.#bytes, at, end), 1);
    }
    this.#at = end;
    return { byteOffset: this.#byteOffset + offset, lineNumber: this.#line, column: this.#column };
  }
}

/** Decodes a valid UTF-8 sequence. */
function codePoint(bytes: Uint8Array, at: number, length: number): number {
  const first = bytes[at] ?? 0;
  let code = length === 1 ? first : first & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) code = code * 64 + ((bytes[next] ?? 0) & 0x3f);
  return code;
}
