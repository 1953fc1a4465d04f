import { Bitset } from "#base/bitset";
import type { Needle } from "#kernels/needle";
import { runExpression } from "./expressionRun";
import type { Look } from "./look";
import type { CompiledPattern, ExpressionPattern, LiteralPattern } from "./pattern";
import { type Candidates, type LookupCounts, PostingLists } from "./postings";
import { edgesOf } from "./ranges";
import type { ShardReader } from "./reader";
import { blockHasFoldingSpecials, blockHasNonAscii } from "./shard";
import { decodeText } from "./text";
import type { TextWindow } from "./window";

const newline = 0x0a;
/** Candidate blocks no further apart than this are read in one go. */
const maxGapBytes = 8192;

/** The only documents that are looked at, where those are so few that lists need not be read for all. */
export interface FewDocuments {
  readonly documents: Uint32Array;
  /** All of theirs. */
  readonly blocks: Uint32Array;
}

export interface FinderCounts extends LookupCounts {
  /** Times that an expression was started on a text. */
  regexpsConsidered: number;
}

/** Finds one pattern in the text of one shard's documents. */
export class ContentFinder {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #pattern: CompiledPattern;
  readonly #term: number;
  readonly #counts: FinderCounts;
  /** Blocks, or documents where only a whole one decides; `undefined` is all. */
  readonly #candidates: Candidates;
  /** Where the last document's candidates ended; documents are mostly asked for in order. */
  #cursor = 0;

  constructor(
    reader: ShardReader,
    window: TextWindow,
    pattern: CompiledPattern,
    term: number,
    counts: FinderCounts,
    few: FewDocuments | undefined,
  ) {
    this.#reader = reader;
    this.#window = window;
    this.#pattern = pattern;
    this.#term = term;
    this.#counts = counts;
    const lists = new PostingLists(reader, window, counts, pattern.needsWholeDocument);
    const within = pattern.needsWholeDocument ? few?.documents : few?.blocks;
    this.#candidates = lists.evaluate(pattern.trigrams, within);
  }

  /** Documents that may match; `undefined` is all. */
  documents(): Bitset | undefined {
    if (this.#candidates === undefined) return undefined;
    const set = new Bitset(this.#reader.meta.documentCount);
    const { blockDocuments } = this.#reader;
    for (let at = 0; at < this.#candidates.length; at++) {
      const candidate = this.#candidates[at] ?? 0;
      set.add(this.#pattern.needsWholeDocument ? candidate : (blockDocuments[candidate] ?? 0));
    }
    return set;
  }

  /** Appends the matches in the document to the look's ranges and gives how many; where it only counts, none. */
  find(look: Look): number {
    const first = this.#reader.firstBlocks[look.document] ?? 0;
    const end = this.#reader.firstBlocks[look.document + 1] ?? 0;
    if (first === end) return 0;
    const candidates = this.#candidates;
    if (this.#pattern.needsWholeDocument || candidates === undefined)
      return this.#findInBlocks(first, end, look);
    let count = 0;
    this.#seek(first);
    while (this.#cursor < candidates.length) {
      const from = candidates[this.#cursor] ?? 0;
      if (from >= end) break;
      let to = from + 1;
      this.#cursor++;
      while (to < end && candidates[this.#cursor] === to) {
        to++;
        this.#cursor++;
      }
      count += this.#findInBlocks(from, to, look);
    }
    return count;
  }

  /** Puts the cursor on the first candidate at or behind `block`. */
  #seek(block: number): void {
    const candidates = this.#candidates;
    if (candidates === undefined) return;
    let low = 0;
    let high = candidates.length;
    if (this.#cursor < candidates.length && (candidates[this.#cursor] ?? 0) <= block) {
      // In order, the next candidate is near: step out before halving.
      low = this.#cursor;
      let step = 1;
      while (low + step < candidates.length && (candidates[low + step] ?? 0) < block) {
        low += step;
        step *= 2;
      }
      high = Math.min(low + step + 1, candidates.length);
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((candidates[middle] ?? 0) < block) low = middle + 1;
      else high = middle;
    }
    this.#cursor = low;
  }

  /** Searches the blocks `[from, to)` of the document. */
  #findInBlocks(from: number, to: number, look: Look): number {
    const { blockStarts, contentStarts } = this.#reader;
    const start = blockStarts[from] ?? 0;
    const end = blockStarts[to] ?? 0;
    const base = this.#window.load(this.#reader, start, end, (limit) => this.#aheadEnd(end, limit));
    const origin = start - (contentStarts[look.document] ?? 0);
    const stretch = { from, to, base, end: base + end - start, origin, isAscii: this.#isAscii(from, to) };
    const pattern = this.#pattern;
    if (pattern.kind === "literal") {
      const { special } = pattern;
      if (special === undefined || !this.#hasSpecials(from, to))
        return this.#findLiteral(pattern, stretch, look);
      return special.needsWholeDocument
        ? this.#runText(special, stretch, look)
        : this.#runBlocks(special, stretch, look);
    }
    if (pattern.needsWholeDocument) return this.#runText(pattern, stretch, look);
    const { required } = pattern;
    if (required === undefined) return this.#runBlocks(pattern, stretch, look);
    return this.#runLines(pattern, required, stretch, look);
  }

  /** Where reading on pays: the end of the last near candidate before `limit`. */
  #aheadEnd(end: number, limit: number): number {
    const candidates = this.#candidates;
    const { blockStarts } = this.#reader;
    if (this.#pattern.needsWholeDocument) return end;
    if (candidates === undefined) return Math.min(limit, this.#reader.content.length);
    let ahead = end;
    for (let at = this.#cursor; at < candidates.length; at++) {
      const block = candidates[at] ?? 0;
      const blockEnd = blockStarts[block + 1] ?? 0;
      if ((blockStarts[block] ?? 0) - ahead > maxGapBytes || blockEnd > limit) break;
      ahead = blockEnd;
    }
    return ahead;
  }

  #hasSpecials(from: number, to: number): boolean {
    return this.#anyFlag(from, to, blockHasFoldingSpecials);
  }

  #isAscii(from: number, to: number): boolean {
    return !this.#anyFlag(from, to, blockHasNonAscii);
  }

  #anyFlag(from: number, to: number, flag: number): boolean {
    const flags = this.#reader.blockFlags;
    for (let block = from; block < to; block++) if (((flags[block] ?? 0) & flag) !== 0) return true;
    return false;
  }

  #findLiteral({ needle }: LiteralPattern, { base, end, origin }: Stretch, look: Look): number {
    const { kernels } = this.#window;
    if (look.countOnly) return kernels.count(needle, base, end - base);
    const count = kernels.find(needle, base, end - base);
    const { hits, bytes } = kernels;
    const { length } = needle.bytes;
    for (let at = 0; at < count; at++) {
      const hit = hits[at] ?? 0;
      const edges = edgesOf(bytes, base + hit, base + hit + length, base, end);
      look.ranges.push(origin + hit, origin + hit + length, edges, this.#term);
    }
    return count;
  }

  /** Block by block, so that one long document is not one long string. */
  #runBlocks(pattern: ExpressionPattern, stretch: Stretch, look: Look): number {
    const { blockStarts } = this.#reader;
    const { bytes } = this.#window.kernels;
    const start = blockStarts[stretch.from] ?? 0;
    let count = 0;
    for (let block = stretch.from; block < stretch.to; block++) {
      const base = stretch.base + (blockStarts[block] ?? 0) - start;
      let end = stretch.base + (blockStarts[block + 1] ?? 0) - start;
      if (bytes[end - 1] === newline) end--;
      const origin = stretch.origin + base - stretch.base;
      count += this.#runText(pattern, { base, end, origin, isAscii: this.#isAscii(block, block + 1) }, look);
    }
    return count;
  }

  /** Finds the required literal and looks only at the lines that hold it. */
  #runLines(pattern: ExpressionPattern, required: Needle, stretch: Stretch, look: Look): number {
    const { kernels } = this.#window;
    const { base, end, origin, isAscii } = stretch;
    const hitCount = kernels.find(required, base, end - base);
    const { hits, bytes } = kernels;
    let count = 0;
    let lineEnd = -1;
    for (let at = 0; at < hitCount; at++) {
      const hit = base + (hits[at] ?? 0);
      if (hit < lineEnd) continue;
      let lineStart = hit;
      while (lineStart > base && bytes[lineStart - 1] !== newline) lineStart--;
      lineEnd = bytes.indexOf(newline, hit);
      if (lineEnd < 0 || lineEnd > end) lineEnd = end;
      const line = { base: lineStart, end: lineEnd, origin: origin + lineStart - base, isAscii };
      count += this.#runText(pattern, line, look);
    }
    return count;
  }

  #runText(pattern: ExpressionPattern, { base, end, origin, isAscii }: Text, look: Look): number {
    this.#counts.regexpsConsidered++;
    const decoded = decodeText(this.#window.buffer, base, end, isAscii);
    const { bytes } = this.#window.kernels;
    let count = 0;
    runExpression(pattern, decoded, look.mode, (matchStart, matchEnd) => {
      count++;
      if (look.countOnly) return;
      const from = base + decoded.byteAt(matchStart);
      const to = base + decoded.byteAt(matchEnd);
      look.ranges.push(
        origin + from - base,
        origin + to - base,
        edgesOf(bytes, from, to, base, end),
        this.#term,
      );
    });
    return count;
  }
}

/** Text in the kernels' memory: bytes `[base, end)`, of which the first is byte `origin` of the document. */
interface Text {
  readonly base: number;
  readonly end: number;
  readonly origin: number;
  readonly isAscii: boolean;
}

/** The text of the blocks `[from, to)`. */
interface Stretch extends Text {
  readonly from: number;
  readonly to: number;
}
