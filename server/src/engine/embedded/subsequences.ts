import { escapeRegexp } from "#base/escapeRegexp";
import { foldName } from "#base/foldCase";
import { closenessOf, costOfLetters } from "#base/nameCloseness";
import { lettersOf } from "#shard/symbolFile/nameLetters";
import type { SymbolNames } from "#shard/symbolFile/symbolNames";
import type { NameMatch, TierMatches } from "./nameMatch";

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
      matches.push({ number, name, closeness: closenessOf("letters", costOfLetters(name, letters)) });
    }
  }
  return { matches, isTruncated: false };
}
