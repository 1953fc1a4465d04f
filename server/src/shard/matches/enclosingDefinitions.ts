import type { EnclosingDefinition } from "#model/match";
import type { SymbolKind } from "#model/symbol";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";

/** Local definitions of other kinds, such as variables, say little about where a match is. */
const localContainers: readonly SymbolKind[] = ["function", "method", "class", "interface", "struct", "enum"];

/** Finds the definitions of one document that enclose ranges. Offsets are bytes of the document. */
export class EnclosingDefinitions {
  readonly #symbols: SymbolReader;
  readonly #first: number;
  readonly #count: number;
  /** Per definition of the document. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** -1 without one. */
  readonly #parents: Int32Array;

  /** For ranges that begin at `last` or before it. */
  constructor(symbols: SymbolReader, document: number, last: number) {
    this.#symbols = symbols;
    this.#first = symbols.definitionStarts[document] ?? 0;
    const end = symbols.definitionStarts[document + 1] ?? this.#first;
    this.#count = lastAtOrBelow(symbols.nameOffsets, this.#first, end, last) + 1 - this.#first;
    this.#starts = new Uint32Array(this.#count);
    this.#ends = new Uint32Array(this.#count);
    this.#parents = new Int32Array(this.#count);
    const bodyOf = symbols.bodyReader(document);
    for (let at = 0; at < this.#count; at++) {
      const { start, end, parent } = bodyOf(this.#first + at);
      this.#starts[at] = start;
      this.#ends[at] = end;
      this.#parents[at] = parent < 0 ? -1 : parent - this.#first;
    }
  }

  /**
   * Returns the innermost definition that contains `[from, to)`, apart from those whose names are in the shown text
   * `[shownFrom, shownTo)`.
   */
  find(from: number, to: number, shownFrom: number, shownTo: number): EnclosingDefinition | undefined {
    const symbols = this.#symbols;
    const end = this.#first + this.#count;
    // An empty range is enclosed if the byte after it is.
    const stop = Math.max(to, from + 1);
    // Everything between the name of a definition and the end of its body is nested in it.
    let at = lastAtOrBelow(symbols.nameOffsets, this.#first, end, from) - this.#first;
    for (; at >= 0; at = this.#parents[at] ?? -1) {
      const definition = this.#first + at;
      const name = symbols.nameOffsets[definition] ?? 0;
      const isShown = name >= shownFrom && name < shownTo;
      const contains = (this.#starts[at] ?? 0) <= from && (this.#ends[at] ?? 0) >= stop;
      if (!contains || isShown) continue;
      const kind = symbols.kind(definition);
      if (symbols.isLocal(definition) && !localContainers.includes(kind)) continue;
      return { symbol: symbols.name(definition), kind };
    }
    return undefined;
  }
}
