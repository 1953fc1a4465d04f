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

export class TextPlaces {
  readonly #bytes: Uint8Array;
  /** Offset of the first byte of each line. */
  readonly #starts: readonly number[];
  /** The place that was asked for last: columns of a long line are counted once where places ascend. */
  #last: TextPlace = { byteOffset: 0, lineNumber: 1, column: 1 };

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
    const last = this.#last;
    const goesOn = last.lineNumber === lineNumber && last.byteOffset <= byteOffset;
    const from = goesOn ? last.byteOffset : lineStart;
    const column = (goesOn ? last.column : 1) + codePoints(this.#bytes, from, byteOffset);
    this.#last = { byteOffset, lineNumber, column };
    return this.#last;
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
