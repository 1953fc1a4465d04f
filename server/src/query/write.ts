/** Values and terms as a query must hold them to mean exactly this text. */
import { isBlank } from "./lex";
import { prefixAt } from "./prefixes";
import { escapeExpression } from "./regexp";

/** In quotes; `undefined` where no quotes can hold it, because they end at the end of a line. */
export function quoteText(text: string): string | undefined {
  return text.includes("\n") ? undefined : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** The value of a filter that takes names as they are: quoted only where it must be. */
export function writeName(name: string): string {
  const isPlain = name !== "" && !/[\s"\\()[\]]/.test(name) && prefixAt(name, 0) === undefined;
  return isPlain ? name : (quoteText(name) ?? name);
}

const blanks: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\f": "\\f",
  "\v": "\\v",
};

/** The value of a filter that takes an expression, matching this text somewhere; an `@` is one. */
export function writeExpression(text: string): string {
  return Array.from(escapeExpression(text), (character) => {
    if (isBlank(character)) return blanks[character] ?? `\\${character}`;
    return character === "@" ? "\\@" : character;
  }).join("");
}

/** The text of an expression that is nothing but escaped text, with or without ends; of others something like it. */
export function readExpression(written: string): string {
  const inside = written.replace(/^\^/, "").replace(/(?<!\\)\$$/, "");
  return inside.replace(/\\(?:([tnrfv])|(.))/gsu, (_, letter?: string, other?: string) => {
    const blank = Object.keys(blanks).find((each) => blanks[each] === `\\${letter}`);
    return blank ?? other ?? "";
  });
}
