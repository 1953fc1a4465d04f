/**
 * TypeScript and JavaScript: bodies of functions, blocks and literals. What a bracket or a slash means is told by what
 * stands before it. Where that is not sure, what is around it counts as defining something; or the text has to be parsed
 * in full.
 */

import { Bracket } from "./brackets";
import {
  apostrophe,
  backslash,
  backtick,
  closingBrace,
  closingParenthesis,
  closingSquare,
  code,
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
} from "./bytes";
import type { Cuts } from "./cuts";
import { type WordClass, wordClassAt } from "./ecmascriptWords";
import { beginOf, endOfComment, endOfExpression, endOfLine, endOfString } from "./tokens";
import { isWordByte } from "./words";

/** What a token is that is no sign; signs are their bytes. */
const word = 1;
const value = 2;
const arrow = 3;

/** Functions behind these have no name. */
const beforeNameless = new Set([..."(,?["].map(code).concat(arrow));
/** Objects, and not only blocks, stand behind these. */
const beforeObject = new Set([..."=(,:?[&|"].map(code));
/** The same for what has one parameter without brackets: `a => b`. Others may be the end of a type. */
const beforeParameter = new Set([..."(,"].map(code).concat(arrow));
/** Behind words of `members` and `alias`, these say that it is a name of something. */
const behindNames = new Set([..."(),:;=.?!}]&|+-"].map(code));

class Parenthesis extends Bracket {
  /** What stands before it. */
  before = 0;
  /** It holds a condition, or the parameters of a `function`. */
  isHead = false;
  /** It looks like a condition, and may hold the parameters of a method that is called `if`. */
  mayBeParameters = false;
}

class Brace extends Bracket {
  /** Holds names that are declared or exported, as what is in it does. */
  isPattern = false;
  mayBeObject = false;
}

/**
 * Adds what can be left out; false where all of it has to be parsed. `isTyped`: TypeScript, where `this.x = …` declares
 * nothing. Elements of JSX are not understood.
 */
export function ecmascriptBodies(content: Uint8Array, cuts: Cuts, isTyped: boolean): boolean {
  return new Scanner(content, cuts, isTyped).scan();
}

class Scanner {
  readonly #content: Uint8Array;
  readonly #isTyped: boolean;
  readonly #cuts: Cuts;
  #at = 0;
  #around: Bracket;
  /** The token before, and the one before that. */
  #last = semicolon;
  #earlier = semicolon;
  /** Of the token before, if it is such a word. */
  #lastClass: WordClass | undefined;
  /** The last one that was closed. */
  #closed: Parenthesis | undefined;
  #isFunctionNext = false;
  /** In which brackets a class or the like was begun, whose body is still to come. */
  readonly #membersIn = new Set<Bracket>();
  /** In which bracket an alias was begun. */
  #aliasIn: Bracket | undefined;

  constructor(content: Uint8Array, cuts: Cuts, isTyped: boolean) {
    this.#content = content;
    this.#cuts = cuts;
    this.#isTyped = isTyped;
    this.#around = new Bracket(0, 0, false, cuts, undefined);
  }

  scan(): boolean {
    const content = this.#content;
    this.#at = beginOf(content);
    if (content[this.#at] === hash && content[this.#at + 1] === exclamation)
      this.#at = endOfLine(content, this.#at);
    for (; this.#at < content.length; this.#at++) {
      const byte = content[this.#at] ?? 0;
      if (byte <= 0x20 || byte === hash) continue;
      if (!(isWordByte[byte] === 1 ? this.#word() : this.#sign(byte))) return false;
    }
    return this.#around.outer === undefined;
  }

  #token(token: number): void {
    this.#earlier = this.#last;
    this.#last = token;
    this.#lastClass = undefined;
  }

  /** Whether the text can still be understood. */
  #word(): boolean {
    const start = this.#at;
    let bits = this.#content[start] ?? 0;
    for (let next = this.#content[start + 1] ?? 0; isWordByte[next] === 1; ) {
      bits |= next;
      next = this.#content[++this.#at + 1] ?? 0;
    }
    // Blanks beyond ASCII look like letters.
    if (bits >= 0x80 && /\s/.test(Buffer.from(this.#content.subarray(start, this.#at + 1)).toString()))
      return false;
    const last = this.#last;
    const lastClass = this.#lastClass;
    this.#token(word);
    // A member's name says nothing.
    if (last === dot) return true;
    const wordClass = wordClassAt(this.#content, start, this.#at + 1);
    this.#lastClass = wordClass;
    const around = this.#around;
    switch (wordClass) {
      case "module":
        around.defines = true;
        around.stays = true;
        break;
      case "this":
        around.defines ||= !this.#isTyped;
        break;
      case "members":
        if (behindNames.has(this.#next())) break;
        around.defines = true;
        this.#membersIn.add(around);
        break;
      case "alias":
        if (behindNames.has(this.#next())) break;
        around.defines = true;
        this.#aliasIn = around;
        break;
      case "names":
        if (this.#aliasIn === around) this.#aliasIn = undefined;
        break;
      case "function": {
        const next = this.#next();
        // The name of a property.
        if (next !== openingParenthesis && behindNames.has(next)) break;
        this.#isFunctionNext = true;
        // What is returned stands on the same line.
        const isReturned = lastClass === "value" && !this.#beginsLine(start);
        if (!isReturned && lastClass !== "construct" && !beforeNameless.has(last)) around.defines = true;
      }
    }
    return true;
  }

  /** Whether the text can still be understood. */
  #sign(byte: number): boolean {
    const content = this.#content;
    const next = content[this.#at + 1];
    switch (byte) {
      case slash:
        return this.#slash();
      case quote:
      case apostrophe:
        this.#at = endOfString(content, this.#at);
        this.#token(value);
        return this.#at >= 0;
      case backtick:
        return this.#template();
      case openingBrace:
        this.#openBrace();
        break;
      case openingParenthesis:
        this.#openParenthesis();
        break;
      case openingSquare:
        this.#around = new Bracket(byte, this.#at + 1, false, this.#cuts, this.#around);
        break;
      case closingParenthesis:
        return this.#close(openingParenthesis);
      case closingSquare:
        return this.#close(openingSquare);
      case closingBrace:
        if (this.#around.sign !== dollar) return this.#close(openingBrace);
        return this.#close(dollar) && this.#template();
      case dot:
        if (next !== dot) break;
        // Three of them stand before a value.
        this.#at += 2;
        this.#token(comma);
        return true;
      case equals:
        if (next === greater) {
          this.#arrow();
          return true;
        }
        break;
      case exclamation:
        // `a!` is what `a` is.
        if (next !== equals && this.#isValue() && (content[this.#at - 1] ?? 0) > 0x20) return true;
        break;
      case plus:
      case minus:
        if (next !== byte) break;
        this.#at++;
        this.#token(value);
        return true;
    }
    this.#token(byte);
    return true;
  }

  #openBrace(): void {
    const around = this.#around;
    const last = this.#last;
    const isBlock =
      last === word
        ? this.#lastClass === "block" || this.#isBeforeValue() || this.#lastClass === "type"
        : last === closingParenthesis
          ? this.#closed?.isHead === true
          : last !== greater && last !== closingSquare && last !== closingBrace && last !== value;
    const isPattern = this.#lastClass === "names" || (around instanceof Brace && around.isPattern);
    let canGo = !isPattern && !(this.#aliasIn === around && last === equals);
    if (this.#membersIn.has(around)) {
      canGo = false;
      // Braces of types stand behind signs: `class A<T extends { b: c }> extends D<{ e: f }> {`.
      if (!isBlock) this.#membersIn.delete(around);
    }
    // It may be the body of a method.
    else if (!isBlock || (last === closingParenthesis && this.#closed?.mayBeParameters === true))
      around.defines = true;
    const opened = new Brace(openingBrace, this.#at + 1, canGo, this.#cuts, around);
    opened.isPattern = isPattern;
    opened.mayBeObject = last === word ? this.#lastClass !== "block" : beforeObject.has(last);
    this.#around = opened;
  }

  #openParenthesis(): void {
    const around = this.#around;
    const opened = new Parenthesis(openingParenthesis, this.#at + 1, false, this.#cuts, around);
    opened.before =
      this.#lastClass === "async" ? this.#earlier : this.#lastClass === "value" ? arrow : this.#last;
    const isHandler = this.#lastClass === "handler";
    const isCondition = isHandler || this.#lastClass === "condition";
    opened.isHead = this.#isFunctionNext || isCondition;
    const isFirst = this.#earlier === openingBrace && around instanceof Brace && around.mayBeObject;
    opened.mayBeParameters =
      isCondition && (this.#earlier === comma || isFirst || (isHandler && this.#earlier !== closingBrace));
    this.#isFunctionNext = false;
    this.#around = opened;
  }

  #close(sign: number): boolean {
    const around = this.#around;
    const { outer } = around;
    if (outer === undefined || around.sign !== sign) return false;
    around.close(this.#at, this.#cuts);
    if (around instanceof Parenthesis) this.#closed = around;
    this.#around = outer;
    this.#token(this.#content[this.#at] ?? 0);
    return true;
  }

  #arrow(): void {
    this.#at++;
    const isNameless =
      this.#last === closingParenthesis
        ? beforeNameless.has(this.#closed?.before ?? 0)
        : this.#last === word && beforeParameter.has(this.#earlier);
    if (!isNameless) this.#around.defines = true;
    this.#token(arrow);
  }

  /** From a backtick, or from the brace that ends an expression in a template, to the next one's beginning or its end. */
  #template(): boolean {
    const content = this.#content;
    for (this.#at++; this.#at < content.length; this.#at++) {
      const byte = content[this.#at];
      if (byte === backslash) this.#at++;
      else if (byte === backtick) {
        this.#token(value);
        return true;
      } else if (byte === dollar && content[this.#at + 1] === openingBrace) {
        this.#at++;
        this.#around = new Bracket(dollar, this.#at + 1, false, this.#cuts, this.#around);
        this.#token(openingParenthesis);
        return true;
      }
    }
    return false;
  }

  #slash(): boolean {
    const content = this.#content;
    const comment = endOfComment(content, this.#at);
    if (comment > 0) {
      this.#at = comment - 1;
      return true;
    }
    if (this.#last === closingBrace) return false;
    if (this.#isValue()) {
      this.#token(slash);
      return true;
    }
    this.#at = endOfExpression(content, this.#at);
    this.#token(value);
    return this.#at >= 0;
  }

  /** Whether the token before is a value, or the end of one. */
  #isValue(): boolean {
    if (this.#last === word) return !this.#isBeforeValue() && this.#lastClass !== "block";
    if (this.#last === closingParenthesis) return this.#closed?.isHead !== true;
    return this.#last === value || this.#last === closingSquare;
  }

  /** Whether the token before is a word that has a value behind it. */
  #isBeforeValue(): boolean {
    return this.#lastClass === "value" || this.#lastClass === "construct";
  }

  #beginsLine(start: number): boolean {
    for (let at = start - 1; at >= 0 && (this.#content[at] ?? 0) <= 0x20; at--)
      if (this.#content[at] === newline) return true;
    return false;
  }

  /** The next byte that is no blank. */
  #next(): number {
    let at = this.#at + 1;
    while (at < this.#content.length && (this.#content[at] ?? 0) <= 0x20) at++;
    return this.#content[at] ?? semicolon;
  }
}
