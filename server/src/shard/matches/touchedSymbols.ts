import type { SymbolHit } from "#model/match";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
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
    const { definitionStarts, nameOffsets, nameLengths } = this.#symbols;
    const first = definitionStarts[this.#document] ?? 0;
    const end = definitionStarts[this.#document + 1] ?? first;
    const hits: SymbolHit[] = [];
    let last = -1;
    for (let range = from; range < to; range++) {
      const start = ranges.starts[range] ?? 0;
      const stop = Math.max(ranges.ends[range] ?? 0, start + 1);
      let definition = Math.max(lastAtOrBelow(nameOffsets, first, end, start), first);
      if ((nameOffsets[definition] ?? 0) + (nameLengths[definition] ?? 0) <= start) definition++;
      for (; definition < end && (nameOffsets[definition] ?? 0) < stop; definition++) {
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
