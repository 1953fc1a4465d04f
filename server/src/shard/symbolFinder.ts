import { Bitset } from "#base/bitset";
import type { RunMode } from "./expressionRun";
import type { FinderCounts } from "./finder";
import type { Look } from "./look";
import { MatchingNames } from "./matchingNames";
import type { CompiledPattern } from "./pattern";
import { endsAtEdge, startsAtEdge } from "./ranges";
import type { SymbolReader } from "./symbolReader";
import type { TextWindow } from "./window";

export interface SymbolTerm {
  /** Absent for all names. */
  readonly pattern: CompiledPattern | undefined;
  /** Number of the term that its ranges carry. */
  readonly term: number;
}

/** Finds the definitions of one shard whose names a pattern matches. Their ranges are what it matches of the names. */
export class SymbolFinder {
  /** Documents with such a definition. */
  readonly documents: Bitset;
  readonly #symbols: SymbolReader;
  readonly #term: SymbolTerm;
  /** Absent where all names count. */
  readonly #names: MatchingNames | undefined;

  constructor(
    symbols: SymbolReader,
    window: TextWindow,
    term: SymbolTerm,
    mode: RunMode,
    counts: FinderCounts,
  ) {
    this.#symbols = symbols;
    this.#term = term;
    const { documentCount } = symbols.meta;
    this.documents = new Bitset(documentCount);
    const { pattern } = term;
    this.#names = pattern && new MatchingNames(pattern, { names: symbols.names, window, counts, mode });
    if (this.#names === undefined) this.#markAll();
    else this.#markDocuments(this.#names);
  }

  /** Documents that define anything. */
  #markAll(): void {
    const starts = this.#symbols.definitionStarts;
    for (let document = 0; document < this.documents.size; document++)
      if (starts[document] !== starts[document + 1]) this.documents.add(document);
  }

  #markDocuments({ numbers }: MatchingNames): void {
    const names = numbers.words();
    for (let at = 0; at < names.length; ) {
      // Names that stand side by side are read in one go.
      const from = at++;
      const first = names[from] ?? 0;
      while (names[at] === first + at - from) at++;
      for (const definition of this.#symbols.namesakes(first, first + at - from))
        this.documents.add(this.#symbols.documentOf(definition));
    }
  }

  /** Appends the ranges of the definitions in the document and gives how many; where it only counts, none. */
  find(look: Look): number {
    const { definitionStarts } = this.#symbols;
    const first = definitionStarts[look.document] ?? 0;
    const numbers = this.#symbols.nameNumbers(first, definitionStarts[look.document + 1] ?? first);
    const names = this.#names;
    let count = 0;
    for (let at = 0; at < numbers.length; at++) {
      const name = names === undefined ? 0 : names.indexOf(numbers[at] ?? 0);
      if (name < 0) continue;
      count++;
      if (!look.countOnly) this.#push(look, first + at, name);
    }
    return count;
  }

  #push(look: Look, definition: number, name: number): void {
    const place = this.#symbols.places[definition] ?? 0;
    const length = this.#symbols.lengths[definition] ?? 0;
    const { term } = this.#term;
    const names = this.#names;
    // What stands in the text may be something else than the name.
    if (names !== undefined && names.ends.at(name) <= length)
      look.ranges.push(
        place + names.starts.at(name),
        place + names.ends.at(name),
        names.edges.at(name),
        term,
      );
    else look.ranges.push(place, place + length, startsAtEdge | endsAtEdge, term);
  }
}
