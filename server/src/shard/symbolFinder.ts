import { Bitset } from "#base/bitset";
import { eachMatchingLine, type RunMode, runExpression } from "./expressionRun";
import type { FinderCounts } from "./finder";
import type { Look } from "./look";
import { GrowingWords } from "./numbers";
import type { CompiledPattern, ExpressionPattern, LiteralPattern } from "./pattern";
import { PostingLists } from "./postings";
import { edgesOf, endsAtEdge, startsAtEdge } from "./ranges";
import { blockHasFoldingSpecials, blockHasNonAscii } from "./shard";
import type { SymbolReader } from "./symbolReader";
import { decodeText } from "./text";
import type { TextWindow } from "./window";

const newline = 0x0a;

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
  readonly #window: TextWindow;
  readonly #term: SymbolTerm;
  readonly #mode: RunMode;
  /** Numbers of the names that match, ascending, and the bytes of each that do. */
  readonly #names = new GrowingWords();
  readonly #starts = new GrowingWords();
  readonly #ends = new GrowingWords();
  readonly #edges = new GrowingWords();

  constructor(
    symbols: SymbolReader,
    window: TextWindow,
    term: SymbolTerm,
    mode: RunMode,
    counts: FinderCounts,
  ) {
    this.#symbols = symbols;
    this.#window = window;
    this.#term = term;
    this.#mode = mode;
    const { documentCount } = symbols.meta;
    this.documents = new Bitset(documentCount);
    if (term.pattern === undefined) {
      const starts = symbols.definitionStarts;
      for (let document = 0; document < documentCount; document++)
        if (starts[document] !== starts[document + 1]) this.documents.add(document);
      return;
    }
    this.#findNames(term.pattern, counts);
    this.#markDocuments();
  }

  #findNames(pattern: CompiledPattern, counts: FinderCounts): void {
    const { reader } = this.#symbols.names;
    // A match lies in one name, and so in one block, whatever its expression may hold.
    const lists = new PostingLists(reader, this.#window, counts, false);
    const candidates = lists.evaluate(pattern.trigrams);
    const count = candidates?.length ?? reader.meta.blockCount;
    for (let at = 0; at < count; at++) this.#findInBlock(pattern, candidates?.[at] ?? at);
  }

  #findInBlock(pattern: CompiledPattern, block: number): void {
    const { reader } = this.#symbols.names;
    const start = reader.blockStarts[block] ?? 0;
    const end = reader.blockStarts[block + 1] ?? 0;
    const { length: whole } = reader.content;
    const base = this.#window.load(reader, start, end, (limit) => Math.min(limit, whole));
    const lines = new BlockLines(this.#window, base, base + end - start, this.#symbols.names.firstIn(block));
    const flags = reader.blockFlags[block] ?? 0;
    if (pattern.kind === "expression") this.#runBlock(pattern, lines, flags);
    else if (pattern.special !== undefined && (flags & blockHasFoldingSpecials) !== 0)
      this.#runBlock(pattern.special, lines, flags);
    else if (!pattern.needsWholeDocument) this.#findLiteral(pattern, lines);
  }

  #findLiteral({ needle }: LiteralPattern, lines: BlockLines): void {
    const { kernels } = this.#window;
    const count = kernels.find(needle, lines.base, lines.end - lines.base);
    const { hits } = kernels;
    for (let at = 0; at < count; at++) {
      const hit = lines.base + (hits[at] ?? 0);
      lines.goTo(hit);
      this.#add(lines, hit, hit + needle.bytes.length);
    }
  }

  #runBlock(pattern: ExpressionPattern, lines: BlockLines, flags: number): void {
    const isAscii = (flags & blockHasNonAscii) === 0;
    const decoded = decodeText(this.#window.buffer, lines.base, lines.end - 1, isAscii);
    const ofLine = this.#mode === "backtracking" ? pattern.ofLine(isAscii) : undefined;
    const isDone =
      ofLine !== undefined &&
      eachMatchingLine(ofLine, decoded.text, ({ index, 0: match }) => {
        const from = lines.base + decoded.byteAt(index);
        lines.goTo(from);
        this.#add(lines, from, lines.base + decoded.byteAt(index + match.length));
      });
    if (!isDone) this.#runNames(pattern, lines, isAscii);
  }

  /** Name by name, for what V8 does not take or finish. */
  #runNames(pattern: ExpressionPattern, lines: BlockLines, isAscii: boolean): void {
    for (let at = lines.base; at < lines.end; at = lines.lineEnd + 1) {
      lines.goTo(at);
      const decoded = decodeText(this.#window.buffer, lines.start, lines.lineEnd, isAscii);
      runExpression(pattern, decoded, this.#mode, (start, end) =>
        this.#add(lines, lines.start + decoded.byteAt(start), lines.start + decoded.byteAt(end)),
      );
    }
  }

  /** What `[from, to)` of the kernels' memory holds, which lies in the current line. The first of a name counts. */
  #add({ number, start, lineEnd }: BlockLines, from: number, to: number): void {
    const { length } = this.#names;
    if (length > 0 && this.#names.at(length - 1) === number) return;
    // What matches nothing matches anywhere.
    const [first, end] = from === to ? [start, lineEnd] : [from, to];
    this.#names.push(number);
    this.#starts.push(first - start);
    this.#ends.push(end - start);
    this.#edges.push(edgesOf(this.#window.kernels.bytes, first, end, start, lineEnd));
  }

  #markDocuments(): void {
    const names = this.#names.words();
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
    const isAll = this.#term.pattern === undefined;
    let count = 0;
    for (let at = 0; at < numbers.length; at++) {
      const name = isAll ? 0 : this.#indexOf(numbers[at] ?? 0);
      if (name < 0) continue;
      count++;
      if (!look.countOnly) this.#push(look, first + at, name);
    }
    return count;
  }

  #push(look: Look, definition: number, name: number): void {
    const place = this.#symbols.places[definition] ?? 0;
    const length = this.#symbols.lengths[definition] ?? 0;
    const isPart = this.#term.pattern !== undefined && this.#ends.at(name) <= length;
    // What stands in the text may be something else than the name.
    if (isPart)
      look.ranges.push(
        place + this.#starts.at(name),
        place + this.#ends.at(name),
        this.#edges.at(name),
        this.#term.term,
      );
    else look.ranges.push(place, place + length, startsAtEdge | endsAtEdge, this.#term.term);
  }

  /** Index of a name's number among those that match, or -1. */
  #indexOf(number: number): number {
    let low = 0;
    let high = this.#names.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const value = this.#names.at(middle);
      if (value === number) return middle;
      if (value < number) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** The lines of a block in the kernels' memory, gone through from the first to the last. */
class BlockLines {
  readonly base: number;
  readonly end: number;
  /** The current line, its newline left out, and the number of its name. */
  start: number;
  lineEnd: number;
  number: number;
  readonly #window: TextWindow;

  constructor(window: TextWindow, base: number, end: number, firstNumber: number) {
    this.#window = window;
    this.base = base;
    this.end = end;
    this.start = base;
    this.number = firstNumber;
    this.lineEnd = this.#endFrom(base);
  }

  /** To the line that holds the byte, at or behind the current one. */
  goTo(place: number): void {
    while (place > this.lineEnd) {
      this.start = this.lineEnd + 1;
      this.lineEnd = this.#endFrom(this.start);
      this.number++;
    }
  }

  #endFrom(place: number): number {
    const at = this.#window.buffer.indexOf(newline, place);
    return at < 0 ? this.end : at;
  }
}
