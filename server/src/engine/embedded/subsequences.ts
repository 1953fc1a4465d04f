import { lettersOf } from "#shard/nameLetters";
import type { SymbolNames } from "#shard/symbolNames";
import { foldName } from "#shard/symbols";
import { closenessOf, type NameMatch, type TierMatches } from "./closeness";
import { isWordStart } from "./nameWords";

/** What each letter costs that is not asked for. */
const restCost = 3;
/** What a letter costs that does not follow the one before: at the beginning of a word, in one that has begun so, elsewhere. */
const gapCosts = { wordStart: 60, begunWord: 80, inside: 160 };

/** Names that hold the letters of `text` in this order, in capitals or not; the better, the more begin a word. `budget` is used up. */
export function subsequences(
  names: SymbolNames,
  text: string,
  { maxNames, budget }: { readonly maxNames: number; readonly budget: { blocks: number } },
): TierMatches {
  const folded = foldName(text);
  const letters = [...folded];
  const expression = new RegExp(letters.map(escaped).join("[^\n]*?"), "i");
  const wanted = lettersOf(text);
  const matches: NameMatch[] = [];
  for (let block = 0; block < names.blockCount; block++) {
    if (budget.blocks-- <= 0 || matches.length >= maxNames) return { matches, isCut: true };
    const { masks } = names.lettersIn(block);
    for (let at = 0; at < masks.length; at++) {
      if (((masks[at] ?? 0) & wanted) !== wanted) continue;
      const name = names.textIn(block, at);
      // Those that hold it in one piece are of the tiers before.
      if (!expression.test(name) || foldName(name).includes(folded)) continue;
      const number = names.firstIn(block) + at;
      matches.push({ number, name, closeness: closenessOf("letters", costOf(name, letters)) });
    }
  }
  return { matches, isCut: false };
}

function costOf(name: string, letters: readonly string[]): number {
  const folded = foldName(name);
  let cost = restCost * (name.length - letters.length);
  let last = -1;
  let hasBegun = false;
  for (const [index, letter] of letters.entries()) {
    const at = bestPlace(name, folded, last + 1, letter, letters.slice(index + 1));
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

/** Right here, else at the beginning of a word as long as what follows has room behind it, else wherever it stands. */
function bestPlace(
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

function escaped(letter: string): string {
  return letter.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
