/** Quotes and escapes text for use in a query. */

import { escapeExpression } from "#query/regexp/regexp";
import { isWhitespace } from "./lex";
import { prefixAt } from "./prefixes";

/** Quotes a text, which may have several lines. */
export function quoteText(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Returns the value of a filter that takes plain names, quoted only if necessary. */
export function writeName(name: string): string {
  const isPlain = name !== "" && !/[\s"\\()[\]]/.test(name) && prefixAt(name, 0) === undefined;
  return isPlain ? name : quoteText(name);
}

const whitespaceEscapes: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\f": "\\f",
  "\v": "\\v",
};

/**
 * Returns the value of a filter that takes an expression, such that it matches this text. Also escapes `@`, and the colon
 * of a text that begins with a filter.
 */
export function writeExpression(text: string): string {
  const escaped = Array.from(escapeExpression(text), (character) => {
    if (isWhitespace(character)) return whitespaceEscapes[character] ?? `\\${character}`;
    return character === "@" ? "\\@" : character;
  }).join("");
  return prefixAt(escaped, 0, true) === undefined ? escaped : escaped.replace(":", "\\:");
}

/** Undoes `writeExpression`, ignoring `^` and `$` at the ends. Approximate for any other expression. */
export function readExpression(written: string): string {
  const inside = written.replace(/^\^/, "").replace(/(?<!\\)\$$/, "");
  return inside.replace(/\\(?:([tnrfv])|(.))/gsu, (_, letter?: string, other?: string) => {
    const whitespace = Object.keys(whitespaceEscapes).find(
      (each) => whitespaceEscapes[each] === `\\${letter}`,
    );
    return whitespace ?? other ?? "";
  });
}
