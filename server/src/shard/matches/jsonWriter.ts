/**
 * Writes JSON as UTF-8, byte for byte what `JSON.stringify` returns. `raw`, `integer` and `text` run over every byte of a
 * response, so they allocate nothing but the buffer.
 */
import { sequenceLength } from "#shard/format/text";

const initialBytes = 16 * 1024;
const maxKeptBytes = 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const digitZero = 0x30;
const hexDigits = Buffer.from("0123456789abcdef");
/** The bytes of U+FFFD. */
const replacement = Buffer.from("\ufffd");
/** By ASCII code: 0 if the character needs no escape, the letter after the backslash, or `u` for a code of four digits. */
const escapes = new Uint8Array(0x80).map((_, code) => {
  const text = JSON.stringify(String.fromCharCode(code));
  return text.charCodeAt(1) === backslash ? text.charCodeAt(2) : 0;
});
/** A byte of text takes at most six bytes: `\u0000`. */
const maxEscapedLength = 6;

export class JsonWriter {
  #bytes = new Uint8Array(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Writes JSON that is already encoded. */
  raw(json: Uint8Array): void {
    const at = this.#reserve(json.length);
    // For short runs, a loop is faster than `set`.
    for (let from = 0; from < json.length; from++) this.#bytes[at + from] = json[from] ?? 0;
  }

  /** Writes bytes as hexadecimal digits, without quotes. */
  hex(source: Uint8Array): void {
    const from = this.#reserve(2 * source.length);
    for (let at = 0; at < source.length; at++) {
      const byte = source[at] ?? 0;
      this.#bytes[from + 2 * at] = hexDigits[byte >> 4] ?? 0;
      this.#bytes[from + 2 * at + 1] = hexDigits[byte & 15] ?? 0;
    }
  }

  /** Writes an integer that is at least 0. */
  integer(value: number): void {
    const from = this.#reserve(16);
    const bytes = this.#bytes;
    let at = from;
    let rest = value;
    do {
      bytes[at++] = digitZero + (rest % 10);
      rest = Math.floor(rest / 10);
    } while (rest > 0);
    this.#length = at;
    for (let left = from, right = at - 1; left < right; left++, right--) {
      const digit = bytes[left] ?? 0;
      bytes[left] = bytes[right] ?? 0;
      bytes[right] = digit;
    }
  }

  /** Writes the text `[from, to)` of `source` as a string. Each byte that is not UTF-8 becomes one U+FFFD. */
  text(source: Uint8Array, from: number, to: number): void {
    let at = this.#reserve((to - from) * maxEscapedLength + 2);
    const bytes = this.#bytes;
    bytes[at++] = quote;
    for (let next = from; next < to; ) {
      const byte = source[next] ?? 0;
      if (byte < 0x80) {
        next++;
        const letter = escapes[byte] ?? 0;
        if (letter === 0) bytes[at++] = byte;
        else at = writeEscape(bytes, at, byte, letter);
        continue;
      }
      const length = sequenceLength(source, next, to);
      if (length === 0) {
        bytes.set(replacement, at);
        at += replacement.length;
        next++;
      }
      for (const end = next + length; next < end; next++) bytes[at++] = source[next] ?? 0;
    }
    bytes[at++] = quote;
    this.#length = at;
  }

  /** Writes any plain value. */
  value(value: unknown): void {
    this.raw(Buffer.from(JSON.stringify(value)));
  }

  /** Drops what was written after the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Returns a copy of what was written since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    return this.takeInto((bytes) => bytes.slice());
  }

  /** Returns what `copy` makes of what was written since the last call. */
  takeInto<Copy>(copy: (bytes: Uint8Array<ArrayBuffer>) => Copy): Copy {
    const taken = copy(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    if (this.#bytes.length > maxKeptBytes) this.#bytes = new Uint8Array(initialBytes);
    return taken;
  }

  /** Makes room for `count` more bytes, and returns where they start. The caller writes all of them or sets `#length`. */
  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    return at;
  }
}

function writeEscape(bytes: Uint8Array, start: number, code: number, letter: number): number {
  let at = start;
  bytes[at++] = backslash;
  bytes[at++] = letter;
  if (letter !== 0x75) return at;
  bytes[at++] = digitZero;
  bytes[at++] = digitZero;
  bytes[at++] = hexDigits[code >> 4] ?? 0;
  bytes[at++] = hexDigits[code & 15] ?? 0;
  return at;
}
