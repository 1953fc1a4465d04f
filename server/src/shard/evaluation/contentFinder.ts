import { Bitset } from "#base/bitset";
import { objectBytes } from "#base/byteCache";
import { lowerBound } from "#kernels/gallop";
import type { Needle } from "#kernels/needle";
import type { UpcomingBlocks } from "#shard/format/frames";
import { type Candidates, type LookupCounts, PostingLists } from "#shard/format/postings";
import type { ShardReader } from "#shard/format/reader";
import { blockHasFoldingSpecials, blockHasNonAscii } from "#shard/format/shard";
import { decodeText } from "#shard/format/text";
import type { TextWindow } from "#shard/format/window";
import { byteClasses, edgesOf } from "#shard/matches/ranges";
import type { DocumentEvaluation } from "./documentEvaluation";
import { runExpression } from "./expressionRun";
import { type CompiledPattern, type ExpressionPattern, type LiteralPattern, printPattern } from "./pattern";

const newline = 0x0a;
const underscore = 0x5f;

/** The documents of a search in one shard, if there are so few that preparing the whole shard does not pay off. */
export interface SmallUniverse {
  readonly documents: Uint32Array;
  /** All blocks of these documents. */
  readonly blocks: Uint32Array;
}

/** A range of blocks, end exclusive. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

export interface FinderCounts extends LookupCounts {
  /** How many times an expression was run on a text. */
  regexpsConsidered: number;
}

/**
 * Finds one pattern in the text of one shard's documents. The posting lists select candidate blocks (or documents, for
 * a pattern that can match a newline); `find` reads those of one document and verifies them.
 */
export class ContentFinder {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #pattern: CompiledPattern;
  readonly #term: number;
  readonly #counts: FinderCounts;
  /** Blocks, or documents if the pattern needs whole ones; `undefined` means all. */
  readonly #candidates: Candidates;
  /** By index in the candidate blocks: 1 for those that do not contain the pattern. Absent if that is not stored. */
  readonly #refuted: Uint8Array | undefined;
  /** The index after the candidates of the previous document. Most documents are evaluated in ascending order. */
  #cursor = 0;

  constructor(
    reader: ShardReader,
    window: TextWindow,
    pattern: CompiledPattern,
    term: number,
    counts: FinderCounts,
    smallUniverse: SmallUniverse | undefined,
  ) {
    this.#reader = reader;
    this.#window = window;
    this.#pattern = pattern;
    this.#term = term;
    this.#counts = counts;
    const lists = new PostingLists(reader, window, counts, pattern.needsWholeDocument);
    const within = pattern.needsWholeDocument ? smallUniverse?.documents : smallUniverse?.blocks;
    const known = within === undefined ? reader.candidateCache.get(printPattern(pattern)) : undefined;
    this.#candidates = known ?? lists.evaluate(pattern.trigrams, within);
    if (within === undefined && !pattern.needsWholeDocument && this.#candidates !== undefined)
      this.#refuted = new Uint8Array(this.#candidates.length);
  }

  /** Caches which blocks may contain the pattern after this search, so that the next one for it reads no others. */
  cacheCandidates(): void {
    const candidates = this.#candidates;
    const refuted = this.#refuted;
    if (candidates === undefined || refuted?.includes(1) !== true) return;
    let count = 0;
    for (let at = 0; at < refuted.length; at++) count += 1 - (refuted[at] ?? 0);
    const key = printPattern(this.#pattern);
    const bytes = 4 * count + objectBytes([key]);
    const { candidateCache } = this.#reader;
    // For a common word, copying them would take a noticeable part of a search.
    if (!candidateCache.accepts(bytes)) return;
    const remaining = new Uint32Array(count);
    let next = 0;
    for (let at = 0; at < refuted.length; at++)
      if (refuted[at] === 0) remaining[next++] = candidates[at] ?? 0;
    candidateCache.set(key, remaining, bytes);
  }

  /** The number of blocks that may contain the pattern; infinite if these are not known. */
  get blockCount(): number {
    return this.#pattern.needsWholeDocument
      ? Number.POSITIVE_INFINITY
      : (this.#candidates?.length ?? Number.POSITIVE_INFINITY);
  }

  /** Prints the pattern and the number of candidates. */
  toString(): string {
    const unit = this.#pattern.needsWholeDocument ? "documents" : "blocks";
    return `content:${printPattern(this.#pattern)} in ${this.#candidates?.length ?? "all"} ${unit}`;
  }

  /** Documents that may match; `undefined` means all. */
  documents(): Bitset | undefined {
    if (this.#candidates === undefined) return undefined;
    const set = new Bitset(this.#reader.meta.documentCount);
    const { blockDocuments } = this.#reader;
    const candidates = this.#candidates;
    if (this.#pattern.needsWholeDocument)
      for (let at = 0; at < candidates.length; at++) set.add(candidates[at] ?? 0);
    else {
      // A document has several blocks in a row.
      let last = -1;
      for (let at = 0; at < candidates.length; at++) {
        const document = blockDocuments[candidates[at] ?? 0] ?? 0;
        if (document !== last) set.add(document);
        last = document;
      }
    }
    return set;
  }

  /** Returns the blocks of the document from the first to the last one that `find` searches; an empty range if none. */
  blocksOf(document: number): BlockRange {
    const { firstBlocks } = this.#reader;
    const first = firstBlocks[document] ?? 0;
    const end = firstBlocks[document + 1] ?? 0;
    const candidates = this.#candidates;
    if (this.#pattern.needsWholeDocument || candidates === undefined) return { from: first, to: end };
    this.#seek(first);
    const from = candidates[this.#cursor] ?? end;
    if (from >= end) return { from: end, to: end };
    const last =
      lowerBound(candidates, end, this.#cursor, Math.min(candidates.length, this.#cursor + end - from)) - 1;
    return { from, to: (candidates[last] ?? from) + 1 };
  }

  /** Returns the number of matches in the document, and appends their ranges unless they are only counted. */
  find(evaluation: DocumentEvaluation): number {
    const first = this.#reader.firstBlocks[evaluation.document] ?? 0;
    const end = this.#reader.firstBlocks[evaluation.document + 1] ?? 0;
    if (first === end) return 0;
    const candidates = this.#candidates;
    if (this.#pattern.needsWholeDocument || candidates === undefined)
      return this.#findInBlocks(first, end, evaluation);
    let count = 0;
    this.#seek(first);
    while (this.#cursor < candidates.length) {
      const from = candidates[this.#cursor] ?? 0;
      if (from >= end) break;
      let to = from + 1;
      const firstIndex = this.#cursor++;
      while (to < end && candidates[this.#cursor] === to) {
        to++;
        this.#cursor++;
      }
      const endIndex = this.#cursor;
      const found = this.#findInBlocks(from, to, evaluation);
      if (found === 0) this.#refuted?.fill(1, firstIndex, endIndex);
      count += found;
    }
    return count;
  }

  /** Moves the cursor to the first candidate at or after `block`. */
  #seek(block: number): void {
    const candidates = this.#candidates;
    if (candidates === undefined) return;
    let low = 0;
    let high = candidates.length;
    if (this.#cursor < candidates.length && (candidates[this.#cursor] ?? 0) <= block) {
      // In ascending order the next candidate is close: gallop before the binary search.
      low = this.#cursor;
      let step = 1;
      while (low + step < candidates.length && (candidates[low + step] ?? 0) < block) {
        low += step;
        step *= 2;
      }
      high = Math.min(low + step + 1, candidates.length);
    }
    this.#cursor = lowerBound(candidates, block, low, high);
  }

  /** Searches the blocks `[from, to)` of the document. */
  #findInBlocks(from: number, to: number, evaluation: DocumentEvaluation): number {
    const { blockStarts, contentStarts } = this.#reader;
    const start = blockStarts[from] ?? 0;
    const end = blockStarts[to] ?? 0;
    const base = this.#window.load(this.#reader, from, to, this.upcoming());
    const origin = start - (contentStarts[evaluation.document] ?? 0);
    const span = { from, to, base, end: base + end - start, origin, isAscii: this.#isAscii(from, to) };
    const pattern = this.#pattern;
    if (pattern.kind === "literal") {
      const special = this.#hasSpecials(from, to) ? pattern.special : undefined;
      if (special === undefined) return this.#findLiteral(pattern, span, evaluation);
      return special.needsWholeDocument
        ? this.#runText(special, span, evaluation)
        : this.#runBlocks(special, span, evaluation);
    }
    if (pattern.needsWholeDocument) return this.#runText(pattern, span, evaluation);
    const { required, word } = pattern;
    if (word !== undefined && !this.#hasSpecials(from, to)) return this.#findWord(word, span, evaluation);
    if (required === undefined) return this.#runBlocks(pattern, span, evaluation);
    return this.#runLines(pattern, required, span, evaluation);
  }

  /** Returns the candidates from the cursor on, which `find` reads next; undefined if it needs whole documents. */
  upcoming(): UpcomingBlocks | undefined {
    return this.#pattern.needsWholeDocument ? undefined : { blocks: this.#candidates, at: this.#cursor };
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
    { needle }: LiteralPattern,
    { base, end, origin }: BlockSpan,
    evaluation: DocumentEvaluation,
  ): number {
    const { kernels } = this.#window;
    if (evaluation.isCountOnly) return kernels.count(needle, base, end - base);
    const count = kernels.find(needle, base, end - base);
    const { hits, bytes } = kernels;
    const { length } = needle.bytes;
    for (let at = 0; at < count; at++) {
      const hit = hits[at] ?? 0;
      const edges = edgesOf(bytes, base + hit, base + hit + length, base, end);
      evaluation.ranges.push(origin + hit, origin + hit + length, edges, this.#term);
    }
    return count;
  }

  /** Like `#findLiteral`, but only between word boundaries. The blocks begin and end with whole lines. */
  #findWord(needle: Needle, { base, end, origin }: BlockSpan, evaluation: DocumentEvaluation): number {
    const { kernels } = this.#window;
    const hitCount = kernels.find(needle, base, end - base);
    const { hits, bytes } = kernels;
    const { length } = needle.bytes;
    let count = 0;
    for (let at = 0; at < hitCount; at++) {
      const hit = hits[at] ?? 0;
      const from = base + hit;
      const to = from + length;
      if ((from > base && isWordByte(bytes[from - 1] ?? 0)) || (to < end && isWordByte(bytes[to] ?? 0)))
        continue;
      count++;
      if (evaluation.isCountOnly) continue;
      const edges = edgesOf(bytes, from, to, base, end);
      evaluation.ranges.push(origin + hit, origin + hit + length, edges, this.#term);
    }
    return count;
  }

  /** Runs an expression block by block, so that a long document does not become one long string. */
  #runBlocks(pattern: ExpressionPattern, span: BlockSpan, evaluation: DocumentEvaluation): number {
    const { blockStarts } = this.#reader;
    const { bytes } = this.#window.kernels;
    const start = blockStarts[span.from] ?? 0;
    let count = 0;
    for (let block = span.from; block < span.to; block++) {
      const base = span.base + (blockStarts[block] ?? 0) - start;
      let end = span.base + (blockStarts[block + 1] ?? 0) - start;
      if (bytes[end - 1] === newline) end--;
      const origin = span.origin + base - span.base;
      count += this.#runText(
        pattern,
        { base, end, origin, isAscii: this.#isAscii(block, block + 1) },
        evaluation,
      );
    }
    return count;
  }

  /** Finds the required literal, and runs the expression on the lines that contain it. */
  #runLines(
    pattern: ExpressionPattern,
    required: Needle,
    span: BlockSpan,
    evaluation: DocumentEvaluation,
  ): number {
    const { kernels } = this.#window;
    const { base, end, origin, isAscii } = span;
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
      count += this.#runText(pattern, line, evaluation);
    }
    return count;
  }

  #runText(
    pattern: ExpressionPattern,
    { base, end, origin, isAscii }: TextSpan,
    evaluation: DocumentEvaluation,
  ): number {
    this.#counts.regexpsConsidered++;
    const decoded = decodeText(this.#window.buffer, base, end, isAscii);
    const { bytes } = this.#window.kernels;
    let count = 0;
    runExpression(pattern, decoded, evaluation.mode, (matchStart, matchEnd) => {
      count++;
      if (evaluation.isCountOnly) return;
      const from = base + decoded.byteAt(matchStart);
      const to = base + decoded.byteAt(matchEnd);
      evaluation.ranges.push(
        origin + from - base,
        origin + to - base,
        edgesOf(bytes, from, to, base, end),
        this.#term,
      );
    });
    return count;
  }
}

/** Bytes `[base, end)` of the kernels' memory, which start at byte `origin` of the document. */
interface TextSpan {
  readonly base: number;
  readonly end: number;
  readonly origin: number;
  readonly isAscii: boolean;
}

/** The text of the blocks `[from, to)`. */
interface BlockSpan extends TextSpan {
  readonly from: number;
  readonly to: number;
}

function isWordByte(byte: number): boolean {
  const byteClass = byteClasses[byte];
  return byte === underscore || byteClass === 1 || byteClass === 2 || byteClass === 3;
}
