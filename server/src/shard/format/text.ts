import { isUtf8 } from "node:buffer";
import { sequenceLength } from "#kernels/utf8";

/** Text decoded from bytes, with a mapping from UTF-16 offsets back to byte offsets. */
export interface DecodedText {
  readonly text: string;
  readonly isAscii: boolean;
  /** Returns the byte offset of a UTF-16 offset. Calls in ascending order take one pass over the text in total. */
  byteAt(index: number): number;
}

/**
 * Decodes `bytes[start … end)`. Every byte that is not part of a valid sequence becomes one U+FFFD, as in RE2, so that
 * any text can be searched and every match has byte offsets.
 */
export function decodeText(bytes: Buffer, start: number, end: number, isAscii: boolean): DecodedText {
  if (isAscii) {
    return { text: bytes.toString("latin1", start, end), isAscii, byteAt: (index) => index };
  }
  if (isUtf8(bytes.subarray(start, end))) return validText(bytes.toString("utf8", start, end));
  return invalidText(bytes, start, end);
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

function invalidText(bytes: Buffer, start: number, end: number): DecodedText {
  const units: string[] = [];
  const byteOffsets = new Uint32Array(end - start + 1);
  let index = 0;
  for (let at = start; at < end; ) {
    const length = sequenceLength(bytes, at, end);
    const piece = length === 0 ? "\ufffd" : bytes.toString("utf8", at, at + length);
    for (let unit = 0; unit < piece.length; unit++) byteOffsets[index++] = at - start;
    units.push(piece);
    at += Math.max(length, 1);
  }
  byteOffsets[index] = end - start;
  return { text: units.join(""), isAscii: false, byteAt: (unit) => byteOffsets[unit] ?? end - start };
}

/** Counts the code points in `bytes[start … end)`. A byte that is not part of a valid sequence counts as one. */
export function countCodePoints(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; count++) at += Math.max(sequenceLength(bytes, at, end), 1);
  return count;
}
