/** Ranks how closely a name matches a text that is typed for it. */
import { foldName } from "./foldCase";
import { beginningsIn } from "./nameBeginnings";
import { isWordStart } from "./nameWords";

/**
 * The ways in which a name can match. The rank takes precedence over everything else. The table lists the closest rank
 * first, the array the least close one.
 *
 * | the name | for example |
 * |---|---|
 * | is the text, ignoring case | `map`, `Map` |
 * | starts with it | `map`, `mapOf` |
 * | has words whose initials are the text | `chm`, `ConcurrentHashMap` |
 * | has words whose first initials are the text | `chm`, `ConcurrentHashMapTest` |
 * | has words that start with parts of it | `conmap`, `ConcurrentHashMap` |
 * | contains it at the start of a word | `map`, `HashMap` |
 * | contains it elsewhere | `map`, `bitmap` |
 * | contains its letters in order | `cnmp`, `ConcurrentHashMap` |
 */
const ranks = [
  "letters",
  "inside",
  "wordInside",
  "parts",
  "firstInitials",
  "allInitials",
  "beginning",
  "whole",
] as const;
type Rank = (typeof ranks)[number];

/** The distance between ranks, greater than any cost. */
const rankStep = 10_000;

/** Combines a rank with a cost, 0 or more, for what the name contains besides the text. Higher is closer. */
export function closenessOf(rank: Rank, cost: number): number {
  return ranks.indexOf(rank) * rankStep - Math.min(rankStep - 1, cost);
}

/** Returns the closeness of a name, or `undefined` if it does not contain the letters of `text` in order, ignoring case. */
export function closenessOfText(name: string, text: string): number | undefined {
  const [folded, wanted] = [foldName(name), foldName(text)];
  if (folded.startsWith(wanted)) return closenessOfBeginning(name, text);
  const letters = [...wanted];
  if (!hasAll(folded, 0, letters)) return undefined;
  const words = beginningsIn(name, wanted);
  if (words !== undefined) return closenessOf(words.rank, words.cost);
  if (folded.includes(wanted)) return closenessOfInside(name, text);
  return closenessOf("letters", costOfLetters(name, letters));
}

/** The name starts with the text. Shorter names come first; among names of the same length, those with the same case. */
export function closenessOfBeginning(name: string, text: string): number {
  const rest = name.length - text.length;
  return closenessOf(rest === 0 ? "whole" : "beginning", 2 * rest + (name.startsWith(text) ? 0 : 1));
}

/** The name contains the text. */
export function closenessOfInside(name: string, text: string): number {
  const rank = occursAtWordStart(name, text) ? "wordInside" : "inside";
  return closenessOf(rank, name.length - text.length);
}

function occursAtWordStart(name: string, text: string): boolean {
  const [folded, wanted] = [foldName(name), foldName(text)];
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1))
    if (isWordStart(name, at)) return true;
  return false;
}

/** The cost of each letter of the name that the text does not contain. */
const restCost = 3;
/**
 * The cost of a letter that matches after a gap: at the start of a word, in a word whose start matched, or elsewhere.
 */
const gapCosts = { wordStart: 60, begunWord: 80, inside: 160 };

/** Returns what a name costs that contains the letters, which are folded, in order. */
export function costOfLetters(name: string, letters: readonly string[]): number {
  const folded = foldName(name);
  let cost = restCost * (name.length - letters.length);
  let last = -1;
  let hasBegun = false;
  for (const [index, letter] of letters.entries()) {
    const at = bestPosition(name, folded, last + 1, letter, letters.slice(index + 1));
    const isStart = isWordStart(name, at);
    if (at !== last + 1) {
      if (!isStart) hasBegun &&= !hasWordStart(name, last + 1, at);
      cost += isStart ? gapCosts.wordStart : hasBegun ? gapCosts.begunWord : gapCosts.inside;
    }
    hasBegun ||= isStart;
    last = at;
  }
  return cost;
}

function hasWordStart(name: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (isWordStart(name, at)) return true;
  return false;
}

/**
 * Returns where `letter` matches best: at `from` itself, else at the next word start if the following letters still
 * match after it, else at its first occurrence.
 */
function bestPosition(
  name: string,
  folded: string,
  from: number,
  letter: string,
  following: readonly string[],
): number {
  const first = folded.indexOf(letter, from);
  if (first === from) return first;
  for (let at = first; at >= 0; at = folded.indexOf(letter, at + 1)) {
    if (isWordStart(name, at)) return hasAll(folded, at + 1, following) ? at : first;
  }
  return first;
}

function hasAll(folded: string, from: number, letters: readonly string[]): boolean {
  let at = from;
  for (const letter of letters) {
    const found = folded.indexOf(letter, at);
    if (found < 0) return false;
    at = found + letter.length;
  }
  return true;
}
