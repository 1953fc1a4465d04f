import type { SymbolHit } from "#model/match";
import type { DefinitionBody, SymbolReader } from "#shard/symbolFile/symbolReader";
import type { RangeBuffer } from "./ranges";

/** Finds the definitions of one document whose names overlap ranges. */
export class TouchedSymbols {
  readonly #symbols: SymbolReader;
  readonly #document: number;
  #bodyOf: ((definition: number) => DefinitionBody) | undefined;

  constructor(symbols: SymbolReader, document: number) {
    this.#symbols = symbols;
    this.#document = document;
  }

  /** Returns the definitions whose names overlap the ranges `[from, to)`, in ascending order. */
  find(ranges: RangeBuffer, from: number, to: number): SymbolHit[] {
    const symbols = this.#symbols;
    const { definitionStarts } = symbols;
    const first = definitionStarts[this.#document] ?? 0;
    const end = definitionStarts[this.#document + 1] ?? first;
    const hits: SymbolHit[] = [];
    if (first === end) return hits;
    let last = -1;
    for (let range = from; range < to; range++) {
      const start = ranges.starts[range] ?? 0;
      const stop = Math.max(ranges.ends[range] ?? 0, start + 1);
      let definition = Math.max(symbols.lastStartingAtOrBefore(first, end, start), first);
      if (symbols.nameOffset(definition) + symbols.nameLength(definition) <= start) definition++;
      for (; definition < end && symbols.nameOffset(definition) < stop; definition++) {
        if (definition <= last) continue;
        hits.push(this.#hit(definition));
        last = definition;
      }
    }
    return hits;
  }

  #hit(definition: number): SymbolHit {
    const symbols = this.#symbols;
    this.#bodyOf ??= symbols.bodyReader(this.#document);
    const { parent, owner } = this.#bodyOf(definition);
    const enclosing =
      parent < 0 ? { symbol: owner, kind: "" } : { symbol: symbols.name(parent), kind: symbols.kind(parent) };
    return { symbol: symbols.name(definition), kind: symbols.kind(definition), parent: enclosing };
  }
}
