/** Names of one shard's definitions that are asked for, best first. */
import type { SymbolName } from "#engine/engine";
import { MatchingNames } from "#shard/matchingNames";
import { compilePattern } from "#shard/pattern";
import type { SymbolNames } from "#shard/symbolNames";
import type { SymbolReader } from "#shard/symbolReader";
import type { TextWindow } from "#shard/window";
import { subsequences } from "./subsequences";

/** A name that matches, and how well. */
export interface NameMatch {
  readonly number: number;
  readonly name: string;
  /** Bytes of the name that match, for `scoreDefinition`. */
  readonly start: number;
  readonly end: number;
  /** What is added to the score of its definitions. */
  readonly extra: number;
}

export interface TierMatches {
  readonly matches: readonly NameMatch[];
  /** There are more than are looked at: whoever gets so many goes on typing. */
  readonly isCut: boolean;
}

type Tier = (symbols: SymbolReader) => TierMatches;

const maxNames = 400;
/** Each letter that a name has besides what was asked for counts against it, up to so many. */
const maxRest = 100;
/** What a name in other capitals is worth less. */
const otherCapitals = 150;
/** More than anything else can be worth, so that one tier stands before the next. */
const tierStep = 20_000;
/** Blocks of names that the last tier reads, in all shards: 6 MB, some fifty milliseconds. */
const maxSubsequenceBlocks = 1500;
/** Shorter texts stand in nearly every name: only those that begin with them are meant. */
const minInside = 3;

export function tiersOf({ kind, text, caseSensitive }: SymbolName, window: TextWindow): readonly Tier[] {
  const begins: Tier = ({ names }) => beginning(names, text, kind === "exact", caseSensitive);
  if (kind !== "fuzzy") return [begins];
  const first: Tier = (symbols) => raised(begins(symbols), 2);
  if (text.length < minInside) return [first];
  const pattern = compilePattern({ kind: "literal", text, caseSensitive: false }, window.kernels);
  const inside: Tier = ({ names }) => {
    const counts = { ngramLookups: 0, ngramMatches: 0, indexBytesLoaded: 0, regexpsConsidered: 0 };
    const found = new MatchingNames(pattern, { names, window, counts, mode: "linear", maxNames });
    const texts = names.texts(found.numbers.words());
    const matches = texts.map((name, at): NameMatch => {
      const number = found.numbers.at(at);
      return { number, name, start: found.starts.at(at), end: found.ends.at(at), extra: -rest(name, text) };
    });
    return { matches: matches.filter(({ start }) => start > 0), isCut: matches.length >= maxNames };
  };
  const budget = { blocks: maxSubsequenceBlocks };
  return [
    first,
    (symbols) => raised(inside(symbols), 1),
    ({ names }) => subsequences(names, text, { maxNames, budget }),
  ];
}

function raised({ matches, isCut }: TierMatches, steps: number): TierMatches {
  return { isCut, matches: matches.map((match) => ({ ...match, extra: match.extra + steps * tierStep })) };
}

function beginning(names: SymbolNames, text: string, isWhole: boolean, caseSensitive: boolean): TierMatches {
  const { from, to } = names.find(text, isWhole);
  const end = Math.min(to, from + maxNames);
  const texts = names.texts(Uint32Array.from({ length: end - from }, (_, at) => from + at));
  const byteLength = Buffer.byteLength(text);
  const matches: NameMatch[] = [];
  for (const [at, name] of texts.entries()) {
    const isSame = name.startsWith(text);
    if (caseSensitive && !isSame) continue;
    const extra = -rest(name, text) - (isSame ? 0 : otherCapitals);
    matches.push({ number: from + at, name, start: 0, end: byteLength, extra });
  }
  return { matches, isCut: to > end };
}

function rest(name: string, text: string): number {
  return Math.min(maxRest, name.length - text.length);
}
