/**
 * Elides function bodies, blocks and literals of TypeScript and JavaScript. The preceding tokens decide what a bracket
 * or a slash means. If they are ambiguous, the enclosing bracket counts as defining something, or the whole text is
 * parsed.
 */

import {
  apostrophe,
  asciiCode,
  backslash,
  backtick,
  closingBrace,
  closingParenthesis,
  closingSquare,
  comma,
  dollar,
  dot,
  equals,
  exclamation,
  greater,
  hash,
  minus,
  newline,
  openingBrace,
  openingParenthesis,
  openingSquare,
  plus,
  quote,
  semicolon,
  slash,
} from "./asciiCodes";
import { Bracket } from "./brackets";
import type { Cuts } from "./cuts";
import { type WordClass, wordClassAt } from "./ecmascriptWords";
import { endOfComment, endOfExpression, endOfLine, endOfString, startOfText } from "./tokens";
import { isWordByte } from "./words";

/** Tokens other than punctuation, which is its own byte. */
const word = 1;
const value = 2;
const arrow = 3;

/** A function after one of these is anonymous. */
const beforeAnonymous = new Set([..."(,?["].map(asciiCode).concat(arrow));
/** A brace after one of these may open an object. */
const beforeObject = new Set([..."=(,:?[&|"].map(asciiCode));
/** An arrow function with one bare parameter (`a => b`) is anonymous after one of these. Others may end a type. */
const beforeParameter = new Set([..."(,"].map(asciiCode).concat(arrow));
/** A keyword of `members` or `alias` is an ordinary name if one of these follows. */
const followsName = new Set([..."(),:;=.?!}]&|+-"].map(asciiCode));

class Parenthesis extends Bracket {
  /** The token before it. */
  before = 0;
  /** Whether it contains a condition, or the parameters of a `function`. */
  isHead = false;
  /** Whether it looks like a condition, but may be the parameters of a method named `if`. */
  mayBeParameters = false;
}

class Brace extends Bracket {
  /** Whether it contains declared or exported names. */
  isPattern = false;
  mayBeObject = false;
}

/**
 * Adds the ranges to elide. Returns false if the whole text must be parsed. `isTyped` is for TypeScript, where
 * `this.x = …` declares nothing. JSX is not supported.
 */
export function ecmascriptBodies(content: Uint8Array, cuts: Cuts, isTyped: boolean): boolean {
  return new Scanner(content, cuts, isTyped).scan();
}

class Scanner {
  readonly #content: Uint8Array;
  readonly #isTyped: boolean;
  readonly #cuts: Cuts;
  #offset = 0;
  #enclosing: Bracket;
  /** The previous token, and the one before it. */
  #last = semicolon;
  #earlier = semicolon;
  /** The class of the previous token, if it is a keyword. */
  #lastClass: WordClass | undefined;
  /** The last closed parenthesis. */
  #closed: Parenthesis | undefined;
  #isFunctionNext = false;
  /** The brackets in which a class, an interface or a namespace has begun, but not its body. */
  readonly #membersIn = new Set<Bracket>();
  /** The bracket in which a type alias has begun. */
  #aliasIn: Bracket | undefined;

  constructor(content: Uint8Array, cuts: Cuts, isTyped: boolean) {
    this.#content = content;
    this.#cuts = cuts;
    this.#isTyped = isTyped;
    this.#enclosing = new Bracket(0, 0, false, cuts, undefined);
  }

  scan(): boolean {
    const content = this.#content;
    this.#offset = startOfText(content);
    if (content[this.#offset] === hash && content[this.#offset + 1] === exclamation)
      this.#offset = endOfLine(content, this.#offset);
    for (; this.#offset < content.length; this.#offset++) {
      const byte = content[this.#offset] ?? 0;
      if (byte <= 0x20 || byte === hash) continue;
      if (!(isWordByte[byte] === 1 ? this.#word() : this.#punctuation(byte))) return false;
    }
    return this.#enclosing.outer === undefined;
  }

  #token(token: number): void {
    this.#earlier = this.#last;
    this.#last = token;
    this.#lastClass = undefined;
  }

  /** Returns false if the text cannot be scanned reliably. */
  #word(): boolean {
    const start = this.#offset;
    let bits = this.#content[start] ?? 0;
    for (let next = this.#content[start + 1] ?? 0; isWordByte[next] === 1; ) {
      bits |= next;
      next = this.#content[++this.#offset + 1] ?? 0;
    }
    // Non-ASCII whitespace has the bytes of letters.
    if (bits >= 0x80 && /\s/.test(Buffer.from(this.#content.subarray(start, this.#offset + 1)).toString()))
      return false;
    const last = this.#last;
    const lastClass = this.#lastClass;
    this.#token(word);
    // Not a keyword, but the name of a member.
    if (last === dot) return true;
    const wordClass = wordClassAt(this.#content, start, this.#offset + 1);
    this.#lastClass = wordClass;
    const enclosing = this.#enclosing;
    switch (wordClass) {
      case "module":
        enclosing.defines = true;
        enclosing.mustBeKept = true;
        break;
      case "this":
        enclosing.defines ||= !this.#isTyped;
        break;
      case "members":
        if (followsName.has(this.#next())) break;
        enclosing.defines = true;
        this.#membersIn.add(enclosing);
        break;
      case "alias":
        if (followsName.has(this.#next())) break;
        enclosing.defines = true;
        this.#aliasIn = enclosing;
        break;
      case "names":
        if (this.#aliasIn === enclosing) this.#aliasIn = undefined;
        break;
      case "function": {
        const next = this.#next();
        // A property named `function`.
        if (next !== openingParenthesis && followsName.has(next)) break;
        this.#isFunctionNext = true;
        // A function on the line after `return` is not returned: the line break ends the statement.
        const isReturned = lastClass === "value" && !this.#beginsLine(start);
        if (!isReturned && lastClass !== "construct" && !beforeAnonymous.has(last)) enclosing.defines = true;
      }
    }
    return true;
  }

  /** Returns false if the text cannot be scanned reliably. */
  #punctuation(byte: number): boolean {
    const content = this.#content;
    const next = content[this.#offset + 1];
    switch (byte) {
      case slash:
        return this.#slash();
      case quote:
      case apostrophe:
        this.#offset = endOfString(content, this.#offset);
        this.#token(value);
        return this.#offset >= 0;
      case backtick:
        return this.#template();
      case openingBrace:
        this.#openBrace();
        break;
      case openingParenthesis:
        this.#openParenthesis();
        break;
      case openingSquare:
        this.#enclosing = new Bracket(byte, this.#offset + 1, false, this.#cuts, this.#enclosing);
        break;
      case closingParenthesis:
        return this.#close(openingParenthesis);
      case closingSquare:
        return this.#close(openingSquare);
      case closingBrace:
        if (this.#enclosing.opener !== dollar) return this.#close(openingBrace);
        return this.#close(dollar) && this.#template();
      case dot:
        if (next !== dot) break;
        // `...` precedes a value.
        this.#offset += 2;
        this.#token(comma);
        return true;
      case equals:
        if (next === greater) {
          this.#arrow();
          return true;
        }
        break;
      case exclamation:
        // `a!` has the same meaning as `a`.
        if (next !== equals && this.#isValue() && (content[this.#offset - 1] ?? 0) > 0x20) return true;
        break;
      case plus:
      case minus:
        if (next !== byte) break;
        this.#offset++;
        this.#token(value);
        return true;
    }
    this.#token(byte);
    return true;
  }

  #openBrace(): void {
    const enclosing = this.#enclosing;
    const last = this.#last;
    const isBlock =
      last === word
        ? this.#lastClass === "block" || this.#isBeforeValue() || this.#lastClass === "type"
        : last === closingParenthesis
          ? this.#closed?.isHead === true
          : last !== greater && last !== closingSquare && last !== closingBrace && last !== value;
    const isPattern = this.#lastClass === "names" || (enclosing instanceof Brace && enclosing.isPattern);
    let canElide = !isPattern && !(this.#aliasIn === enclosing && last === equals);
    if (this.#membersIn.has(enclosing)) {
      canElide = false;
      // Braces in types follow punctuation: `class A<T extends { b: c }> extends D<{ e: f }> {`.
      if (!isBlock) this.#membersIn.delete(enclosing);
    }
    // May be the body of a method.
    else if (!isBlock || (last === closingParenthesis && this.#closed?.mayBeParameters === true))
      enclosing.defines = true;
    const opened = new Brace(openingBrace, this.#offset + 1, canElide, this.#cuts, enclosing);
    opened.isPattern = isPattern;
    opened.mayBeObject = last === word ? this.#lastClass !== "block" : beforeObject.has(last);
    this.#enclosing = opened;
  }

  #openParenthesis(): void {
    const enclosing = this.#enclosing;
    const opened = new Parenthesis(openingParenthesis, this.#offset + 1, false, this.#cuts, enclosing);
    opened.before =
      this.#lastClass === "async" ? this.#earlier : this.#lastClass === "value" ? arrow : this.#last;
    const isHandler = this.#lastClass === "handler";
    const isCondition = isHandler || this.#lastClass === "condition";
    opened.isHead = this.#isFunctionNext || isCondition;
    const isFirst = this.#earlier === openingBrace && enclosing instanceof Brace && enclosing.mayBeObject;
    opened.mayBeParameters =
      isCondition && (this.#earlier === comma || isFirst || (isHandler && this.#earlier !== closingBrace));
    this.#isFunctionNext = false;
    this.#enclosing = opened;
  }

  #close(opener: number): boolean {
    const enclosing = this.#enclosing;
    const { outer } = enclosing;
    if (outer === undefined || enclosing.opener !== opener) return false;
    enclosing.close(this.#offset, this.#cuts);
    if (enclosing instanceof Parenthesis) this.#closed = enclosing;
    this.#enclosing = outer;
    this.#token(this.#content[this.#offset] ?? 0);
    return true;
  }

  #arrow(): void {
    this.#offset++;
    const isAnonymous =
      this.#last === closingParenthesis
        ? beforeAnonymous.has(this.#closed?.before ?? 0)
        : this.#last === word && beforeParameter.has(this.#earlier);
    if (!isAnonymous) this.#enclosing.defines = true;
    this.#token(arrow);
  }

  /** Skips the text of a template, from a backtick or `}` to the next `${` or backtick. */
  #template(): boolean {
    const content = this.#content;
    for (this.#offset++; this.#offset < content.length; this.#offset++) {
      const byte = content[this.#offset];
      if (byte === backslash) this.#offset++;
      else if (byte === backtick) {
        this.#token(value);
        return true;
      } else if (byte === dollar && content[this.#offset + 1] === openingBrace) {
        this.#offset++;
        this.#enclosing = new Bracket(dollar, this.#offset + 1, false, this.#cuts, this.#enclosing);
        this.#token(openingParenthesis);
        return true;
      }
    }
    return false;
  }

  #slash(): boolean {
    const content = this.#content;
    const comment = endOfComment(content, this.#offset);
    if (comment > 0) {
      this.#offset = comment - 1;
      return true;
    }
    if (this.#last === closingBrace) return false;
    if (this.#isValue()) {
      this.#token(slash);
      return true;
    }
    this.#offset = endOfExpression(content, this.#offset);
    this.#token(value);
    return this.#offset >= 0;
  }

  /** Whether the previous token is a value, or ends one. */
  #isValue(): boolean {
    if (this.#last === word) return !this.#isBeforeValue() && this.#lastClass !== "block";
    if (this.#last === closingParenthesis) return this.#closed?.isHead !== true;
    return this.#last === value || this.#last === closingSquare;
  }

  /** Whether the previous token is a keyword that a value follows. */
  #isBeforeValue(): boolean {
    return this.#lastClass === "value" || this.#lastClass === "construct";
  }

  #beginsLine(start: number): boolean {
    for (let at = start - 1; at >= 0 && (this.#content[at] ?? 0) <= 0x20; at--)
      if (this.#content[at] === newline) return true;
    return false;
  }

  /** Returns the next byte that is not whitespace. */
  #next(): number {
    let at = this.#offset + 1;
    while (at < this.#content.length && (this.#content[at] ?? 0) <= 0x20) at++;
    return this.#content[at] ?? semicolon;
  }
}
