/** Decodes a document to UTF-16 for the parser, and maps offsets back to bytes. */

import { isAscii } from "node:buffer";
import { partitionPoint } from "#base/binarySearch";

export interface DecodedText {
  readonly text: string;
  /** The byte offset of the character at a UTF-16 index; for the length of `text`, the number of bytes. */
  byteAt(index: number): number;
  /** The UTF-16 index of the character that contains the byte at `offset`. */
  indexAt(offset: number): number;
}

const replacement = 0xfffd;

/** Decodes UTF-8. Every invalid byte becomes one U+FFFD, so that offsets can always be mapped. */
export function decodeSource(content: Uint8Array): DecodedText {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (isAscii(bytes))
    return { text: bytes.toString("latin1"), byteAt: (index) => index, indexAt: (offset) => offset };
  const units = new Uint16Array(bytes.length);
  const offsets = new Uint32Array(bytes.length + 1);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const [code, length] = codePoint(bytes, at);
    offsets[count] = at;
    if (code > 0xffff) {
      units[count++] = 0xd800 + ((code - 0x10000) >> 10);
      offsets[count] = at;
      units[count++] = 0xdc00 + ((code - 0x10000) & 0x3ff);
    } else units[count++] = code;
    at += length;
  }
  offsets[count] = bytes.length;
  const text = Buffer.from(units.buffer, 0, count * 2).toString("utf16le");
  return {
    text,
    byteAt: (index) => offsets[index] ?? bytes.length,
    indexAt: (offset) => lastAtMost(offsets, count, offset),
  };
}

/** Returns a code point and its length in bytes, by the table of well-formed sequences of the Unicode standard. */
function codePoint(bytes: Uint8Array, offset: number): readonly [code: number, length: number] {
  const first = bytes[offset] ?? 0;
  if (first < 0x80) return [first, 1];
  const second = bytes[offset + 1] ?? 0;
  if (first < 0xc2 || first > 0xf4 || !continues(second)) return [replacement, 1];
  if (first < 0xe0) return [((first & 0x1f) << 6) | (second & 0x3f), 2];
  const third = bytes[offset + 2] ?? 0;
  if (!continues(third)) return [replacement, 1];
  if (first < 0xf0) {
    const code = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
    return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? [replacement, 1] : [code, 3];
  }
  const fourth = bytes[offset + 3] ?? 0;
  const code = ((first & 0x07) << 18) | ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f);
  return !continues(fourth) || code < 0x10000 || code > 0x10ffff ? [replacement, 1] : [code, 4];
}

function continues(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Returns the last index in `[0, count]` whose offset is at most `offset`; of two equal offsets, the first. */
function lastAtMost(offsets: Uint32Array, count: number, offset: number): number {
  const last = partitionPoint(1, count + 1, (at) => (offsets[at] ?? 0) <= offset) - 1;
  return last > 0 && offsets[last - 1] === offsets[last] ? last - 1 : last;
}
