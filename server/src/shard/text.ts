import { isUtf8 } from "node:buffer";

/** A stretch of a document as a string, and the way back from its UTF-16 units to bytes. */
export interface DecodedText {
  readonly text: string;
  readonly isAscii: boolean;
  /** Bytes before the unit `index`. Asked for in ascending order it costs one pass over the text. */
  byteAt(index: number): number;
}

/**
 * Decodes `bytes[start … end)`. Every byte that is part of no valid sequence becomes one U+FFFD, as RE2 sees it, so
 * that any text can be searched and every match has a place.
 */
export function decodeText(bytes: Buffer, start: number, end: number, isAscii: boolean): DecodedText {
  if (isAscii) {
    return { text: bytes.toString("latin1", start, end), isAscii, byteAt: (index) => index };
  }
  if (isUtf8(bytes.subarray(start, end))) return validText(bytes.toString("utf8", start, end));
  return brokenText(bytes, start, end);
}

function validText(text: string): DecodedText {
  let lastIndex = 0;
  let lastByte = 0;
  return {
    text,
    isAscii: false,
    byteAt(index) {
      if (index < lastIndex) {
        lastIndex = 0;
        lastByte = 0;
      }
      lastByte += Buffer.byteLength(text.slice(lastIndex, index));
      lastIndex = index;
      return lastByte;
    },
  };
}

function brokenText(bytes: Buffer, start: number, end: number): DecodedText {
  const units: string[] = [];
  const places = new Uint32Array(end - start + 1);
  let index = 0;
  for (let at = start; at < end; ) {
    const length = sequenceLength(bytes, at, end);
    const piece = length === 0 ? "\ufffd" : bytes.toString("utf8", at, at + length);
    for (let unit = 0; unit < piece.length; unit++) places[index++] = at - start;
    units.push(piece);
    at += Math.max(length, 1);
  }
  places[index] = end - start;
  return { text: units.join(""), isAscii: false, byteAt: (unit) => places[unit] ?? end - start };
}

/** Bytes of the valid UTF-8 sequence at `at`, or 0. Overlong forms and surrogates are invalid. */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = at + 2; next < at + length; next++) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** Code points in `bytes[start … end)`, a byte that is part of no valid sequence counting as one. */
export function countCodePoints(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; count++) at += Math.max(sequenceLength(bytes, at, end), 1);
  return count;
}
