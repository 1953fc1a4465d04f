/** Places in a text given as bytes: which line and column an offset is, and the other way round. */

/** `byteOffset` from 0, `lineNumber` from 1, `column` from 1 in code points. */
export interface TextPlace {
  readonly byteOffset: number;
  readonly lineNumber: number;
  readonly column: number;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const decoder = new TextDecoder();
/** In a line, code points are counted once up to each of these steps, so that a place costs no more than one of them. */
const stepBytes = 1024;

export class TextPlaces {
  readonly #bytes: Uint8Array;
  /** Offset of the first byte of each line. */
  readonly #starts: readonly number[];
  /** By line: code points before each step, as far as they were counted. */
  readonly #steps = new Map<number, number[]>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const starts = [0];
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** Of a byte of the text, or of its end. */
  placeOf(byteOffset: number): TextPlace {
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

  /** The offset of a place; of one behind the end of its line, that end. Undefined behind the last line. */
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

  /** A line without its end, of which no more than `maxBytes` are read. */
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
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= byteOffset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

function codePoints(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (!isContinuation(bytes[at])) count++;
  return count;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
