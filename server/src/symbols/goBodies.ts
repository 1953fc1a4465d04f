/** Go: bodies of functions, and literals. Its braces can be counted without a parser. */

import { Bracket } from "./brackets";
import {
  apostrophe,
  backtick,
  closingBrace,
  newline,
  openingBrace,
  openingParenthesis,
  quote,
  slash,
} from "./bytes";
import type { Cuts } from "./cuts";
import { endOfComment, endOfString } from "./tokens";
import { isWordByte, Words } from "./words";

const words = new Words(["type", "var", "const", "import", "func", "struct", "interface"]);
/** Numbers of these words. */
const typeWord = 1;
const importWord = 4;
const funcWord = 5;
const structWord = 6;
const interfaceWord = 7;

/** Adds what can be left out; false where a quote or a brace has no other half. */
export function goBodies(content: Uint8Array, cuts: Cuts): boolean {
  let around = new Bracket(0, 0, false, cuts, undefined);
  /** The next brace at the top is the body of a function. */
  let isFunctionNext = false;
  /** In a function that is declared at the top; fields of structs in it are no definitions. */
  let isInFunction = false;
  /** The last byte that was no blank and in no comment, and the number of the word that it ends. */
  let last = newline;
  let lastWord = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    if (byte <= 0x20) continue;
    if (isWordByte[byte] === 1) {
      const start = at;
      while (isWordByte[content[at + 1] ?? 0] === 1) at++;
      lastWord = words.find(content, start, at + 1);
      // `x.(type)` declares none.
      if (lastWord === typeWord && last !== openingParenthesis) around.defines = true;
      if (around.outer === undefined) {
        if (lastWord === funcWord) isFunctionNext ||= start === 0 || content[start - 1] === newline;
        else if (lastWord > 0 && lastWord <= importWord) isFunctionNext = false;
      }
      last = byte;
      continue;
    }
    const comment = byte === slash ? endOfComment(content, at) : 0;
    if (comment > 0) {
      at = comment - 1;
      continue;
    }
    if (byte === quote || byte === apostrophe || byte === backtick) {
      at = byte === backtick ? content.indexOf(backtick, at + 1) : endOfString(content, at);
      if (at < 0) return false;
    } else if (byte === openingBrace) {
      const isType = lastWord === structWord || lastWord === interfaceWord;
      if (isType && !isEmpty(content, at + 1) && !(lastWord === structWord && isInFunction))
        around.defines = true;
      if (!isType && around.outer === undefined) isInFunction = isFunctionNext;
      around = new Bracket(byte, at + 1, !isType, cuts, around);
    } else if (byte === closingBrace) {
      const { outer } = around;
      if (outer === undefined) return false;
      around.close(at, cuts);
      if (around.canGo && outer.outer === undefined) isInFunction = isFunctionNext = false;
      around = outer;
    }
    last = byte;
    lastWord = 0;
  }
  return around.outer === undefined;
}

function isEmpty(content: Uint8Array, from: number): boolean {
  let at = from;
  while (at < content.length && (content[at] ?? 0) <= 0x20) at++;
  return content[at] === closingBrace;
}
