import { Bitset } from "#base/bitset";
import { type RunMode, runExpression } from "./expressionRun";
import type { CompiledPattern, ExpressionPattern } from "./pattern";
import { type Candidates, type LookupCounts, PostingLists } from "./postings";
import { edgesOf, type RangeBuffer } from "./ranges";
import type { ShardReader } from "./reader";
import { blockHasFoldingSpecials, blockHasNonAscii } from "./shard";
import { type DecodedText, decodeText } from "./text";
import type { TextWindow } from "./window";

const newline = 0x0a;
/** Candidate blocks no further apart than this are read in one go. */
const maxGapBytes = 8192;

/** Finds one pattern in the text of one shard's documents. */
export class ContentFinder {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #pattern: CompiledPattern;
  readonly #term: number;
  /** Blocks, or documents where only a whole one decides; `undefined` is all. */
  readonly #candidates: Candidates;
  /** Where the last document's candidates ended; documents are mostly asked for in order. */
  #cursor = 0;
  /** Times that an expression was started on a text. */
  runs = 0;

  constructor(
    reader: ShardReader,
    window: TextWindow,
    pattern: CompiledPattern,
    term: number,
    counts: LookupCounts,
  ) {
    this.#reader = reader;
    this.#window = window;
    this.#pattern = pattern;
    this.#term = term;
    const lists = new PostingLists(reader, window, counts, pattern.needsWholeDocument);
    this.#candidates = lists.evaluate(pattern.trigrams);
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

  /** Appends the matches in a document to `ranges` and gives how many; with `countOnly` it appends none. */
  find(document: number, ranges: RangeBuffer, mode: RunMode, countOnly: boolean): number {
    const first = this.#reader.firstBlocks[document] ?? 0;
    const end = this.#reader.firstBlocks[document + 1] ?? 0;
    if (first === end) return 0;
    if (this.#pattern.needsWholeDocument) {
      return this.#findInRun(document, first, end, ranges, mode, countOnly);
    }
    let count = 0;
    if (this.#candidates === undefined) return this.#findInRun(document, first, end, ranges, mode, countOnly);
    const candidates = this.#candidates;
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
      count += this.#findInRun(document, from, to, ranges, mode, countOnly);
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

  /** Searches the blocks `[from, to)`, which are of one document. */
  #findInRun(
    document: number,
    from: number,
    to: number,
    ranges: RangeBuffer,
    mode: RunMode,
    countOnly: boolean,
  ): number {
    const { blockStarts, contentStarts } = this.#reader;
    const start = blockStarts[from] ?? 0;
    const end = blockStarts[to] ?? 0;
    const base = this.#window.load(this.#reader, start, end, (limit) => this.#aheadEnd(end, limit));
    const origin = start - (contentStarts[document] ?? 0);
    const pattern = this.#pattern;
    if (pattern.kind === "literal") {
      if (pattern.special !== undefined && this.#hasSpecials(from, to)) {
        return this.#runBlocks(pattern.special, from, to, base, origin, ranges, mode, countOnly);
      }
      return this.#findLiteral(base, end - start, origin, ranges, countOnly);
    }
    if (pattern.needsWholeDocument) {
      return this.#runText(
        pattern,
        base,
        base + end - start,
        origin,
        this.#isAscii(from, to),
        ranges,
        mode,
        countOnly,
      );
    }
    if (pattern.required !== undefined) {
      return this.#runLines(pattern, from, to, base, origin, ranges, mode, countOnly);
    }
    return this.#runBlocks(pattern, from, to, base, origin, ranges, mode, countOnly);
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

  #findLiteral(
    base: number,
    length: number,
    origin: number,
    ranges: RangeBuffer,
    countOnly: boolean,
  ): number {
    if (this.#pattern.kind !== "literal") return 0;
    const { kernels } = this.#window;
    const { needle } = this.#pattern;
    if (countOnly) return kernels.count(needle, base, length);
    const count = kernels.find(needle, base, length);
    const { hits, bytes } = kernels;
    for (let at = 0; at < count; at++) {
      const hit = hits[at] ?? 0;
      const end = hit + needle.bytes.length;
      const edges = edgesOf(bytes, base + hit, base + end, base, base + length);
      ranges.push(origin + hit, origin + end, edges, this.#term);
    }
    return count;
  }

  #runBlocks(
    pattern: ExpressionPattern,
    from: number,
    to: number,
    base: number,
    origin: number,
    ranges: RangeBuffer,
    mode: RunMode,
    countOnly: boolean,
  ): number {
    const { blockStarts } = this.#reader;
    const start = blockStarts[from] ?? 0;
    const { bytes } = this.#window.kernels;
    let count = 0;
    for (let block = from; block < to; block++) {
      const blockStart = (blockStarts[block] ?? 0) - start;
      let blockEnd = (blockStarts[block + 1] ?? 0) - start;
      if (pattern.needsWholeDocument) blockEnd = (blockStarts[to] ?? 0) - start;
      else if (bytes[base + blockEnd - 1] === newline) blockEnd--;
      const isAscii = this.#isAscii(block, pattern.needsWholeDocument ? to : block + 1);
      const at = origin + blockStart;
      count += this.#runText(
        pattern,
        base + blockStart,
        base + blockEnd,
        at,
        isAscii,
        ranges,
        mode,
        countOnly,
      );
      if (pattern.needsWholeDocument) break;
    }
    return count;
  }

  /** Finds the required literal and looks only at the lines that hold it. */
  #runLines(
    pattern: ExpressionPattern,
    from: number,
    to: number,
    base: number,
    origin: number,
    ranges: RangeBuffer,
    mode: RunMode,
    countOnly: boolean,
  ): number {
    if (pattern.required === undefined) return 0;
    // What the kernels do not fold may hide the literal: such a run is searched whole.
    if (!pattern.required.caseSensitive && this.#hasSpecials(from, to)) {
      return this.#runBlocks(pattern, from, to, base, origin, ranges, mode, countOnly);
    }
    const { kernels } = this.#window;
    const length = (this.#reader.blockStarts[to] ?? 0) - (this.#reader.blockStarts[from] ?? 0);
    const hitCount = kernels.find(pattern.required, base, length);
    const { hits, bytes } = kernels;
    const isAscii = this.#isAscii(from, to);
    let count = 0;
    let lineEnd = -1;
    for (let at = 0; at < hitCount; at++) {
      const hit = hits[at] ?? 0;
      if (hit < lineEnd) continue;
      let lineStart = hit;
      while (lineStart > 0 && bytes[base + lineStart - 1] !== newline) lineStart--;
      lineEnd = bytes.indexOf(newline, base + hit) - base;
      if (lineEnd < 0 || lineEnd > length) lineEnd = length;
      const place = origin + lineStart;
      count += this.#runText(
        pattern,
        base + lineStart,
        base + lineEnd,
        place,
        isAscii,
        ranges,
        mode,
        countOnly,
      );
    }
    return count;
  }

  #runText(
    pattern: ExpressionPattern,
    start: number,
    end: number,
    origin: number,
    isAscii: boolean,
    ranges: RangeBuffer,
    mode: RunMode,
    countOnly: boolean,
  ): number {
    this.runs++;
    const decoded: DecodedText = decodeText(this.#window.buffer, start, end, isAscii);
    const { bytes } = this.#window.kernels;
    let count = 0;
    runExpression(pattern, decoded, mode, (matchStart, matchEnd) => {
      count++;
      if (countOnly) return;
      const from = decoded.byteAt(matchStart);
      const to = decoded.byteAt(matchEnd);
      ranges.push(
        origin + from,
        origin + to,
        edgesOf(bytes, start + from, start + to, start, end),
        this.#term,
      );
    });
    return count;
  }
}
