import { lowerBound } from "#kernels/gallop";
import { GrowingWords } from "#shard/format/numbers";
import { PostingLists } from "#shard/format/postings";
import { blockHasFoldingSpecials, blockHasNonAscii } from "#shard/format/shard";
import { decodeText } from "#shard/format/text";
import type { TextWindow } from "#shard/format/window";
import { edgesOf } from "#shard/matches/ranges";
import type { SymbolNames } from "#shard/symbolFile/symbolNames";
import type { FinderCounts } from "./contentFinder";
import { eachMatchingLine, type RunMode, runExpression } from "./expressionRun";
import type { CompiledPattern, ExpressionPattern, LiteralPattern } from "./pattern";

const newline = 0x0a;

export interface SymbolNameSearch {
  readonly names: SymbolNames;
  readonly window: TextWindow;
  readonly counts: FinderCounts;
  readonly mode: RunMode;
  /** The search stops at this number of names; absent: finds all. */
  readonly maxNames?: number;
}

/** The names of definitions in one shard that match a pattern, in ascending order, with the first match in each. */
export class MatchingNames {
  readonly numbers = new GrowingWords();
  /** Byte offsets of the match in each name. */
  readonly starts = new GrowingWords();
  readonly ends = new GrowingWords();
  /** As in `RangeBuffer`. */
  readonly edges = new GrowingWords();
  /** `numbers`, once all are found. */
  readonly #sorted: Uint32Array;
  readonly #names: SymbolNames;
  readonly #window: TextWindow;
  readonly #mode: RunMode;

  constructor(pattern: CompiledPattern, { names, window, counts, mode, maxNames }: SymbolNameSearch) {
    this.#names = names;
    this.#window = window;
    this.#mode = mode;
    // A match never spans names or blocks, even if the expression can match a newline.
    const candidates = new PostingLists(names.reader, window, counts, false).evaluate(pattern.trigrams);
    const blocks = candidates ?? Uint32Array.from({ length: names.blockCount }, (_, block) => block);
    for (let at = 0; at < blocks.length; at++) {
      if (this.numbers.length >= (maxNames ?? Number.POSITIVE_INFINITY)) break;
      this.#findInBlock(pattern, blocks, at);
    }
    this.#sorted = this.numbers.words();
  }

  /** The index of a name in `numbers`, or -1. */
  indexOf(number: number): number {
    const at = lowerBound(this.#sorted, number, 0, this.#sorted.length);
    return this.#sorted[at] === number ? at : -1;
  }

  /** Searches one candidate block. */
  #findInBlock(pattern: CompiledPattern, blocks: Uint32Array, index: number): void {
    const { reader } = this.#names;
    const block = blocks[index] ?? 0;
    const start = reader.blockStarts[block] ?? 0;
    const end = reader.blockStarts[block + 1] ?? 0;
    const base = this.#window.load(reader, block, block + 1, { blocks, at: index + 1 });
    const lines = new BlockLines(this.#window, base, base + end - start, this.#names.firstIn(block));
    const flags = reader.blockFlags[block] ?? 0;
    if (pattern.kind === "expression") this.#runBlock(pattern, lines, flags);
    else if ((flags & blockHasFoldingSpecials) !== 0 && pattern.special !== undefined)
      this.#runBlock(pattern.special, lines, flags);
    else if (!pattern.needsWholeDocument) this.#findLiteral(pattern, lines);
  }

  #findLiteral({ needle }: LiteralPattern, lines: BlockLines): void {
    const { kernels } = this.#window;
    const count = kernels.find(needle, lines.base, lines.end - lines.base);
    const { hits } = kernels;
    for (let at = 0; at < count; at++) {
      const hit = lines.base + (hits[at] ?? 0);
      lines.seek(hit);
      this.#add(lines, hit, hit + needle.bytes.length);
    }
  }

  #runBlock(pattern: ExpressionPattern, lines: BlockLines, flags: number): void {
    const isAscii = (flags & blockHasNonAscii) === 0;
    const decoded = decodeText(this.#window.buffer, lines.base, lines.end - 1, isAscii);
    const lineForm = this.#mode === "backtracking" ? pattern.lineForm(isAscii) : undefined;
    const isDone =
      lineForm !== undefined &&
      eachMatchingLine(lineForm, decoded.text, ({ index, 0: match }) => {
        const from = lines.base + decoded.byteAt(index);
        lines.seek(from);
        this.#add(lines, from, lines.base + decoded.byteAt(index + match.length));
      });
    if (!isDone) this.#runNames(pattern, lines, isAscii);
  }

  /** Runs an expression name by name, if V8 cannot run it or takes too long. */
  #runNames(pattern: ExpressionPattern, lines: BlockLines, isAscii: boolean): void {
    for (let at = lines.base; at < lines.end; at = lines.lineEnd + 1) {
      lines.seek(at);
      const decoded = decodeText(this.#window.buffer, lines.start, lines.lineEnd, isAscii);
      runExpression(pattern, decoded, this.#mode, (start, end) =>
        this.#add(lines, lines.start + decoded.byteAt(start), lines.start + decoded.byteAt(end)),
      );
    }
  }

  /**
   * Adds the match at `[from, to)` of the kernels' memory, in the current line. Ignores all but the first of a line.
   */
  #add({ number, start, lineEnd }: BlockLines, from: number, to: number): void {
    const { length } = this.numbers;
    if (length > 0 && this.numbers.at(length - 1) === number) return;
    // An empty match counts as a match of the whole name.
    const [first, end] = from === to ? [start, lineEnd] : [from, to];
    this.numbers.push(number);
    this.starts.push(first - start);
    this.ends.push(end - start);
    this.edges.push(edgesOf(this.#window.kernels.bytes, first, end, start, lineEnd));
  }
}

/** Iterates over the lines of a block in the kernels' memory, in ascending order. */
class BlockLines {
  readonly base: number;
  readonly end: number;
  /** The current line without its newline, and the number of its name. */
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

  /** Moves forward to the line that contains the byte. */
  seek(offset: number): void {
    while (offset > this.lineEnd) {
      this.start = this.lineEnd + 1;
      this.lineEnd = this.#endFrom(this.start);
      this.number++;
    }
  }

  #endFrom(offset: number): number {
    const at = this.#window.buffer.indexOf(newline, offset);
    return at < 0 ? this.end : at;
  }
}
