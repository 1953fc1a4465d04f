/**
 * C and its kin, Java, Rust: whatever stands in braces. They can be counted once comments, strings and, in C, lines for
 * the preprocessor are known.
 */

import { type BodyRules, BodyRulesOfC, BodyRulesOfJava, BodyRulesOfRust } from "./bodyRules";
import { Bracket } from "./brackets";
import {
  apostrophe,
  backslash,
  closingBrace,
  closingParenthesis,
  code,
  hash,
  newline,
  openingBrace,
  openingParenthesis,
  quote,
  semicolon,
  slash,
  star,
} from "./bytes";
import type { Cuts } from "./cuts";
import { endOfComment, endOfNestedComment, endOfString } from "./tokens";
import { isWordByte, Words } from "./words";

/** What a language has besides braces, comments and strings of one line. */
export interface BraceSyntax {
  /** Lines that begin with `#` are for a preprocessor. */
  readonly hasDirectives?: boolean;
  /** `R"x(…)x"`, and `'` between digits. */
  readonly isCpp?: boolean;
  /** `r#"…"#`, `'a` before what is no string, comments in comments, strings over many lines, `use a::{b}`. */
  readonly isRust?: boolean;
  /** `"""` around strings of many lines. */
  readonly hasTextBlocks?: boolean;
  /** Absent where all is parsed to find definitions: what a grammar makes of C++ that it does not know hangs on bodies. */
  readonly rules?: () => BodyRules;
}

/** By language. */
export const braceSyntaxes: Readonly<Record<string, BraceSyntax>> = {
  C: { hasDirectives: true, rules: () => new BodyRulesOfC() },
  "C++": { hasDirectives: true, isCpp: true },
  Java: { hasTextBlocks: true, rules: () => new BodyRulesOfJava() },
  Rust: { isRust: true, rules: () => new BodyRulesOfRust() },
};

const directives = new Words([
  "if",
  "ifdef",
  "ifndef",
  "elif",
  "else",
  "elifdef",
  "elifndef",
  "endif",
  "include",
  "define",
]);
/** Numbers of these words. */
const ifndefWord = 3;
const endifWord = 8;
const includeWord = 9;
const defineWord = 10;

const rustWords = new Words(["use", "extern"]);
const useWord = 1;
/** Prefixes of strings that end with a sign of their own. */
const rawPrefixes = new Words(["r", "br", "cr"]);

/** Adds what can be left out; false where all of it has to be parsed, because what a brace closes is not sure. */
export function braceBodies(content: Uint8Array, cuts: Cuts, syntax: BraceSyntax): boolean {
  if (!cuts.hasPlaces && syntax.rules === undefined) return false;
  return new Scanner(content, cuts, syntax).scan();
}

class Scanner {
  readonly #content: Uint8Array;
  readonly #cuts: Cuts;
  readonly #syntax: BraceSyntax;
  #at = 0;
  #around: Bracket;
  /** What was open where each condition of the preprocessor began. */
  readonly #conditions: Bracket[] = [];
  /** Absent where everything in braces can go. */
  readonly #rules: BodyRules | undefined;
  /** In a `use`, whose braces hold what is imported. */
  #isInUse = false;
  /** Nothing but blanks stands before, on this line. */
  #beginsLine = true;

  constructor(content: Uint8Array, cuts: Cuts, syntax: BraceSyntax) {
    this.#content = content;
    this.#cuts = cuts;
    this.#syntax = syntax;
    this.#rules = cuts.hasPlaces ? undefined : syntax.rules?.();
    this.#around = new Bracket(0, 0, false, cuts, undefined);
  }

  scan(): boolean {
    const content = this.#content;
    for (; this.#at < content.length; this.#at++) {
      const byte = content[this.#at] ?? 0;
      if (byte <= 0x20) {
        if (byte === newline) this.#beginsLine = true;
        continue;
      }
      if (isWordByte[byte] === 1) this.#word();
      else if (!this.#sign(byte)) return false;
      // Behind a comment a line begins as before.
      if (byte !== slash) this.#beginsLine = false;
    }
    return this.#around.outer === undefined && this.#conditions.length === 0;
  }

  #word(): void {
    const content = this.#content;
    const start = this.#at;
    const { isCpp, isRust } = this.#syntax;
    const isNumber = isDigit(content[start]);
    while (isWordByte[content[this.#at + 1] ?? 0] === 1 || (isCpp && isNumber && this.#isSeparator()))
      this.#at++;
    this.#rules?.word(content, start, this.#at + 1, this.#around);
    if (!isRust) return;
    const number = rustWords.find(content, start, this.#at + 1);
    if (number === useWord) this.#isInUse = true;
    if (number > 0) this.#around.stays = true;
  }

  /** Of digits: the next byte is no quote. */
  #isSeparator(): boolean {
    return this.#content[this.#at + 1] === apostrophe && isWordByte[this.#content[this.#at + 2] ?? 0] === 1;
  }

  /** Whether the text can still be understood. */
  #sign(byte: number): boolean {
    const content = this.#content;
    switch (byte) {
      case slash: {
        const end = this.#syntax.isRust
          ? endOfNestedComment(content, this.#at)
          : endOfComment(content, this.#at);
        if (end === 0) break;
        this.#at = end - 1;
        return true;
      }
      case hash:
        if (this.#syntax.hasDirectives && this.#beginsLine) return this.#directive();
        break;
      case quote:
        this.#at = this.#endOfString();
        break;
      case apostrophe:
        this.#at = this.#syntax.isRust
          ? endOfRustCharacter(content, this.#at)
          : endOfString(content, this.#at);
        break;
      case semicolon:
        this.#isInUse = false;
        break;
      case openingBrace: {
        const canGo = !this.#isInUse && (this.#rules?.opens(this.#around) ?? true);
        this.#around = new Bracket(byte, this.#at + 1, canGo, this.#cuts, this.#around);
        break;
      }
      case closingBrace: {
        const { outer } = this.#around;
        if (outer === undefined) return false;
        this.#around.close(this.#at, this.#cuts);
        this.#around = outer;
      }
    }
    this.#rules?.sign(byte);
    return this.#at >= 0;
  }

  /** Of the last byte of the string that begins here; -1 where it has no end. */
  #endOfString(): number {
    const content = this.#content;
    const start = this.#at;
    const { isCpp, isRust, hasTextBlocks } = this.#syntax;
    if (isCpp && content[start - 1] === code("R")) return endOfCppRawString(content, start);
    if (isRust) return endOfRustString(content, start);
    if (!hasTextBlocks || content[start + 1] !== quote || content[start + 2] !== quote)
      return endOfString(content, start);
    for (let at = start + 3; at < content.length; at++) {
      if (content[at] === backslash) at++;
      else if (content[at] === quote && content[at + 1] === quote && content[at + 2] === quote) return at + 2;
    }
    return -1;
  }

  /** Passes over a line, to the break that ends it. What its condition leaves out counts as well as what it lets in. */
  #directive(): boolean {
    const content = this.#content;
    let start = this.#at + 1;
    while (content[start] === 0x20 || content[start] === 0x09) start++;
    let end = start;
    while (isWordByte[content[end] ?? 0] === 1) end++;
    this.#at = endOfDirective(content, end) - 1;
    const number = directives.find(content, start, end);
    if (number === 0) return true;
    if (number === includeWord) this.#around.stays = true;
    else if (number === defineWord) this.#around.defines = true;
    else if (number <= ifndefWord) this.#conditions.push(this.#around);
    else {
      // Otherwise a brace is closed in one branch and in the other, or in one alone.
      if (this.#conditions.at(-1) !== this.#around) return false;
      if (number === endifWord) this.#conditions.pop();
    }
    return true;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Of the line break: one behind a backslash, or in a comment, goes on. */
function endOfDirective(content: Uint8Array, from: number): number {
  let at = from;
  for (; at < content.length && content[at] !== newline; at++) {
    const byte = content[at];
    if (byte === backslash) at += content[at + 1] === 0x0d && content[at + 2] === newline ? 2 : 1;
    else if (byte === slash && content[at + 1] === star) at = endOfComment(content, at) - 1;
  }
  return at;
}

/** `"x(…)x"`, for any x. */
function endOfCppRawString(content: Uint8Array, start: number): number {
  const opening = content.indexOf(openingParenthesis, start);
  if (opening < 0 || opening - start > 17) return -1;
  const closing = Uint8Array.of(closingParenthesis, ...content.subarray(start + 1, opening), quote);
  const at = Buffer.from(content.buffer, content.byteOffset, content.byteLength).indexOf(closing, opening);
  return at < 0 ? -1 : at + closing.length - 1;
}

/** Of a string with or without `r#` before it, over any number of lines. */
function endOfRustString(content: Uint8Array, start: number): number {
  let hashes = 0;
  while (content[start - 1 - hashes] === hash) hashes++;
  let from = start - 1 - hashes;
  while (isWordByte[content[from] ?? 0] === 1) from--;
  const isRaw = rawPrefixes.find(content, from + 1, start - hashes) > 0;
  for (let at = start + 1; at < content.length; at++) {
    if (content[at] === backslash && !isRaw) at++;
    else if (content[at] === quote && (!isRaw || areHashes(content, at + 1, hashes)))
      return at + (isRaw ? hashes : 0);
  }
  return -1;
}

function areHashes(content: Uint8Array, from: number, count: number): boolean {
  for (let at = from; at < from + count; at++) if (content[at] !== hash) return false;
  return true;
}

/** Of a character's last byte, or of a lifetime's. */
function endOfRustCharacter(content: Uint8Array, start: number): number {
  const first = content[start + 1] ?? 0;
  if (first === backslash) return endOfString(content, start);
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (content[start + 1 + length] === apostrophe) return start + 1 + length;
  let end = start;
  while (isWordByte[content[end + 1] ?? 0] === 1) end++;
  return end;
}
