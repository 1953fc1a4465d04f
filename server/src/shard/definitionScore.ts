import { type SymbolKind, symbolKinds } from "#model/symbol";
import { lastAtOrBelow } from "./lastAtOrBelow";
import type { RangeBuffer } from "./ranges";
import type { SymbolReader } from "./symbolReader";

/** The numbers of the table in score.ts. */
const matched = { whole: 7000, edge: 4000, inside: 2500 };
const typeKinds: readonly SymbolKind[] = ["class", "interface", "struct", "enum", "type", "trait", "union"];
const callableKinds: readonly SymbolKind[] = ["function", "method", "constructor", "macro"];
const plainKind = 400;
const kindScores = symbolKinds.map((kind) =>
  typeKinds.includes(kind) ? 1000 : callableKinds.includes(kind) ? 800 : plainKind,
);
const localPart = 0.5;

/** Whether people look for such a definition by its name: not for fields, variables and locals. */
export function isSought(symbols: SymbolReader, definition: number): boolean {
  return !symbols.isLocal(definition) && (kindScores[symbols.kindIndex(definition)] ?? 0) > plainKind;
}

/** How good a match `[start, end)` of a name is: `length` bytes, of which it covers some. */
export function scoreDefinition(
  symbols: SymbolReader,
  definition: number,
  start: number,
  end: number,
): number {
  const length = symbols.lengths[definition] ?? 0;
  const begins = start === 0;
  const ends = end >= length;
  const base = begins && ends ? matched.whole : begins || ends ? matched.edge : matched.inside;
  const score = base + (kindScores[symbols.kindIndex(definition)] ?? 0);
  return symbols.isLocal(definition) ? score * localPart : score;
}

/** The best of the ranges from `from` on that lie in names of the document's definitions; 0 where none does. */
export function scoreDefinitions(
  symbols: SymbolReader,
  document: number,
  ranges: RangeBuffer,
  from: number,
): number {
  const { places, lengths, definitionStarts } = symbols;
  const first = definitionStarts[document] ?? 0;
  const end = definitionStarts[document + 1] ?? first;
  let best = 0;
  const consider = (definition: number, range: number) => {
    const place = places[definition] ?? 0;
    const start = (ranges.starts[range] ?? 0) - place;
    const stop = (ranges.ends[range] ?? 0) - place;
    if (start < 0 || stop > (lengths[definition] ?? 0)) return;
    best = Math.max(best, scoreDefinition(symbols, definition, start, stop));
  };
  if (ranges.length - from <= end - first) {
    for (let range = from; range < ranges.length; range++) {
      const definition = lastAtOrBelow(places, first, end, ranges.starts[range] ?? 0);
      if (definition >= first) consider(definition, range);
    }
  } else {
    for (let definition = first; definition < end; definition++) {
      const range = lastAtOrBelow(ranges.starts, from, ranges.length, (places[definition] ?? 0) - 1) + 1;
      if (range < ranges.length) consider(definition, range);
    }
  }
  return best;
}
