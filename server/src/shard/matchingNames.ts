import { eachMatchingLine, type RunMode, runExpression } from "./expressionRun";
import type { FinderCounts } from "./finder";
import { GrowingWords } from "./numbers";
import type { CompiledPattern, ExpressionPattern, LiteralPattern } from "./pattern";
import { PostingLists } from "./postings";
import { edgesOf } from "./ranges";
import { blockHasFoldingSpecials, blockHasNonAscii } from "./shard";
import type { SymbolNames } from "./symbolNames";
import { decodeText } from "./text";
import type { TextWindow } from "./window";

const newline = 0x0a;

export interface SymbolNameSearch {
  readonly names: SymbolNames;
  readonly window: TextWindow;
  readonly counts: FinderCounts;
  readonly mode: RunMode;
  /** No more are found; all where it is absent. */
  readonly maxNames?: number;
}

/** The names of one shard's definitions that a pattern matches, by ascending numbers, and where. */
export class MatchingNames {
  readonly numbers = new GrowingWords();
  /** Bytes of each name that match. */
  readonly starts = new GrowingWords();
  readonly ends = new GrowingWords();
  /** As `RangeBuffer` has them. */
  readonly edges = new GrowingWords();
  readonly #names: SymbolNames;
  readonly #window: TextWindow;
  readonly #mode: RunMode;

  constructor(pattern: CompiledPattern, { names, window, counts, mode, maxNames }: SymbolNameSearch) {
    this.#names = names;
    this.#window = window;
    this.#mode = mode;
    // A match lies in one name, and so in one block, whatever its expression may hold.
    const candidates = new PostingLists(names.reader, window, counts, false).evaluate(pattern.trigrams);
    const blocks = candidates ?? Uint32Array.from({ length: names.blockCount }, (_, block) => block);
    for (let at = 0; at < blocks.length; at++) {
      if (this.numbers.length >= (maxNames ?? Number.POSITIVE_INFINITY)) break;
      this.#findInBlock(pattern, blocks, at);
    }
  }

  /** Index of a name's number among those that match, or -1. */
  indexOf(number: number): number {
    let low = 0;
    let high = this.numbers.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const value = this.numbers.at(middle);
      if (value === number) return middle;
      if (value < number) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** In one of the blocks that may hold a match. */
  #findInBlock(pattern: CompiledPattern, blocks: Uint32Array, index: number): void {
    const { reader } = this.#names;
    const block = blocks[index] ?? 0;
    const start = reader.blockStarts[block] ?? 0;
    const end = reader.blockStarts[block + 1] ?? 0;
    const base = this.#window.load(reader, start, end, (limit) => {
      let last = index;
      while (
        blocks[last + 1] === (blocks[last] ?? 0) + 1 &&
        (reader.blockStarts[blocks[last] ?? 0] ?? 0) < limit
      )
        last++;
      return reader.blockStarts[(blocks[last] ?? 0) + 1] ?? end;
    });
    const lines = new BlockLines(this.#window, base, base + end - start, this.#names.firstIn(block));
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
    const { length } = this.numbers;
    if (length > 0 && this.numbers.at(length - 1) === number) return;
    // What matches nothing matches anywhere.
    const [first, end] = from === to ? [start, lineEnd] : [from, to];
    this.numbers.push(number);
    this.starts.push(first - start);
    this.ends.push(end - start);
    this.edges.push(edgesOf(this.#window.kernels.bytes, first, end, start, lineEnd));
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
