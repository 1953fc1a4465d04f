/** Converts between byte offsets and line and column positions in a UTF-8 text. */
import { partitionPoint } from "./binarySearch";

/** `byteOffset` from 0, `lineNumber` from 1, `column` from 1 in code points. */
export interface TextPosition {
  readonly byteOffset: number;
  readonly lineNumber: number;
  readonly column: number;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const decoder = new TextDecoder();
/** Code points of a line are counted once up to each multiple of this, so that a conversion scans at most one step. */
const stepBytes = 1024;

export class TextPositions {
  readonly #bytes: Uint8Array;
  #lineStarts: readonly number[] | undefined;
  /** By line: the number of code points before each step, as far as they have been counted. */
  readonly #steps = new Map<number, number[]>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Offset of the first byte of each line. Found on first use: many texts have nothing to convert. */
  get #starts(): readonly number[] {
    this.#lineStarts ??= lineStartsOf(this.#bytes);
    return this.#lineStarts;
  }

  /** Returns the position of a byte offset, which may be the end of the text. */
  positionOf(byteOffset: number): TextPosition {
    const lineNumber = this.#lineAt(byteOffset);
    const lineStart = this.#starts[lineNumber - 1] ?? 0;
    const step = Math.floor((byteOffset - lineStart) / stepBytes);
    const before = step === 0 ? 0 : this.#codePointsBefore(lineNumber, step);
    const column = 1 + before + codePoints(this.#bytes, lineStart + step * stepBytes, byteOffset);
    return { byteOffset, lineNumber, column };
  }

  #codePointsBefore(lineNumber: number, step: number): number {
    const counts = this.#steps.get(lineNumber) ?? [0];
    this.#steps.set(lineNumber, counts);
    for (let last = counts.length - 1; last < step; last++) {
      const start = (this.#starts[lineNumber - 1] ?? 0) + last * stepBytes;
      counts.push((counts[last] ?? 0) + codePoints(this.#bytes, start, start + stepBytes));
    }
    return counts[step] ?? 0;
  }

  /** Returns the byte offset of a position, clamped to the end of its line. Returns undefined after the last line. */
  offsetOf(lineNumber: number, column: number): number | undefined {
    const start = this.#starts[lineNumber - 1];
    if (start === undefined) return undefined;
    const end = this.#endOf(lineNumber);
    let at = start;
    for (let left = column - 1; left > 0 && at < end; left--) {
      at++;
      while (at < end && isContinuation(this.#bytes[at])) at++;
    }
    return at;
  }

  /** Returns a line without its terminator, truncated to `maxBytes`. */
  line(lineNumber: number, maxBytes: number): string {
    const start = this.#starts[lineNumber - 1] ?? this.#bytes.length;
    let end = this.#endOf(lineNumber);
    if (end - start > maxBytes) {
      end = start + maxBytes;
      while (end > start && isContinuation(this.#bytes[end])) end--;
    }
    return decoder.decode(this.#bytes.subarray(start, end));
  }

  #endOf(lineNumber: number): number {
    const next = this.#starts[lineNumber];
    if (next === undefined) return this.#bytes.length;
    return this.#bytes[next - 2] === carriageReturn && next - 2 >= (this.#starts[lineNumber - 1] ?? 0)
      ? next - 2
      : next - 1;
  }

  #lineAt(byteOffset: number): number {
    return Math.max(
      1,
      partitionPoint(0, this.#starts.length, (at) => (this.#starts[at] ?? 0) <= byteOffset),
    );
  }
}

function lineStartsOf(bytes: Uint8Array): readonly number[] {
  const starts = [0];
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) starts.push(at + 1);
  return starts;
}

function codePoints(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (!isContinuation(bytes[at])) count++;
  return count;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
