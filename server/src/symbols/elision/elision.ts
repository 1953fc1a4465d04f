/**
 * Elides text before it is parsed, because parsing is most of the work. To find definitions, it elides bodies that
 * define nothing; to find one name, everything in braces that does not contain it. A name in a comment or a string does not
 * count in languages where these are recognized without a parser. Bodies are found by counting brackets and by a few
 * keywords. In case of doubt, text is kept.
 */

import { dollar } from "./asciiCodes";
import { braceBodies, braceSyntaxes } from "./braceBodies";
import { Cuts, ElidedText } from "./cuts";
import { ecmascriptBodies } from "./ecmascriptBodies";
import { goBodies } from "./goBodies";
import { pythonBodies } from "./pythonBodies";
import { isWordByte } from "./words";

/** Elides bodies that define nothing. Returns undefined if there are none, or the text cannot be scanned reliably. */
export function elideBodies(language: string, content: Uint8Array): ElidedText | undefined {
  const cuts = new Cuts();
  return addBodies(language, content, cuts) && cuts.count > 0 ? new ElidedText(content, cuts) : undefined;
}

/** Elides what cannot affect the meaning of a name. Returns undefined if the text cannot be scanned reliably. */
export function elideAroundName(language: string, content: Uint8Array, name: string): ElidedText | undefined {
  const cuts = new Cuts(offsetsOf(content, name));
  return addBodies(language, content, cuts) ? new ElidedText(content, cuts) : undefined;
}

/** Adds the ranges to elide. Returns false if the text cannot be scanned reliably. */
function addBodies(language: string, content: Uint8Array, cuts: Cuts): boolean {
  switch (language) {
    case "Go":
      return goBodies(content, cuts);
    case "TypeScript":
      return ecmascriptBodies(content, cuts, true);
    case "JavaScript":
      return !mayHaveElements(content) && ecmascriptBodies(content, cuts, false);
    case "Python":
      return cuts.isForName && pythonBodies(content, cuts);
    default: {
      const syntax = Object.hasOwn(braceSyntaxes, language) ? braceSyntaxes[language] : undefined;
      return syntax !== undefined && braceBodies(content, cuts, syntax);
    }
  }
}

/** Returns the byte offsets of a name, including those in comments and next to non-ASCII letters of a longer name. */
function offsetsOf(content: Uint8Array, name: string): number[] {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const needle = Buffer.from(name);
  const found: number[] = [];
  if (needle.length === 0) return found;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
    if (!isLetter(text[at - 1]) && !isLetter(text[at + needle.length])) found.push(at);
  return found;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && byte < 0x80 && byte !== dollar && isWordByte[byte] === 1;
}

/** Whether the text may contain JSX. Every element ends with one of these strings, but they also occur elsewhere. */
function mayHaveElements(content: Uint8Array): boolean {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return text.includes("</") || text.includes("/>");
}
