import { escapeRegexp } from "#base/escapeRegexp";
import { lettersOf } from "#shard/symbolFile/nameLetters";
import { foldName } from "#shard/symbolFile/symbolFile";
import type { SymbolNames } from "#shard/symbolFile/symbolNames";
import { closenessOf, type NameMatch, type TierMatches } from "./nameCloseness";
import { isWordStart } from "./nameWords";

/** The cost of each letter of the name that the text does not contain. */
const restCost = 3;
/**
 * The cost of a letter that matches after a gap: at the start of a word, in a word whose start matched, or elsewhere.
 */
const gapCosts = { wordStart: 60, begunWord: 80, inside: 160 };

/**
 * Finds names that contain the letters of `text` in order, ignoring case. Matches at word starts rank higher. Decreases
 * `budget.blocks` by the number of blocks read.
 */
export function subsequences(
  names: SymbolNames,
  text: string,
  { maxNames, budget }: { readonly maxNames: number; readonly budget: { blocks: number } },
): TierMatches {
  const folded = foldName(text);
  const letters = [...folded];
  const expression = new RegExp(letters.map(escapeRegexp).join("[^\n]*?"), "i");
  const wanted = lettersOf(text);
  const matches: NameMatch[] = [];
  for (let block = 0; block < names.blockCount; block++) {
    if (budget.blocks-- <= 0 || matches.length >= maxNames) return { matches, isTruncated: true };
    const { masks } = names.lettersIn(block);
    for (let at = 0; at < masks.length; at++) {
      if (((masks[at] ?? 0) & wanted) !== wanted) continue;
      const name = names.textIn(block, at);
      // Names that contain the whole text belong to earlier tiers.
      if (!expression.test(name) || foldName(name).includes(folded)) continue;
      const number = names.firstIn(block) + at;
      matches.push({ number, name, closeness: closenessOf("letters", costOf(name, letters)) });
    }
  }
  return { matches, isTruncated: false };
}

function costOf(name: string, letters: readonly string[]): number {
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
