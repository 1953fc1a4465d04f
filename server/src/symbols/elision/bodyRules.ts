/**
 * Decides which braces of C, Java and Rust enclose a function body, and which bodies still define something. The last
 * few tokens before a brace decide. If they are ambiguous, the braces are kept, or the enclosing bracket counts as
 * defining something.
 */

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
} from "./asciiCodes";
import type { Bracket } from "./brackets";
import { Keywords } from "./words";

/** Receives each token in order. */
export interface BodyRules {
  word(content: Uint8Array, start: number, end: number, enclosing: Bracket): void;
  punctuation(byte: number): void;
  /** Whether a brace that opens here may be elided. May mark the enclosing bracket as defining something. */
  isElidableBrace(enclosing: Bracket): boolean;
}

/** The token of a word. Punctuation is its own byte. */
const word = 1;

/**
 * What precedes parentheses: a keyword such as `if`; a type and a name, as in a declaration; a name alone; the start of
 * a type, as in `struct __attribute__((packed))`; something else.
 */
type Head = "condition" | "declared" | "named" | "type" | "other";

/** The tokens before the current position. `Class` is a class of keywords. */
class Tokens<Class extends string> {
  /** The previous token, and the one before it. */
  last = semicolon;
  earlier = semicolon;
  /** Their classes, if they are keywords. */
  lastClass: Class | undefined;
  earlierClass: Class | undefined;
  /** What preceded the last closed parentheses. */
  closed: Head = "other";
  readonly #words: Keywords;
  readonly #classes: readonly (Class | undefined)[];
  readonly #open: Head[] = [];

  /** Keywords by class, separated by spaces. */
  constructor(lists: Readonly<Record<Class, string>>) {
    const classes = Object.keys(lists) as Class[];
    const wordsOf = (wordClass: Class) => lists[wordClass].split(" ");
    this.#words = new Keywords(classes.flatMap(wordsOf));
    this.#classes = [undefined, ...classes.flatMap((each) => wordsOf(each).map(() => each))];
  }

  word(content: Uint8Array, start: number, end: number): Class | undefined {
    const wordClass = this.#classes[this.#words.find(content, start, end)];
    this.#add(word, wordClass);
    return wordClass;
  }

  punctuation(byte: number, head: () => Head): void {
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

export class CBodyRules implements BodyRules {
  readonly #tokens = new Tokens({
    key: "struct union enum",
    defining: "typedef",
    condition: "if for while switch",
    block: "else do",
    value: "return case goto",
  });
  /** Whether a type may have begun, but not its body. */
  #isType = false;

  word(content: Uint8Array, start: number, end: number, enclosing: Bracket): void {
    const wordClass = this.#tokens.word(content, start, end);
    if (wordClass === "key") this.#isType = true;
    if (wordClass === "defining") enclosing.defines = true;
  }

  punctuation(byte: number): void {
    const tokens = this.#tokens;
    tokens.punctuation(byte, () => this.#head());
    const endsType = byte === closingParenthesis ? tokens.closed !== "type" : endsStatement(byte);
    if (endsType || byte === equals) this.#isType = false;
  }

  isElidableBrace(enclosing: Bracket): boolean {
    const { last, lastClass, closed } = this.#tokens;
    const before = last === closingParenthesis ? closed : undefined;
    const isFunction = before === "declared" || before === "named";
    if (!enclosing.isElidable) return isFunction || last === equals;
    // A nested function is a definition.
    if (before === "declared") enclosing.defines = true;
    if (isFunction || lastClass === "block") return true;
    const isBlock = last !== word && before !== "type" && !this.#isType;
    if (!isBlock) enclosing.defines = true;
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

export class JavaBodyRules implements BodyRules {
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

  punctuation(byte: number): void {
    this.#tokens.punctuation(byte, () => this.#head());
    if (endsStatement(byte)) this.#isType = this.#throws = false;
  }

  isElidableBrace(enclosing: Bracket): boolean {
    const { last, lastClass, closed } = this.#tokens;
    const before = last === closingParenthesis ? closed : undefined;
    if (!enclosing.isElidable) {
      if (last === word) return lastClass === "static" || this.#throws;
      return before === "declared" || last === equals || last === closingSquare;
    }
    if (before === "condition" || lastClass === "condition" || lastClass === "block") return true;
    // Braces after `new A()` and after a name contain members.
    const isBlock = last !== word && before === undefined && !this.#isType;
    if (!isBlock) enclosing.defines = true;
    return isBlock;
  }

  #head(): Head {
    const { last, lastClass, earlier, earlierClass } = this.#tokens;
    if (lastClass === "condition") return "condition";
    if (last !== word || earlierClass === "key" || earlierClass === "value") return "other";
    return earlier === word || earlier === greater || earlier === closingSquare ? "declared" : "named";
  }
}

export class RustBodyRules implements BodyRules {
  readonly #tokens = new Tokens({
    function: "fn",
    item: "struct enum union trait impl mod const static type macro_rules extern",
  });
  /** Whether the next brace opens a function body. */
  #isFunction = false;
  /** The number of open parentheses and square brackets after its `fn`. */
  #depth = 0;
  /** Whether the next brace may open another definition. */
  #isItem = false;

  word(content: Uint8Array, start: number, end: number, enclosing: Bracket): void {
    const wordClass = this.#tokens.word(content, start, end);
    if (wordClass === undefined) return;
    enclosing.defines = true;
    this.#isFunction = wordClass === "function";
    this.#depth = 0;
    this.#isItem = wordClass === "item";
  }

  punctuation(byte: number): void {
    if (endsStatement(byte)) this.#isItem = false;
    if (byte === openingParenthesis || byte === openingSquare) this.#depth++;
    else if (byte === closingParenthesis || byte === closingSquare) this.#depth--;
    else if (byte === semicolon && this.#depth <= 0) this.#isFunction = false;
  }

  isElidableBrace(enclosing: Bracket): boolean {
    const isBody = this.#isFunction || (enclosing.isElidable && !this.#isItem);
    this.#isFunction = false;
    return isBody;
  }
}

function endsStatement(byte: number): boolean {
  return byte === semicolon || byte === openingBrace || byte === closingBrace;
}
