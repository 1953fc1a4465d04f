/**
 * What of a text has to be parsed: parsing it is most of the work. Where definitions are wanted, bodies in which nothing
 * is defined are left out before; where one name is, everything in braces that does not hold it. They are found by
 * counting brackets and by a few words, and whatever these do not tell for sure is parsed.
 */
import { braceBodies, braceSyntaxes } from "./braceBodies";
import { dollar } from "./bytes";
import { Cuts, ShortText } from "./cuts";
import { ecmascriptBodies } from "./ecmascriptBodies";
import { goBodies } from "./goBodies";
import { pythonBodies } from "./pythonBodies";
import { isWordByte } from "./words";

/** What defines something; undefined where that is all of it, or not known. */
export function withoutBodies(language: string, content: Uint8Array): ShortText | undefined {
  return shortened(language, content, new Cuts());
}

/** What tells the meaning of a name in this text; undefined where that is all of it, or not known. */
export function aroundName(language: string, content: Uint8Array, name: string): ShortText | undefined {
  return shortened(language, content, new Cuts(placesOf(content, name)));
}

function shortened(language: string, content: Uint8Array, cuts: Cuts): ShortText | undefined {
  return addBodies(language, content, cuts) && cuts.count > 0 ? new ShortText(content, cuts) : undefined;
}

/** Whether the text was understood. */
function addBodies(language: string, content: Uint8Array, cuts: Cuts): boolean {
  switch (language) {
    case "Go":
      return goBodies(content, cuts);
    case "TypeScript":
      return ecmascriptBodies(content, cuts, true);
    case "JavaScript":
      return !mayHaveElements(content) && ecmascriptBodies(content, cuts, false);
    case "Python":
      return cuts.hasPlaces && pythonBodies(content, cuts);
    default: {
      const syntax = Object.hasOwn(braceSyntaxes, language) ? braceSyntaxes[language] : undefined;
      return syntax !== undefined && braceBodies(content, cuts, syntax);
    }
  }
}

/** Where a name stands in a text, also in its comments, and in longer names of letters that are not ASCII. */
function placesOf(content: Uint8Array, name: string): number[] {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const sought = Buffer.from(name);
  const found: number[] = [];
  if (sought.length === 0) return found;
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length))
    if (!isLetter(text[at - 1]) && !isLetter(text[at + sought.length])) found.push(at);
  return found;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && byte < 0x80 && byte !== dollar && isWordByte[byte] === 1;
}

/** Every element of JSX ends in one of these; so do some expressions and strings. */
function mayHaveElements(content: Uint8Array): boolean {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return text.includes("</") || text.includes("/>");
}
