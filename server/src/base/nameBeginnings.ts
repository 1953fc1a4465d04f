/** Matches a text with the beginnings of a name's words. */
import { foldName } from "./foldCase";
import { wordStarts } from "./nameWords";

/** A match that skips words may have at most this many parts of about one letter. */
const maxShortParts = 3;
/** The cost of each skipped word. */
const skippedWordCost = 20;

/** How a name's words match: see `nameCloseness.ts`. */
interface Beginnings {
  readonly rank: "parts" | "firstInitials" | "allInitials";
  readonly cost: number;
}

/** Returns undefined if the name does not match, or starts with the whole text, which is folded. */
export function beginningsIn(name: string, wanted: string): Beginnings | undefined {
  const folded = foldName(name);
  const starts = wordStarts(name);
  if (starts[0] !== 0 || folded.startsWith(wanted)) return undefined;
  const rest = name.length - wanted.length;
  if (starts.length >= wanted.length && [...wanted].every((letter, at) => folded[starts[at] ?? 0] === letter))
    return { rank: starts.length === wanted.length ? "allInitials" : "firstInitials", cost: rest };
  const parts = fewestParts(folded, starts, wanted);
  if (parts === undefined) return undefined;
  // Many short parts that skip words match by chance.
  const isScattered = parts.count > maxShortParts && wanted.length < 2 * parts.count;
  if (parts.skippedWords > 0 && isScattered) return undefined;
  return { rank: "parts", cost: rest + parts.skippedWords * skippedWordCost };
}

interface Parts {
  readonly count: number;
  /** Skipped words between those that start with the parts. */
  readonly skippedWords: number;
}

/** Finds the match with the fewest skipped words, then the fewest parts; undefined if there is none. */
function fewestParts(folded: string, starts: readonly number[], wanted: string): Parts | undefined {
  const isFewer = (one: Parts, other: Parts | undefined) =>
    other === undefined ||
    one.skippedWords < other.skippedWords ||
    (one.skippedWords === other.skippedWords && one.count < other.count);
  // The best match so far, by number of matched letters.
  let known = new Map<number, Parts>([[0, { count: 0, skippedWords: 0 }]]);
  let fewest: Parts | undefined;
  for (const [word, start] of starts.entries()) {
    const end = starts[word + 1] ?? folded.length;
    const next = new Map<number, Parts>();
    const record = (letters: number, parts: Parts) => {
      if (isFewer(parts, next.get(letters))) next.set(letters, parts);
    };
    for (const [letters, { count, skippedWords }] of known) {
      if (letters > 0) record(letters, { count, skippedWords: skippedWords + 1 });
      const parts = { count: count + 1, skippedWords };
      for (let at = 0; start + at < end && folded[start + at] === wanted[letters + at]; at++) {
        if (letters + at + 1 < wanted.length) record(letters + at + 1, parts);
        else if (isFewer(parts, fewest)) fewest = parts;
      }
    }
    if (next.size === 0) break;
    known = next;
  }
  return fewest;
}
