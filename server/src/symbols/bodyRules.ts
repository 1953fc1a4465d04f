/**
 * Which braces of C, Java and Rust hold the body of a function, and what in one defines something all the same. A few
 * tokens before a brace tell it; where they do not, the brace stays, or what is around it counts as defining something.
 */

import type { Bracket } from "./brackets";
import {
  closingBrace,
  closingParenthesis,
  closingSquare,
  equals,
  greater,
  openingBrace,
  openingParenthesis,
  openingSquare,
  semicolon,
  star,
} from "./bytes";
import { Words } from "./words";

/** Is told of each token in its turn. */
export interface BodyRules {
  word(content: Uint8Array, start: number, end: number, around: Bracket): void;
  sign(byte: number): void;
  /** Whether the inside of a brace that opens here can go. May say that what is around it defines something. */
  opens(around: Bracket): boolean;
}

/** What a token is that is no sign; signs are their bytes. */
const word = 1;

/**
 * What stands before parentheses: `if`; a type and a name, as where a function is declared; a name alone; what begins a
 * type, as in `struct __attribute__((packed))`; something else.
 */
type Head = "condition" | "declared" | "named" | "type" | "other";

/** The tokens before a place. `Class`: what a language's words say that tell something. */
class Tokens<Class extends string> {
  /** The token before, and the one before that. */
  last = semicolon;
  earlier = semicolon;
  /** Of these, where they are such words. */
  lastClass: Class | undefined;
  earlierClass: Class | undefined;
  /** The parentheses that were closed last. */
  closed: Head = "other";
  readonly #words: Words;
  readonly #classes: readonly (Class | undefined)[];
  readonly #open: Head[] = [];

  /** Words by their classes, between blanks. */
  constructor(lists: Readonly<Record<Class, string>>) {
    const classes = Object.keys(lists) as Class[];
    const wordsOf = (wordClass: Class) => lists[wordClass].split(" ");
    this.#words = new Words(classes.flatMap(wordsOf));
    this.#classes = [undefined, ...classes.flatMap((each) => wordsOf(each).map(() => each))];
  }

  word(content: Uint8Array, start: number, end: number): Class | undefined {
    const wordClass = this.#classes[this.#words.find(content, start, end)];
    this.#add(word, wordClass);
    return wordClass;
  }

  sign(byte: number, head: () => Head): void {
    if (byte === openingParenthesis) this.#open.push(head());
    else if (byte === closingParenthesis) this.closed = this.#open.pop() ?? "other";
    this.#add(byte, undefined);
  }

  #add(token: number, wordClass: Class | undefined): void {
    this.earlier = this.last;
    this.earlierClass = this.lastClass;
    this.last = token;
    this.lastClass = wordClass;
  }
}

export class BodyRulesOfC implements BodyRules {
  readonly #tokens = new Tokens({
    key: "struct union enum",
    defining: "typedef",
    condition: "if for while switch",
    block: "else do",
    value: "return case goto",
  });
  /** A type may have been begun whose body is still to come. */
  #isType = false;

  word(content: Uint8Array, start: number, end: number, around: Bracket): void {
    const wordClass = this.#tokens.word(content, start, end);
    if (wordClass === "key") this.#isType = true;
    if (wordClass === "defining") around.defines = true;
  }

  sign(byte: number): void {
    const tokens = this.#tokens;
    tokens.sign(byte, () => this.#head());
    const endsType = byte === closingParenthesis ? tokens.closed !== "type" : endsStatement(byte);
    if (endsType || byte === equals) this.#isType = false;
  }

  opens(around: Bracket): boolean {
    const { last, lastClass, closed } = this.#tokens;
    const before = last === closingParenthesis ? closed : undefined;
    const isFunction = before === "declared" || before === "named";
    if (!around.canGo) return isFunction || last === equals;
    // A function in a function.
    if (before === "declared") around.defines = true;
    if (isFunction || lastClass === "block") return true;
    const isBlock = last !== word && before !== "type" && !this.#isType;
    if (!isBlock) around.defines = true;
    return isBlock;
  }

  #head(): Head {
    const { last, lastClass, earlier, earlierClass } = this.#tokens;
    if (last !== word) return "other";
    if (lastClass === "condition") return "condition";
    if (earlierClass === "key") return "type";
    const isTyped = earlier === word || earlier === star;
    return isTyped && earlierClass !== "value" && earlierClass !== "block" ? "declared" : "named";
  }
}

export class BodyRulesOfJava implements BodyRules {
  readonly #tokens = new Tokens({
    key: "class interface enum record",
    condition: "if for while switch catch synchronized try",
    block: "else do finally",
    value: "return new case yield",
    throws: "throws",
    static: "static",
  });
  #isType = false;
  #throws = false;

  word(content: Uint8Array, start: number, end: number): void {
    const wordClass = this.#tokens.word(content, start, end);
    if (wordClass === "key") this.#isType = true;
    if (wordClass === "throws") this.#throws = true;
  }

  sign(byte: number): void {
    this.#tokens.sign(byte, () => this.#head());
    if (endsStatement(byte)) this.#isType = this.#throws = false;
  }

  opens(around: Bracket): boolean {
    const { last, lastClass, closed } = this.#tokens;
    const before = last === closingParenthesis ? closed : undefined;
    if (!around.canGo) {
      if (last === word) return lastClass === "static" || this.#throws;
      return before === "declared" || last === equals || last === closingSquare;
    }
    if (before === "condition" || lastClass === "condition" || lastClass === "block") return true;
    // Behind `new A()` and behind names stand members.
    const isBlock = last !== word && before === undefined && !this.#isType;
    if (!isBlock) around.defines = true;
    return isBlock;
  }

  #head(): Head {
    const { last, lastClass, earlier, earlierClass } = this.#tokens;
    if (lastClass === "condition") return "condition";
    if (last !== word || earlierClass === "key" || earlierClass === "value") return "other";
    return earlier === word || earlier === greater || earlier === closingSquare ? "declared" : "named";
  }
}

export class BodyRulesOfRust implements BodyRules {
  readonly #tokens = new Tokens({
    function: "fn",
    item: "struct enum union trait impl mod const static type macro_rules extern",
  });
  /** The next brace is the body of a function. */
  #isFunction = false;
  /** How many parentheses and square brackets are open behind its `fn`. */
  #depth = 0;
  /** The next brace may be that of something else that is defined. */
  #isItem = false;

  word(content: Uint8Array, start: number, end: number, around: Bracket): void {
    const wordClass = this.#tokens.word(content, start, end);
    if (wordClass === undefined) return;
    around.defines = true;
    this.#isFunction = wordClass === "function";
    this.#depth = 0;
    this.#isItem = wordClass === "item";
  }

  sign(byte: number): void {
    if (endsStatement(byte)) this.#isItem = false;
    if (byte === openingParenthesis || byte === openingSquare) this.#depth++;
    else if (byte === closingParenthesis || byte === closingSquare) this.#depth--;
    else if (byte === semicolon && this.#depth <= 0) this.#isFunction = false;
  }

  opens(around: Bracket): boolean {
    const isBody = this.#isFunction || (around.canGo && !this.#isItem);
    this.#isFunction = false;
    return isBody;
  }
}

function endsStatement(byte: number): boolean {
  return byte === semicolon || byte === openingBrace || byte === closingBrace;
}
