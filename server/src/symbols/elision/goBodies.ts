/** Elides function bodies and literals of Go, whose braces can be counted without a parser. */

import {
  apostrophe,
  backtick,
  closingBrace,
  newline,
  openingBrace,
  openingParenthesis,
  quote,
  slash,
} from "./asciiCodes";
import { Bracket } from "./brackets";
import type { Cuts } from "./cuts";
import { endOfComment, endOfString } from "./tokens";
import { isWordByte, Keywords } from "./words";

const words = new Keywords(["type", "var", "const", "import", "func", "struct", "interface"]);
/** The numbers of these keywords. */
const typeWord = 1;
const importWord = 4;
const funcWord = 5;
const structWord = 6;
const interfaceWord = 7;

/** Adds the ranges to elide. Returns false if a quote or a brace is unmatched. */
export function goBodies(content: Uint8Array, cuts: Cuts): boolean {
  let enclosing = new Bracket(0, 0, false, cuts, undefined);
  /** Whether the next brace at the top level opens a function body. */
  let isFunctionNext = false;
  /** Whether the position is in a top-level function. Fields of structs in it are not definitions. */
  let isInFunction = false;
  /** The last byte outside of whitespace and comments, and the number of the keyword that it ends. */
  let last = newline;
  let lastWord = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    if (byte <= 0x20) continue;
    if (isWordByte[byte] === 1) {
      const start = at;
      while (isWordByte[content[at + 1] ?? 0] === 1) at++;
      lastWord = words.find(content, start, at + 1);
      // `x.(type)` declares nothing.
      if (lastWord === typeWord && last !== openingParenthesis) enclosing.defines = true;
      if (enclosing.outer === undefined) {
        if (lastWord === funcWord) isFunctionNext ||= start === 0 || content[start - 1] === newline;
        else if (lastWord > 0 && lastWord <= importWord) isFunctionNext = false;
      }
      last = byte;
      continue;
    }
    const comment = byte === slash ? endOfComment(content, at) : 0;
    if (comment > 0) {
      cuts.skip(at, comment);
      at = comment - 1;
      continue;
    }
    if (byte === quote || byte === apostrophe || byte === backtick) {
      const start = at;
      at = byte === backtick ? content.indexOf(backtick, at + 1) : endOfString(content, at);
      if (at < 0) return false;
      cuts.skip(start, at);
    } else if (byte === openingBrace) {
      const isType = lastWord === structWord || lastWord === interfaceWord;
      if (isType && !isEmpty(content, at + 1) && !(lastWord === structWord && isInFunction))
        enclosing.defines = true;
      if (!isType && enclosing.outer === undefined) isInFunction = isFunctionNext;
      enclosing = new Bracket(byte, at + 1, !isType, cuts, enclosing);
    } else if (byte === closingBrace) {
      const { outer } = enclosing;
      if (outer === undefined) return false;
      enclosing.close(at, cuts);
      if (enclosing.isElidable && outer.outer === undefined) isInFunction = isFunctionNext = false;
      enclosing = outer;
    }
    last = byte;
    lastWord = 0;
  }
  return enclosing.outer === undefined;
}

function isEmpty(content: Uint8Array, from: number): boolean {
  let at = from;
  while (at < content.length && (content[at] ?? 0) <= 0x20) at++;
  return content[at] === closingBrace;
}
