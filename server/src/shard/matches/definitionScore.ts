import { type SymbolKind, symbolKinds } from "#model/symbol";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import type { RangeBuffer } from "./ranges";

/** See the table in `score.ts`. */
const matchScores = { whole: 7000, edge: 4000, inside: 2500 };
const typeKinds: readonly SymbolKind[] = ["class", "interface", "struct", "enum", "type", "trait", "union"];
const callableKinds: readonly SymbolKind[] = ["function", "method", "constructor", "macro"];
const plainKind = 400;
const kindScores = symbolKinds.map((kind) =>
  typeKinds.includes(kind) ? 1000 : callableKinds.includes(kind) ? 800 : plainKind,
);
const localFactor = 0.5;

/** Whether people often search for such a definition by name: a type or something callable that is not local. */
export function isSearchTarget(symbols: SymbolReader, definition: number): boolean {
  return !symbols.isLocal(definition) && (kindScores[symbols.kindIndex(definition)] ?? 0) > plainKind;
}

/** Scores a match that covers the bytes `[start, end)` of a definition's name. */
export function scoreDefinition(
  symbols: SymbolReader,
  definition: number,
  start: number,
  end: number,
): number {
  const length = symbols.nameLength(definition);
  const begins = start === 0;
  const ends = end >= length;
  const base = begins && ends ? matchScores.whole : begins || ends ? matchScores.edge : matchScores.inside;
  const score = base + (kindScores[symbols.kindIndex(definition)] ?? 0);
  return symbols.isLocal(definition) ? score * localFactor : score;
}

/** Returns the best score of the ranges from index `from` on that are within names of definitions; 0 if none is. */
export function scoreDefinitions(
  symbols: SymbolReader,
  document: number,
  ranges: RangeBuffer,
  from: number,
): number {
  const { definitionStarts } = symbols;
  const first = definitionStarts[document] ?? 0;
  const end = definitionStarts[document + 1] ?? first;
  let best = 0;
  const consider = (definition: number, range: number) => {
    const nameOffset = symbols.nameOffset(definition);
    const start = (ranges.starts[range] ?? 0) - nameOffset;
    const stop = (ranges.ends[range] ?? 0) - nameOffset;
    if (start < 0 || stop > symbols.nameLength(definition)) return;
    best = Math.max(best, scoreDefinition(symbols, definition, start, stop));
  };
  if (ranges.length - from <= end - first) {
    for (let range = from; range < ranges.length; range++) {
      const definition = symbols.lastStartingAtOrBefore(first, end, ranges.starts[range] ?? 0);
      if (definition >= first) consider(definition, range);
    }
  } else {
    for (let definition = first; definition < end; definition++) {
      const range = lastAtOrBelow(ranges.starts, from, ranges.length, symbols.nameOffset(definition) - 1) + 1;
      if (range < ranges.length) consider(definition, range);
    }
  }
  return best;
}
