/** Finds the names of definitions that match a query in one shard, in tiers from the closest matches down. */
import { closenessOf, closenessOfBeginning, closenessOfInside } from "#base/nameCloseness";
import type { SymbolName } from "#engine/engine";
import { MatchingNames } from "#shard/evaluation/matchingNames";
import { compilePattern } from "#shard/evaluation/pattern";
import type { TextWindow } from "#shard/format/window";
import type { SymbolNames } from "#shard/symbolFile/symbolNames";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import type { NameMatch, TierMatches } from "./nameMatch";
import { subsequences } from "./subsequences";
import { wordBeginnings } from "./wordBeginnings";

type Tier = (symbols: SymbolReader) => TierMatches;

/** Maximum number of names that a tier finds in one shard. */
const maxNames = 400;
/** Blocks of names that a tier based on letter masks may read in all shards together: 6 MB, about 50 ms. */
const maxBlocks = 1500;
/** Minimum length of a text that may match words: too many words start with a single letter. */
const minBeginnings = 2;
/** Minimum length of a text that may match inside words. Shorter ones occur in almost every name. */
const minInside = 3;

/** Returns the tiers for a name, closest first. A later tier may find names of an earlier one again. */
export function tiersOf({ kind, text, caseSensitive }: SymbolName, window: TextWindow): readonly Tier[] {
  const prefixTier: Tier = ({ names }) => beginning(names, text, kind === "exact", caseSensitive);
  const { length } = [...text];
  if (kind !== "fuzzy" || length < minBeginnings) return [prefixTier];
  const words = { maxNames, budget: { blocks: maxBlocks } };
  const wordTier: Tier = ({ names }) => wordBeginnings(names, text, words);
  if (length < minInside) return [prefixTier, wordTier];
  const pattern = compilePattern({ kind: "literal", text, caseSensitive: false }, window.kernels);
  const innerTier: Tier = ({ names }) => {
    const counts = { ngramLookups: 0, ngramMatches: 0, indexBytesLoaded: 0, regexpsConsidered: 0 };
    const found = new MatchingNames(pattern, { names, window, counts, mode: "linear", maxNames });
    const texts = names.texts(found.numbers.words());
    const matches = texts.map(
      (name, at): NameMatch => ({
        number: found.numbers.at(at),
        name,
        closeness: closenessOfInside(name, text),
      }),
    );
    return { matches, isTruncated: matches.length >= maxNames };
  };
  const letters = { maxNames, budget: { blocks: maxBlocks } };
  return [prefixTier, wordTier, innerTier, ({ names }) => subsequences(names, text, letters)];
}

function beginning(names: SymbolNames, text: string, isWhole: boolean, caseSensitive: boolean): TierMatches {
  const { from, to } = names.find(text, isWhole);
  if (text === "") return sample(names, from, to);
  const end = Math.min(to, from + maxNames);
  const texts = names.texts(Uint32Array.from({ length: end - from }, (_, at) => from + at));
  const matches: NameMatch[] = [];
  for (const [at, name] of texts.entries()) {
    if (caseSensitive && !name.startsWith(text)) continue;
    matches.push({ number: from + at, name, closeness: closenessOfBeginning(name, text) });
  }
  return { matches, isTruncated: to > end };
}

/** Samples names evenly. All are equally close, so the kinds of their definitions determine the order. */
function sample(names: SymbolNames, from: number, to: number): TierMatches {
  const step = Math.max(1, Math.ceil((to - from) / maxNames));
  const numbers = Uint32Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step);
  const texts = names.texts(numbers);
  const closeness = closenessOf("beginning", 0);
  return {
    matches: texts.map((name, at) => ({ number: numbers[at] ?? 0, name, closeness })),
    isTruncated: step > 1,
  };
}
