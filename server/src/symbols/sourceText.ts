/** A document as the parser sees it: UTF-16, with a way back to the bytes. */

import { isAscii } from "node:buffer";

export interface DecodedText {
  readonly text: string;
  /** Where in the bytes the character at `index` begins; for the length of `text`, the length of the bytes. */
  byteAt(index: number): number;
  /** The index of the character that holds the byte at `offset`. */
  indexAt(offset: number): number;
}

const replacement = 0xfffd;

/** Every byte that is no part of UTF-8 becomes one U+FFFD, so that places stay what they are, whatever the bytes. */
export function decodeSource(content: Uint8Array): DecodedText {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (isAscii(bytes))
    return { text: bytes.toString("latin1"), byteAt: (index) => index, indexAt: (offset) => offset };
  const units = new Uint16Array(bytes.length);
  const places = new Uint32Array(bytes.length + 1);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const [code, length] = codePoint(bytes, at);
    places[count] = at;
    if (code > 0xffff) {
      units[count++] = 0xd800 + ((code - 0x10000) >> 10);
      places[count] = at;
      units[count++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    } else units[count++] = code;
    at += length;
  }
  places[count] = bytes.length;
  const text = Buffer.from(units.buffer, 0, count * 2).toString("utf16le");
  return {
    text,
    byteAt: (index) => places[index] ?? bytes.length,
    indexAt: (offset) => lastAtMost(places, count, offset),
  };
}

/** The code point at a place and its length in bytes, by the table of well-formed sequences of the Unicode standard. */
function codePoint(bytes: Uint8Array, at: number): readonly [code: number, length: number] {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return [first, 1];
  const second = bytes[at + 1] ?? 0;
  if (first < 0xc2 || first > 0xf4 || !continues(second)) return [replacement, 1];
  if (first < 0xe0) return [((first & 0x1f) << 6) | (second & 0x3f), 2];
  const third = bytes[at + 2] ?? 0;
  if (!continues(third)) return [replacement, 1];
  if (first < 0xf0) {
    const code = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
    return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? [replacement, 1] : [code, 3];
  }
  const fourth = bytes[at + 3] ?? 0;
  const code = ((first & 0x07) << 18) | ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f);
  return !continues(fourth) || code < 0x10000 || code > 0x10ffff ? [replacement, 1] : [code, 4];
}

function continues(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Index of the last of `count` ascending places that is not after `offset`, the first of equal ones. */
function lastAtMost(places: Uint32Array, count: number, offset: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((places[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low > 0 && places[low - 1] === places[low] ? low - 1 : low;
}
