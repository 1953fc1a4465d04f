/**
 * What of a text can define something. Most of it is inside functions, and parsing it is most of the work; so bodies in
 * which nothing is defined are left out before. They are found by counting brackets and by a few words, and whatever
 * these do not tell for sure is parsed.
 */
import { type Cuts, ShortText } from "./cuts";
import { ecmascriptBodies } from "./ecmascriptBodies";
import { goBodies } from "./goBodies";

/** Gives undefined where all of the text has to be parsed. */
export function withoutBodies(language: string, content: Uint8Array): ShortText | undefined {
  const cuts = bodiesIn(language, content);
  return cuts === undefined || cuts.count === 0 ? undefined : new ShortText(content, cuts);
}

function bodiesIn(language: string, content: Uint8Array): Cuts | undefined {
  switch (language) {
    case "Go":
      return goBodies(content);
    case "TypeScript":
      return ecmascriptBodies(content, true);
    case "JavaScript":
      return mayHaveElements(content) ? undefined : ecmascriptBodies(content, false);
    default:
      return undefined;
  }
}

/** Every element of JSX ends in one of these; so do some expressions and strings. */
function mayHaveElements(content: Uint8Array): boolean {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return text.includes("</") || text.includes("/>");
}
