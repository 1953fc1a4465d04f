import { lettersOf } from "#shard/nameLetters";
import type { SymbolNames } from "#shard/symbolNames";
import { foldName } from "#shard/symbols";
import { closenessOf, type NameMatch, type Rank, type TierMatches } from "./closeness";
import { wordStarts } from "./nameWords";

/** Names of which so many in a block have the letters are read one by one. */
const maxAlone = 4;
/** Nobody types more of several words. */
const maxText = 64;
/** What a word costs that is left out. */
const leftOutCost = 20;

/** Names whose words begin with `text`, cut into parts, the first word with the first part. `budget` is used up. */
export function wordBeginnings(
  names: SymbolNames,
  text: string,
  { maxNames, budget }: { readonly maxNames: number; readonly budget: { blocks: number } },
): TierMatches {
  const wanted = foldName(text);
  const [first = ""] = [...wanted];
  const { from, to } = names.find(first, false);
  const matches: NameMatch[] = [];
  if (from >= to || text.length > maxText) return { matches, isCut: false };
  const counts = new Map<Rank, number>();
  let isCut = false;
  const lastBlock = names.blockOf(to - 1);
  for (let block = names.blockOf(from); block <= lastBlock; block++) {
    if (budget.blocks-- <= 0) return { matches, isCut: true };
    for (const { number, name } of namesWith(names, block, lettersOf(text))) {
      const found = number < from || number >= to ? undefined : beginningsIn(name, wanted);
      if (found === undefined) continue;
      const count = (counts.get(found.rank) ?? 0) + 1;
      counts.set(found.rank, count);
      if (count > maxNames) isCut = true;
      else matches.push({ number, name, closeness: closenessOf(found.rank, found.cost) });
    }
  }
  return { matches, isCut };
}

/** The names of a block that have all of these letters. */
function namesWith(names: SymbolNames, block: number, letters: number): { number: number; name: string }[] {
  const { masks } = names.lettersIn(block);
  const found: number[] = [];
  for (let at = 0; at < masks.length; at++) if (((masks[at] ?? 0) & letters) === letters) found.push(at);
  const base = names.firstIn(block);
  if (found.length <= maxAlone)
    return found.map((at) => ({ number: base + at, name: names.textIn(block, at) }));
  const numbers = Uint32Array.from(found, (at) => base + at);
  return names.texts(numbers).map((name, at) => ({ number: numbers[at] ?? 0, name }));
}

/** Undefined also for a name that begins with all of it. */
function beginningsIn(name: string, wanted: string): { rank: Rank; cost: number } | undefined {
  const folded = foldName(name);
  const starts = wordStarts(name);
  if (starts[0] !== 0 || folded.startsWith(wanted)) return undefined;
  const rest = name.length - wanted.length;
  if (starts.length >= wanted.length && [...wanted].every((letter, at) => folded[starts[at] ?? 0] === letter))
    return { rank: starts.length === wanted.length ? "allInitials" : "firstInitials", cost: rest };
  const leftOut = fewestLeftOut(folded, starts, wanted);
  return leftOut === undefined ? undefined : { rank: "parts", cost: rest + leftOut * leftOutCost };
}

/** The fewest words left out between those that begin with the parts; undefined where there are no such parts. */
function fewestLeftOut(folded: string, starts: readonly number[], wanted: string): number | undefined {
  // By how many letters are found: words left out so far.
  let known = new Map([[0, 0]]);
  let fewest: number | undefined;
  for (const [word, start] of starts.entries()) {
    const end = starts[word + 1] ?? folded.length;
    const next = new Map<number, number>();
    const note = (letters: number, leftOut: number) => {
      if (leftOut < (next.get(letters) ?? Number.POSITIVE_INFINITY)) next.set(letters, leftOut);
    };
    for (const [letters, leftOut] of known) {
      if (letters > 0) note(letters, leftOut + 1);
      for (let at = 0; start + at < end && folded[start + at] === wanted[letters + at]; at++) {
        if (letters + at + 1 < wanted.length) note(letters + at + 1, leftOut);
        else fewest = Math.min(fewest ?? leftOut, leftOut);
      }
    }
    if (next.size === 0) break;
    known = next;
  }
  return fewest;
}
