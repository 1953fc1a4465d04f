import { Bitset } from "#base/bitset";
import type { Description } from "#query/description";
import { type Candidates, PostingLists } from "#shard/format/postings";
import type { TextWindow } from "#shard/format/window";
import { DescriptionScorer, type DescriptionWeights } from "#shard/matches/descriptionScore";
import { RangeBuffer } from "#shard/matches/ranges";
import type { EvaluationCounts } from "./evaluate";
import type { RunMode } from "./expressionRun";
import type { DocumentHit } from "./hitList";
import {
  buildMatchTree,
  type CompiledQuery,
  candidatesOf,
  evaluateTree,
  isExact,
  type MatchTree,
  type ShardView,
} from "./matchTree";
import { countMissingText } from "./missingText";
import { NameFinder } from "./nameFinder";
import { StemFinder } from "./stemFinder";

/** Blocks that are searched together. */
const maxRunBytes = 256 * 1024;
/** Only this many blocks of a document are searched for words, those with the best estimates. Ties may add some. */
const maxBlocks = 12;
/** The text of a document that is searched for words has about this size at most. */
const maxDocumentBytes = 160 * 1024;

/** At most this much of a block is read for a sample. Blocks are longer only if they contain a very long line. */
const maxSampleBytes = 16 * 1024;
/** What a stem adds to the score of every block if it is not known which blocks contain it. */
const unknownWeight = 0.001;

/** What was found in a sample. Shared, because one is taken of each shard for each stem. */
const sampled = new RangeBuffer();

/** A description, compiled for one thread. */
export interface CompiledDescription {
  readonly description: Description;
  readonly finders: readonly StemFinder[];
}

export function compileDescription(description: Description, { kernels }: TextWindow): CompiledDescription {
  return { description, finders: description.stems.map((stem) => new StemFinder(stem, kernels)) };
}

export interface DescriptionOptions {
  readonly window: TextWindow;
  readonly counts: EvaluationCounts;
  readonly mode: RunMode;
  readonly isPreferred: (document: number) => boolean;
}

/** The number of blocks that a search covers, and how many of them may contain each stem. */
export interface Frequencies {
  readonly blockCount: number;
  readonly counts: readonly number[];
}

/**
 * Evaluates one description on one shard.
 *
 * The general process for a given (shard, description) is:
 *
 * - `prepare` finds the documents that pass the filters of the query, and looks up the trigrams of every stem, which
 *   leaves the blocks that may contain it. No text is read.
 * - The caller adds up the frequencies of all shards, which determine the weights of the stems (`weightsOf`).
 * - `estimate` scores all documents by their blocks, paths and names of definitions, still without reading text.
 * - `evaluate` reads one of the best documents, finds the words in it, and scores it (`descriptionScore.ts`). A document
 *   that contains one becomes a hit, with the ranges of its best passages.
 */
export class DescriptionEvaluation {
  readonly view: ShardView;
  readonly ranges = new RangeBuffer();
  readonly hits: DocumentHit[] = [];
  /** Whether every document that was evaluated and is no hit contains no word. */
  isComplete = true;
  readonly #compiled: CompiledQuery;
  readonly #described: CompiledDescription;
  readonly #options: DescriptionOptions;
  readonly #scorer: DescriptionScorer;
  #tree: MatchTree | undefined;
  #documents = new Bitset(0);
  /** Whether all documents of the shard pass the filters. */
  #coversAll = false;
  /** By stem: the blocks that may contain it; undefined if that is not known. */
  #blocks: readonly Candidates[] = [];
  /** By block: a bit for each stem that it may contain, and their weights. */
  #blockStems: Uint32Array = new Uint32Array(0);
  #blockScores: Float32Array = new Float32Array(0);
  #names: readonly NameFinder[] = [];

  constructor(
    view: ShardView,
    compiled: CompiledQuery,
    described: CompiledDescription,
    options: DescriptionOptions,
  ) {
    this.view = view;
    this.#compiled = compiled;
    this.#described = described;
    this.#options = options;
    this.#scorer = new DescriptionScorer(view.reader, view.symbols, described.description);
  }

  /** Finds the documents that pass the filters. Returns false if there are none. */
  prepare(): boolean {
    const { window, counts, mode } = this.#options;
    const { view } = this;
    const { reader } = view;
    const before = reader.indexBytesLoaded;
    const tree = buildMatchTree(this.#compiled, { view, window, counts, mode, smallUniverse: undefined });
    const bound = candidatesOf(tree);
    this.#tree = tree;
    this.#documents = bound === undefined ? view.universe : bound.intersect(view.universe);
    counts.filesMissing += countMissingText(view, tree);
    if (this.#documents.isEmpty()) return false;
    this.#coversAll = this.#documents.count() === reader.meta.documentCount;
    const lists = new PostingLists(reader, window, counts, false);
    this.#blocks = this.#described.finders.map(({ pattern }) => lists.evaluate(pattern.trigrams));
    counts.indexBytesLoaded += reader.indexBytesLoaded - before;
    return true;
  }

  frequencies(): Frequencies {
    const { firstBlocks } = this.view.reader;
    const documents = this.#documents;
    let blockCount = 0;
    for (let document = documents.next(0); document >= 0; document = documents.next(document + 1))
      blockCount += (firstBlocks[document + 1] ?? 0) - (firstBlocks[document] ?? 0);
    const { blockDocuments } = this.view.reader;
    const counts = this.#blocks.map((blocks) => {
      // Stems of one or two letters have no trigrams.
      if (blocks === undefined) return blockCount >>> 2;
      if (this.#coversAll) return blocks.length;
      let count = 0;
      for (let at = 0; at < blocks.length; at++)
        if (documents.has(blockDocuments[blocks[at] ?? 0] ?? 0)) count++;
      return count;
    });
    return { blockCount, counts };
  }

  #isCovered(block: number): boolean {
    return this.#documents.has(this.view.reader.blockDocuments[block] ?? 0);
  }

  /**
   * Reads every `step`-th of the blocks that may contain a stem, of which `seen` are in other shards. Returns how many
   * there are in this one, how many were read, and how many of these do contain it: trigrams select many blocks where it
   * is only a part of other words.
   */
  sample(
    stem: number,
    step: number,
    seen: number,
  ): { readonly seen: number; readonly read: number; readonly found: number } {
    const { reader } = this.view;
    const { window } = this.#options;
    const finder = this.#described.finders[stem];
    const blocks = this.#blocks[stem];
    let read = 0;
    let found = 0;
    if (blocks === undefined || finder === undefined) return { seen: 0, read, found };
    const first = (step - (seen % step)) % step;
    let covered = 0;
    for (let at = this.#coversAll ? first : 0; at < blocks.length; at += this.#coversAll ? step : 1) {
      const block = blocks[at] ?? 0;
      if (!this.#coversAll && (!this.#isCovered(block) || covered++ % step !== first)) continue;
      const start = reader.blockStarts[block] ?? 0;
      const stop = Math.min(reader.blockStarts[block + 1] ?? 0, start + maxSampleBytes);
      const base = window.load(reader, block, block + 1);
      sampled.length = 0;
      finder.find(window, base, base + stop - start, 0, stem, sampled);
      read++;
      if (sampled.length > 0) found++;
    }
    return { seen: this.#coversAll ? blocks.length : covered, read, found };
  }

  /**
   * Calls `visit` with each document that may contain a word and passes the filters, unless they depend on text, and
   * with an estimate of its score.
   */
  estimate(weights: DescriptionWeights, visit: (document: number, score: number) => void): void {
    const { window, mode } = this.#options;
    const { reader } = this.view;
    const scores = this.#estimateText(weights);
    this.#names = this.#described.finders.map(
      ({ pattern }) => new NameFinder(reader, window, pattern, mode, undefined),
    );
    for (const [stem, { documents }] of this.#names.entries()) {
      const score = this.#scorer.pathEstimate(weights, stem);
      for (let at = documents.next(0); at >= 0; at = documents.next(at + 1))
        scores[at] = (scores[at] ?? 0) + score;
    }
    for (const { document, score } of this.#scorer.definitionsOfNames(weights))
      scores[document] = (scores[document] ?? 0) + score;
    const all = this.#documents;
    for (let at = all.next(0); at >= 0; at = all.next(at + 1)) {
      const score = scores[at] ?? 0;
      if (score > 0) visit(at, score * this.#documentWeight(at));
    }
  }

  /** Scores every document by its three best blocks: each counts half of the one before. */
  #estimateText({ stems }: DescriptionWeights): Float32Array {
    const { meta, firstBlocks } = this.view.reader;
    const scores = new Float32Array(meta.documentCount);
    this.#scoreBlocks(stems);
    const perBlock = this.#blockScores;
    for (let document = 0, block = 0; document < meta.documentCount; document++) {
      const end = firstBlocks[document + 1] ?? 0;
      let first = 0;
      let second = 0;
      let third = 0;
      for (; block < end; block++) {
        const score = perBlock[block] ?? 0;
        if (score <= third) continue;
        if (score <= second) third = score;
        else {
          third = second;
          if (score <= first) second = score;
          else {
            second = first;
            first = score;
          }
        }
      }
      scores[document] = first + second / 2 + third / 4;
    }
    return scores;
  }

  /** Sets the stems that each block may contain, and the sums of their weights. */
  #scoreBlocks(weights: readonly number[]): void {
    const { blockCount, hasTrigrams } = this.view.reader.meta;
    const stems = new Uint32Array(blockCount);
    const scores = new Float32Array(blockCount);
    this.#blockStems = stems;
    this.#blockScores = scores;
    for (const [stem, blocks] of this.#blocks.entries()) {
      const bit = 1 << stem;
      const weight = weights[stem] ?? 0;
      if (blocks === undefined) {
        // Unsaved documents have no posting lists, and may contain every word.
        const added = hasTrigrams ? unknownWeight : weight;
        for (let block = 0; block < blockCount; block++) {
          stems[block] = (stems[block] ?? 0) | bit;
          scores[block] = (scores[block] ?? 0) + added;
        }
        continue;
      }
      for (let at = 0; at < blocks.length; at++) {
        const block = blocks[at] ?? 0;
        stems[block] = (stems[block] ?? 0) | bit;
        scores[block] = (scores[block] ?? 0) + weight;
      }
    }
  }

  #documentWeight(document: number): number {
    const categoryIndex = this.view.reader.categoryIndex(document);
    return this.#scorer.documentWeight(categoryIndex, this.#options.isPreferred(document));
  }

  /** Searches a document, and adds a hit if it passes the filters and contains a word. Documents must ascend. */
  evaluate(document: number, weights: DescriptionWeights): void {
    const { counts, mode } = this.#options;
    const { ranges } = this;
    const from = this.hits.at(-1)?.to ?? 0;
    ranges.length = from;
    counts.filesConsidered++;
    if (!this.#passes(document, mode)) return;
    ranges.length = from;
    const isSearched = this.#findWords(document);
    const text = this.#scorer.score(document, ranges, from, weights);
    const isInName = ranges.length === from;
    if (!isInName) counts.filesLoaded++;
    else for (const finder of this.#names) if (finder.documents.has(document)) finder.find(document, ranges);
    if (isInName) ranges.normalize(from);
    if (ranges.length === from) {
      this.isComplete &&= isSearched;
      return;
    }
    this.hits.push({
      document,
      from,
      to: ranges.length,
      isInName,
      matchCount: ranges.length - from,
      nameScore: text.path,
      definitionScore: text.definition,
      hasPhrase: false,
      score: (text.words + text.path + text.definition) * this.#documentWeight(document),
    });
  }

  #passes(document: number, mode: RunMode): boolean {
    const tree = this.#tree;
    if (tree === undefined) return false;
    if (isExact(tree)) return true;
    const { ranges } = this;
    return evaluateTree(tree, { document, ranges, names: [], mode, isCountOnly: false, count: 0 });
  }

  /** Appends the words of a document, unsorted. Returns whether all blocks that may contain one were searched. */
  #findWords(document: number): boolean {
    const { blockStarts, contentStarts, firstBlocks } = this.view.reader;
    const end = firstBlocks[document + 1] ?? 0;
    const scores = this.#blockScores;
    const least = this.#leastBlockScore(document);
    const isSearched = (block: number) => (scores[block] ?? 0) >= least;
    const origin = contentStarts[document] ?? 0;
    let left = maxDocumentBytes;
    let isComplete = true;
    for (let block = firstBlocks[document] ?? 0; block < end; block++) {
      if (!isSearched(block) || left <= 0) {
        isComplete &&= (scores[block] ?? 0) === 0;
        continue;
      }
      const first = block;
      const start = blockStarts[first] ?? 0;
      while (block + 1 < end && isSearched(block + 1) && (blockStarts[block + 2] ?? 0) - start <= maxRunBytes)
        block++;
      // A block is longer only if it contains a very long line.
      const stop = Math.min(blockStarts[block + 1] ?? 0, start + maxRunBytes);
      isComplete &&= stop === blockStarts[block + 1];
      left -= stop - start;
      this.#findInRun(first, block + 1, stop, origin);
    }
    return isComplete;
  }

  /** Returns the score that a block must have to be searched. */
  #leastBlockScore(document: number): number {
    const { firstBlocks } = this.view.reader;
    const all = this.#blockScores.subarray(firstBlocks[document] ?? 0, firstBlocks[document + 1] ?? 0);
    const best = all.length > maxBlocks ? (all.slice().sort().at(-maxBlocks) ?? 0) : 0;
    return Math.max(best, Number.MIN_VALUE);
  }

  /** Searches the blocks `[first, end)` up to byte `stop` of the shard's text. The document starts at byte `origin`. */
  #findInRun(first: number, end: number, stop: number, origin: number): void {
    const { window } = this.#options;
    const { blockStarts } = this.view.reader;
    const start = blockStarts[first] ?? 0;
    const base = window.load(this.view.reader, first, end);
    for (const [stem, finder] of this.#described.finders.entries()) {
      const mayContain = (block: number) => ((this.#blockStems[block] ?? 0) & (1 << stem)) !== 0;
      for (let block = first; block < end; block++) {
        if (!mayContain(block)) continue;
        const from = blockStarts[block] ?? 0;
        while (block + 1 < end && mayContain(block + 1)) block++;
        const to = Math.min(blockStarts[block + 1] ?? 0, stop);
        finder.find(window, base + from - start, base + to - start, from - origin, stem, this.ranges);
      }
    }
  }

  /** Descriptions have no phrase. */
  phraseRanges(): RangeBuffer {
    return new RangeBuffer();
  }

  /** Explains a hit's score. */
  explain({ document, score, nameScore, definitionScore }: DocumentHit): string {
    const weight = this.#documentWeight(document);
    const words = score / weight - nameScore - definitionScore;
    const signals = { words, path: nameScore, definition: definitionScore, weight };
    return Object.entries(signals)
      .map(([name, value]) => `${name} ${value.toFixed(2)}`)
      .join(", ");
  }
}
