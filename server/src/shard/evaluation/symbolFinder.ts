import { Bitset } from "#base/bitset";
import type { TextWindow } from "#shard/format/window";
import { endsAtEdge, startsAtEdge } from "#shard/matches/ranges";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import type { FinderCounts } from "./contentFinder";
import type { DocumentEvaluation } from "./documentEvaluation";
import type { RunMode } from "./expressionRun";
import { MatchingNames } from "./matchingNames";
import { type CompiledPattern, printPattern } from "./pattern";

export interface SymbolTerm {
  /** Absent: matches all names. */
  readonly pattern: CompiledPattern | undefined;
  /** The number of the term, for its ranges. */
  readonly term: number;
}

/** Finds the definitions of one shard whose names match a pattern. Ranges cover what matches of each name. */
export class SymbolFinder {
  /** Documents that contain such a definition. */
  readonly documents: Bitset;
  readonly #symbols: SymbolReader;
  readonly #term: SymbolTerm;
  /** Absent if all names match. */
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

  /** Prints the pattern and the number of documents that match. */
  toString(): string {
    const { pattern } = this.#term;
    return `symbol:${pattern === undefined ? "*" : printPattern(pattern)} in ${this.documents.count()} documents`;
  }

  /** Marks the documents that define anything. */
  #markAll(): void {
    const starts = this.#symbols.definitionStarts;
    for (let document = 0; document < this.documents.size; document++)
      if (starts[document] !== starts[document + 1]) this.documents.add(document);
  }

  #markDocuments({ numbers }: MatchingNames): void {
    const names = numbers.words();
    for (let at = 0; at < names.length; ) {
      // Adjacent names are read together.
      const from = at++;
      const first = names[from] ?? 0;
      while (names[at] === first + at - from) at++;
      for (const definition of this.#symbols.namesakes(first, first + at - from))
        this.documents.add(this.#symbols.documentOf(definition));
    }
  }

  /** Returns the number of matching definitions in the document. Appends their ranges unless they are only counted. */
  find(evaluation: DocumentEvaluation): number {
    const { definitionStarts } = this.#symbols;
    const first = definitionStarts[evaluation.document] ?? 0;
    const numbers = this.#symbols.nameNumbers(first, definitionStarts[evaluation.document + 1] ?? first);
    const names = this.#names;
    let count = 0;
    for (let at = 0; at < numbers.length; at++) {
      const name = names === undefined ? 0 : names.indexOf(numbers[at] ?? 0);
      if (name < 0) continue;
      count++;
      if (!evaluation.isCountOnly) this.#push(evaluation, first + at, name);
    }
    return count;
  }

  #push(evaluation: DocumentEvaluation, definition: number, name: number): void {
    const offset = this.#symbols.nameOffset(definition);
    const length = this.#symbols.nameLength(definition);
    const { term } = this.#term;
    const names = this.#names;
    // The text at this offset may differ from the name.
    if (names !== undefined && names.ends.at(name) <= length)
      evaluation.ranges.push(
        offset + names.starts.at(name),
        offset + names.ends.at(name),
        names.edges.at(name),
        term,
      );
    else evaluation.ranges.push(offset, offset + length, startsAtEdge | endsAtEdge, term);
  }
}
