/**
 * Elides the contents of braces in C, C++, Java and Rust. A scanner that recognizes comments, strings and preprocessor
 * directives matches the braces.
 */

import {
  apostrophe,
  backslash,
  closingBrace,
  closingParenthesis,
  hash,
  newline,
  openingBrace,
  openingParenthesis,
  quote,
  semicolon,
  slash,
  star,
} from "./asciiCodes";
import { type BodyRules, CBodyRules, JavaBodyRules, RustBodyRules } from "./bodyRules";
import { Bracket } from "./brackets";
import type { Cuts } from "./cuts";
import { endOfComment, endOfNestedComment, endOfString } from "./tokens";
import { isWordByte, Keywords } from "./words";

/** The syntax of a language besides braces, comments and one-line strings. */
export interface BraceSyntax {
  /** Lines that begin with `#` are preprocessor directives, and there may be `'` between digits. */
  readonly hasDirectives?: boolean;
  /** Has `R"x(…)x"`. */
  readonly isCpp?: boolean;
  /** Has `r#"…"#`, lifetimes (`'a`), nested comments, multi-line strings, and `use a::{b}`. */
  readonly isRust?: boolean;
  /** Has multi-line strings between `"""`. */
  readonly hasTextBlocks?: boolean;
  /** Absent for C++, where definitions need the whole text: how its grammar recovers from errors depends on bodies. */
  readonly rules?: () => BodyRules;
}

/** By language name. */
export const braceSyntaxes: Readonly<Record<string, BraceSyntax>> = {
  C: { hasDirectives: true, rules: () => new CBodyRules() },
  "C++": { hasDirectives: true, isCpp: true },
  Java: { hasTextBlocks: true, rules: () => new JavaBodyRules() },
  Rust: { isRust: true, rules: () => new RustBodyRules() },
};

const directives = new Keywords([
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
/** The numbers of these keywords. */
const ifndefWord = 3;
const endifWord = 8;
const includeWord = 9;
const defineWord = 10;

const rustWords = new Keywords(["use", "extern"]);
const useWord = 1;
/** Prefixes of raw strings. */
const rawPrefixes = new Keywords(["r", "br", "cr"]);
const cppRawPrefixes: ReadonlySet<string> = new Set(["R", "LR", "uR", "UR", "u8R"]);

/** Adds the ranges to elide. Returns false if braces cannot be matched reliably. */
export function braceBodies(content: Uint8Array, cuts: Cuts, syntax: BraceSyntax): boolean {
  if (!cuts.isForName && syntax.rules === undefined) return false;
  return new Scanner(content, cuts, syntax).scan();
}

class Scanner {
  readonly #content: Uint8Array;
  readonly #cuts: Cuts;
  readonly #syntax: BraceSyntax;
  #offset = 0;
  #enclosing: Bracket;
  /** The enclosing bracket of each open preprocessor conditional. */
  readonly #conditions: Bracket[] = [];
  /** Absent if all braces may be elided. */
  readonly #rules: BodyRules | undefined;
  /** Whether the position is in a `use`, whose braces contain imports. */
  #isInUse = false;
  /** Whether only whitespace and comments precede the position on its line. */
  #beginsLine = true;

  constructor(content: Uint8Array, cuts: Cuts, syntax: BraceSyntax) {
    this.#content = content;
    this.#cuts = cuts;
    this.#syntax = syntax;
    this.#rules = cuts.isForName ? undefined : syntax.rules?.();
    this.#enclosing = new Bracket(0, 0, false, cuts, undefined);
  }

  scan(): boolean {
    const content = this.#content;
    for (; this.#offset < content.length; this.#offset++) {
      const byte = content[this.#offset] ?? 0;
      if (byte <= 0x20) {
        if (byte === newline) this.#beginsLine = true;
        continue;
      }
      if (isWordByte[byte] === 1) this.#word();
      else if (!this.#punctuation(byte)) return false;
      // A directive may follow a comment.
      if (byte !== slash) this.#beginsLine = false;
    }
    return this.#enclosing.outer === undefined && this.#conditions.length === 0;
  }

  #word(): void {
    const content = this.#content;
    const start = this.#offset;
    const { hasDirectives, isRust } = this.#syntax;
    const isNumber = isDigit(content[start]);
    while (
      isWordByte[content[this.#offset + 1] ?? 0] === 1 ||
      (hasDirectives && isNumber && this.#isSeparator())
    )
      this.#offset++;
    this.#rules?.word(content, start, this.#offset + 1, this.#enclosing);
    if (!isRust) return;
    const number = rustWords.find(content, start, this.#offset + 1);
    if (number === useWord) this.#isInUse = true;
    if (number > 0) this.#enclosing.mustBeKept = true;
  }

  /** Whether the next byte is a digit separator. */
  #isSeparator(): boolean {
    return (
      this.#content[this.#offset + 1] === apostrophe && isWordByte[this.#content[this.#offset + 2] ?? 0] === 1
    );
  }

  /** Returns false if the text cannot be scanned reliably. */
  #punctuation(byte: number): boolean {
    const content = this.#content;
    switch (byte) {
      case slash: {
        const end = this.#syntax.isRust
          ? endOfNestedComment(content, this.#offset)
          : endOfComment(content, this.#offset);
        if (end === 0) break;
        this.#cuts.skip(this.#offset, end);
        this.#offset = end - 1;
        return true;
      }
      case hash:
        if (this.#syntax.hasDirectives && this.#beginsLine) return this.#directive();
        break;
      case quote: {
        const start = this.#offset;
        this.#offset = this.#endOfString();
        this.#cuts.skip(start, this.#offset);
        break;
      }
      case apostrophe:
        this.#offset = this.#syntax.isRust
          ? endOfRustCharacter(content, this.#offset)
          : endOfString(content, this.#offset);
        break;
      case semicolon:
        this.#isInUse = false;
        break;
      case openingBrace: {
        const canElide = !this.#isInUse && (this.#rules?.isElidableBrace(this.#enclosing) ?? true);
        this.#enclosing = new Bracket(byte, this.#offset + 1, canElide, this.#cuts, this.#enclosing);
        break;
      }
      case closingBrace: {
        const { outer } = this.#enclosing;
        if (outer === undefined) return false;
        this.#enclosing.close(this.#offset, this.#cuts);
        this.#enclosing = outer;
      }
    }
    this.#rules?.punctuation(byte);
    return this.#offset >= 0;
  }

  /** Returns the offset of the last byte of the string that begins here, or -1. */
  #endOfString(): number {
    const content = this.#content;
    const start = this.#offset;
    const { isCpp, isRust, hasTextBlocks } = this.#syntax;
    if (isCpp && isRawPrefix(content, start)) return endOfCppRawString(content, start);
    if (isRust) return endOfRustString(content, start);
    if (!hasTextBlocks || content[start + 1] !== quote || content[start + 2] !== quote)
      return endOfString(content, start);
    for (let at = start + 3; at < content.length; at++) {
      if (content[at] === backslash) at++;
      else if (content[at] === quote && content[at + 1] === quote && content[at + 2] === quote) return at + 2;
    }
    return -1;
  }

  /** Skips to the end of a directive. Returns false if a branch of a conditional has unmatched braces. */
  #directive(): boolean {
    const content = this.#content;
    let start = this.#offset + 1;
    while (content[start] === 0x20 || content[start] === 0x09) start++;
    let end = start;
    while (isWordByte[content[end] ?? 0] === 1) end++;
    this.#offset = endOfDirective(content, end) - 1;
    const number = directives.find(content, start, end);
    if (number === 0) return true;
    if (number === includeWord) this.#enclosing.mustBeKept = true;
    else if (number === defineWord) this.#enclosing.defines = true;
    else if (number <= ifndefWord) this.#conditions.push(this.#enclosing);
    else {
      // The braces of all branches are scanned, so each branch must close exactly the braces that it opens.
      if (this.#conditions.at(-1) !== this.#enclosing) return false;
      if (number === endifWord) this.#conditions.pop();
    }
    return true;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Returns the offset of the line break, skipping those after a backslash or in a comment. */
function endOfDirective(content: Uint8Array, from: number): number {
  let at = from;
  for (; at < content.length && content[at] !== newline; at++) {
    const byte = content[at];
    if (byte === backslash) at += content[at + 1] === 0x0d && content[at + 2] === newline ? 2 : 1;
    else if (byte === slash && content[at + 1] === star) at = endOfComment(content, at) - 1;
  }
  return at;
}

/** Whether the word that ends at `end` makes a following string raw. */
function isRawPrefix(content: Uint8Array, end: number): boolean {
  let start = end;
  while (isWordByte[content[start - 1] ?? 0] === 1) start--;
  return cppRawPrefixes.has(String.fromCharCode(...content.subarray(start, Math.min(end, start + 4))));
}

/** Returns the offset of the last byte of `"x(…)x"`, for any x, or -1. */
function endOfCppRawString(content: Uint8Array, start: number): number {
  const opening = content.indexOf(openingParenthesis, start);
  if (opening < 0 || opening - start > 17) return -1;
  const closing = Uint8Array.of(closingParenthesis, ...content.subarray(start + 1, opening), quote);
  const at = Buffer.from(content.buffer, content.byteOffset, content.byteLength).indexOf(closing, opening);
  return at < 0 ? -1 : at + closing.length - 1;
}

/** Returns the offset of the last byte of a string, raw or not, which may have several lines; or -1. */
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

/** Returns the offset of the last byte of a character literal or a lifetime. */
function endOfRustCharacter(content: Uint8Array, start: number): number {
  const first = content[start + 1] ?? 0;
  if (first === backslash) return endOfString(content, start);
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (content[start + 1 + length] === apostrophe) return start + 1 + length;
  let end = start;
  while (isWordByte[content[end + 1] ?? 0] === 1) end++;
  return end;
}
