/** Names of one shard's definitions that are asked for, best first. */
import type { SymbolName } from "#engine/engine";
import { MatchingNames } from "#shard/matchingNames";
import { compilePattern } from "#shard/pattern";
import type { SymbolNames } from "#shard/symbolNames";
import type { SymbolReader } from "#shard/symbolReader";
import { foldName } from "#shard/symbols";
import type { TextWindow } from "#shard/window";
import { closenessOf, type NameMatch, type TierMatches } from "./closeness";
import { isWordStart } from "./nameWords";
import { subsequences } from "./subsequences";
import { wordBeginnings } from "./wordBeginnings";

type Tier = (symbols: SymbolReader) => TierMatches;

const maxNames = 400;
/** Blocks of names that a tier reads which looks at letters, in all shards: 6 MB, some fifty milliseconds. */
const maxBlocks = 1500;
/** A single letter begins nearly everything. */
const minBeginnings = 2;
/** Shorter texts stand in nearly every name: only beginnings are meant. */
const minInside = 3;

/** What an earlier tier has found may be found by a later one again. */
export function tiersOf({ kind, text, caseSensitive }: SymbolName, window: TextWindow): readonly Tier[] {
  const begins: Tier = ({ names }) => beginning(names, text, kind === "exact", caseSensitive);
  const { length } = [...text];
  if (kind !== "fuzzy" || length < minBeginnings) return [begins];
  const words = { maxNames, budget: { blocks: maxBlocks } };
  const beginsWords: Tier = ({ names }) => wordBeginnings(names, text, words);
  if (length < minInside) return [begins, beginsWords];
  const pattern = compilePattern({ kind: "literal", text, caseSensitive: false }, window.kernels);
  const inside: Tier = ({ names }) => {
    const counts = { ngramLookups: 0, ngramMatches: 0, indexBytesLoaded: 0, regexpsConsidered: 0 };
    const found = new MatchingNames(pattern, { names, window, counts, mode: "linear", maxNames });
    const texts = names.texts(found.numbers.words());
    const matches = texts.map((name, at): NameMatch => {
      const rank = standsAtWord(name, text) ? "wordInside" : "inside";
      return { number: found.numbers.at(at), name, closeness: closenessOf(rank, name.length - text.length) };
    });
    return { matches, isCut: matches.length >= maxNames };
  };
  const letters = { maxNames, budget: { blocks: maxBlocks } };
  return [begins, beginsWords, inside, ({ names }) => subsequences(names, text, letters)];
}

function beginning(names: SymbolNames, text: string, isWhole: boolean, caseSensitive: boolean): TierMatches {
  const { from, to } = names.find(text, isWhole);
  const end = Math.min(to, from + maxNames);
  const texts = names.texts(Uint32Array.from({ length: end - from }, (_, at) => from + at));
  const matches: NameMatch[] = [];
  for (const [at, name] of texts.entries()) {
    const isSame = name.startsWith(text);
    if (caseSensitive && !isSame) continue;
    const rest = name.length - text.length;
    // Other capitals decide between names of one length.
    const cost = 2 * rest + (isSame ? 0 : 1);
    matches.push({
      number: from + at,
      name,
      closeness: closenessOf(rest === 0 ? "whole" : "beginning", cost),
    });
  }
  return { matches, isCut: to > end };
}

function standsAtWord(name: string, text: string): boolean {
  const [folded, wanted] = [foldName(name), foldName(text)];
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1))
    if (isWordStart(name, at)) return true;
  return false;
}
