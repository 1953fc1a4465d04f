/** Scans tokens that many languages share. All offsets are bytes. */

import { backslash, closingSquare, newline, openingSquare, slash, star } from "./asciiCodes";

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Returns the start of the text, after a byte order mark. */
export function startOfText(content: Uint8Array): number {
  return byteOrderMark.every((byte, at) => content[at] === byte) ? byteOrderMark.length : 0;
}

/** Returns the offset of the closing quote of the string at `start`; -1 if the line ends first. */
export function endOfString(content: Uint8Array, start: number): number {
  const quote = content[start];
  for (let at = start + 1; at < content.length; at++) {
    const byte = content[at];
    if (byte === quote) return at;
    if (byte === newline) return -1;
    if (byte === backslash) at++;
  }
  return -1;
}

/** Returns the offset of the slash that ends a regular expression; -1 if the line ends first. */
export function endOfExpression(content: Uint8Array, start: number): number {
  let isInClass = false;
  for (let at = start + 1; at < content.length; at++) {
    const byte = content[at];
    if (byte === newline) return -1;
    if (byte === backslash) at++;
    else if (byte === openingSquare) isInClass = true;
    else if (byte === closingSquare) isInClass = false;
    else if (byte === slash && !isInClass) return at;
  }
  return -1;
}

/** Returns the end of a line or block comment; 0 if none begins at `start`. */
export function endOfComment(content: Uint8Array, start: number): number {
  const second = content[start + 1];
  if (second === slash) return endOfLine(content, start + 2);
  return second === star ? endOfBlock(content, start + 2) : 0;
}

/** Like `endOfComment`, for languages whose block comments nest. */
export function endOfNestedComment(content: Uint8Array, start: number): number {
  if (content[start + 1] !== star) return endOfComment(content, start);
  let depth = 1;
  let at = start + 2;
  for (; at < content.length && depth > 0; at++) {
    if (content[at] === slash && content[at + 1] === star) depth++;
    else if (content[at] === star && content[at + 1] === slash) depth--;
    else continue;
    at++;
  }
  return at;
}

/** Returns the offset of the line break, or the end of the content. */
export function endOfLine(content: Uint8Array, from: number): number {
  const at = content.indexOf(newline, from);
  return at < 0 ? content.length : at;
}

function endOfBlock(content: Uint8Array, from: number): number {
  for (let at = content.indexOf(star, from); at >= 0; at = content.indexOf(star, at + 1))
    if (content[at + 1] === slash) return at + 2;
  return content.length;
}
