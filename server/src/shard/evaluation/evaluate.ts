import type { Bitset } from "#base/bitset";
import type { ShardReader } from "#shard/format/reader";
import type { TextWindow } from "#shard/format/window";
import { scoreDefinitions } from "#shard/matches/definitionScore";
import { RangeBuffer } from "#shard/matches/ranges";
import { explainScore, type ScoredDocument, scoreDocument, scoreName } from "#shard/matches/score";
import { ContentFinder, type FinderCounts, type SmallUniverse } from "./contentFinder";
import type { DocumentEvaluation } from "./documentEvaluation";
import type { RunMode } from "./expressionRun";
import { type DocumentHit, HitList } from "./hitList";
import {
  buildMatchTree,
  type CompiledQuery,
  candidatesOf,
  contentFinders,
  countTerms,
  evaluateTree,
  isExact,
  type MatchTree,
  type ShardView,
} from "./matchTree";
import { countMissingText } from "./missingText";
import type { NameFinder } from "./nameFinder";
import { printMatchTree } from "./printMatchTree";
import { SharedText } from "./sharedText";

/** Work done by an evaluation. */
export interface EvaluationCounts extends FinderCounts {
  filesConsidered: number;
  filesLoaded: number;
  filesSkipped: number;
  /** Documents that might match, but whose text is missing from the repository. */
  filesMissing: number;
}

export function newEvaluationCounts(): EvaluationCounts {
  return {
    ngramLookups: 0,
    ngramMatches: 0,
    indexBytesLoaded: 0,
    filesConsidered: 0,
    filesLoaded: 0,
    filesSkipped: 0,
    filesMissing: 0,
    regexpsConsidered: 0,
  };
}

export type EvaluationOutput = "hits" | "totals" | "counts" | "ranges";

/** Documents that match, in columns. `ranges` are theirs one after the other, if they were recorded. */
export interface CountedDocuments {
  readonly documents: readonly number[];
  readonly matchCounts: readonly number[];
  /** Whether the ranges of each are in its path instead of its text. */
  readonly areInName: readonly boolean[];
  readonly ranges: RangeBuffer;
}

export interface EvaluationOptions {
  readonly window: TextWindow;
  readonly counts: EvaluationCounts;
  /** The evaluation stops after the document that reaches this number of matches. */
  readonly maxMatches: number;
  /** How many matches of one document count for that. Default: all. */
  readonly maxMatchesPerFile?: number | undefined;
  /**
   * What is recorded of the documents that match: `hits` to rank and show, or only totals. For groups (`takeCounted`),
   * their `counts`, or also their `ranges`.
   */
  readonly output: EvaluationOutput;
  /** Documents that contain the phrase have a higher score. If it is required, no others match. */
  readonly phrase: "required" | "optional" | "ignored";
  /** The evaluation stops after the document that reaches this number of blocks. */
  readonly maxBlocks: number;
  /** Whether the document's repository ranks higher, because it is open in the editor or was used recently. */
  readonly isPreferred: (document: number) => boolean;
  /** Returns how often the stars of the document's repository have doubled. */
  readonly starLevel: (document: number) => number;
}

/** For finders that only count. */
const noRanges = new RangeBuffer();
/** At most this many documents are evaluated first because their path matches. */
const maxNameMatchesFirst = 1000;
/** For this many documents or fewer, preparing the whole shard costs more than it saves. */
const maxSmallUniverse = 40;
/** The clock is read once per this many documents, counting long ones by their blocks. */
const blocksPerClockRead = 16;
const blockShift = 12;

/**
 * Evaluates one query on one shard.
 *
 * The general process for a given (shard, query) is:
 *
 * - `prepare` builds the match tree (`matchTree.ts`). This searches paths and names of definitions, and looks up the
 *   trigrams of every content term, which leaves the blocks that may match.
 * - Combining the sets in the tree yields the candidate documents. If there are none, the shard is done without any of
 *   its text being read.
 * - If a phrase is required, only documents whose text may contain it are candidates, and verifying it comes first.
 * - `step` evaluates the tree on one candidate after another until its time slice ends, and can be called again. The
 *   candidates whose path matches come first, then all others in the order of the shard, best first.
 * - Evaluating the tree on a document reads its candidate blocks (`sharedText.ts`) and verifies them (`contentFinder.ts`),
 *   collecting ranges.
 * - A document that matches is scored and becomes a hit. At `maxMatches` the evaluation stops.
 *
 * A step may be interrupted at any instruction, because an expression that exceeds its time limit is terminated from
 * outside. `#evaluate` updates all totals at its very end, so no document is counted twice or in part. The caller
 * continues with `evaluateCurrent`, in linear mode, or `skipCurrent`.
 */
export class ShardEvaluation {
  readonly view: ShardView;
  readonly ranges = new RangeBuffer();
  readonly hits = new HitList();
  #counted = { documents: [] as number[], matchCounts: [] as number[], areInName: [] as boolean[] };
  matchCount = 0;
  /** `matchCount`, but of each document at most `maxMatchesPerFile`. */
  limitedMatchCount = 0;
  fileCount = 0;
  /** Occurrences of the phrase in the documents that match. */
  phraseMatchCount = 0;
  /** Blocks of the documents that were evaluated. */
  blockCount = 0;
  /** Every candidate was evaluated. */
  isFinished = false;
  readonly #compiled: CompiledQuery;
  readonly #options: EvaluationOptions;
  readonly #maxMatchesPerFile: number;
  #tree: MatchTree | undefined;
  #candidates: Bitset | undefined;
  /** Absent if at most one term searches text. */
  #sharedText: SharedText | undefined;
  #nameMatches: readonly number[] = [];
  #nameMatchIndex = 0;
  #next = 0;
  /** The document that was counted last. */
  #lastCounted = -1;
  readonly #names: NameFinder[] = [];
  /** The ranges of documents that are recorded; those after them are of the current document. */
  #recordedRanges = 0;
  #isCountOnly = false;
  #termCount = 0;
  #missingCount = 0;
  #phrase: ContentFinder | undefined;
  /** Documents that may contain the phrase. */
  #phraseDocuments: Bitset | undefined;

  constructor(view: ShardView, compiled: CompiledQuery, options: EvaluationOptions) {
    this.view = view;
    this.#compiled = compiled;
    this.#options = options;
    this.#maxMatchesPerFile = options.maxMatchesPerFile ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Builds the match tree, which runs expressions on paths and names of definitions, and finds the candidates. Returns
   * false if there are none.
   */
  prepare(mode: RunMode): boolean {
    const { window, counts, phrase } = this.#options;
    const { reader } = this.view;
    const before = reader.indexBytesLoaded;
    if (phrase !== "ignored") this.#preparePhrase();
    const universe = phrase === "required" ? this.#phraseDocuments : this.view.universe;
    if (universe === undefined || universe.isEmpty()) return false;
    const smallUniverse = findSmallUniverse(reader, universe);
    const tree = buildMatchTree(this.#compiled, { view: this.view, window, counts, mode, smallUniverse });
    const bound = candidatesOf(tree);
    const candidates = bound === undefined ? universe.copy() : bound.intersect(universe);
    if (phrase !== "required") {
      // Preparing again, in another mode, replaces the first count.
      counts.filesMissing -= this.#missingCount;
      this.#missingCount = countMissingText(this.view, tree);
      counts.filesMissing += this.#missingCount;
    }
    this.#termCount = countTerms(tree);
    const { output } = this.#options;
    this.#isCountOnly = (output === "totals" || output === "counts") && this.#termCount < 2;
    this.#nameMatches = isExact(tree) ? [] : candidatesByName(tree, candidates);
    counts.indexBytesLoaded += reader.indexBytesLoaded - before;
    const finders = contentFinders(tree);
    const isScan = bound === undefined && candidates.count() === reader.meta.documentCount;
    this.#sharedText = finders.length > 1 ? new SharedText(reader, window, finders, isScan) : undefined;
    this.#tree = tree;
    this.#candidates = candidates;
    return !candidates.isEmpty();
  }

  #preparePhrase(): void {
    const { phrase } = this.#compiled;
    if (phrase === undefined) return;
    const { window, counts } = this.#options;
    const { reader, universe } = this.view;
    this.#phrase = new ContentFinder(reader, window, phrase, 0, counts, undefined);
    this.#phraseDocuments = this.#phrase.documents()?.intersect(universe) ?? universe.copy();
  }

  #countPhrase({ document, mode }: DocumentEvaluation): number {
    if (this.#phrase === undefined || !this.#phraseDocuments?.has(document)) return 0;
    return this.#phrase.find({ document, ranges: noRanges, names: [], mode, isCountOnly: true, count: 0 });
  }

  /** Returns where the phrase occurs in a document. */
  phraseRanges(document: number): RangeBuffer {
    const ranges = new RangeBuffer();
    this.#phrase?.find({ document, ranges, names: [], mode: "backtracking", isCountOnly: false, count: 0 });
    return ranges;
  }

  /** The document that `step` evaluates next, or was evaluating when it was interrupted. */
  get current(): number {
    return this.#nameMatches[this.#nameMatchIndex] ?? this.#next;
  }

  /**
   * Evaluates documents. Returns true when all are done or `maxMatches` is reached, and false when `isExpired` returns true.
   * Calls `onHit` after each hit, and also returns false if that returns true.
   */
  step(mode: RunMode, isExpired: () => boolean, onHit?: () => boolean): boolean {
    const { maxMatches, maxBlocks } = this.#options;
    let hitCount = this.hits.length;
    for (let blocks = 0; ; ) {
      if (this.limitedMatchCount >= maxMatches || this.blockCount >= maxBlocks) return true;
      if (blocks >= blocksPerClockRead) {
        blocks = 0;
        if (isExpired()) return false;
      }
      if (!this.#advance()) {
        this.isFinished = true;
        return true;
      }
      const document = this.current;
      const size = 1 + (this.view.reader.contentLength(document) >>> blockShift);
      blocks += size;
      this.#evaluate(document, mode);
      this.blockCount += size;
      this.#completeCurrent();
      if (onHit !== undefined && this.hits.length > hitCount) {
        hitCount = this.hits.length;
        if (onHit()) return false;
      }
    }
  }

  /** Evaluates the current document alone, in another mode, and moves on to the next one. */
  evaluateCurrent(mode: RunMode): void {
    if (!this.#advance()) return;
    this.#evaluate(this.current, mode);
    this.#completeCurrent();
  }

  /** Caches which blocks the terms need not read again. */
  cacheCandidates(): void {
    if (this.#tree === undefined) return;
    for (const finder of contentFinders(this.#tree)) finder.cacheCandidates();
  }

  /** Returns the documents that were recorded since the last call. Their ranges are valid until the next step. */
  takeCounted(): CountedDocuments {
    const counted = this.#counted;
    this.#counted = { documents: [], matchCounts: [], areInName: [] };
    this.#recordedRanges = 0;
    return { ...counted, ranges: this.ranges };
  }

  /** Skips the current document, and counts it as skipped. */
  skipCurrent(): void {
    this.#options.counts.filesSkipped++;
    this.#completeCurrent();
  }

  #advance(): boolean {
    if (this.#nameMatchIndex < this.#nameMatches.length) return true;
    const next = this.#candidates?.next(this.#next) ?? -1;
    if (next < 0) return false;
    this.#next = next;
    return true;
  }

  #completeCurrent(): void {
    const document = this.current;
    this.#candidates?.delete(document);
    if (this.#nameMatchIndex < this.#nameMatches.length) this.#nameMatchIndex++;
  }

  #evaluate(document: number, mode: RunMode): void {
    const tree = this.#tree;
    // A step that was interrupted after counting this document has done the work.
    if (tree === undefined || this.#lastCounted === document) return;
    const { counts } = this.#options;
    const from = this.#recordedRanges;
    const ranges = this.ranges;
    ranges.length = from;
    const names = this.#names;
    // Setting it takes longer than reading it.
    if (names.length > 0) names.length = 0;
    const evaluation: DocumentEvaluation = {
      document,
      ranges,
      names,
      mode,
      isCountOnly: this.#isCountOnly,
      count: 0,
    };
    const isRequired = this.#options.phrase === "required";
    let phraseMatchCount = isRequired ? this.#countPhrase(evaluation) : 0;
    if (isRequired && phraseMatchCount === 0) return;
    counts.filesConsidered++;
    this.#sharedText?.load(document);
    if (!evaluateTree(tree, evaluation)) return;
    if (!isRequired) phraseMatchCount = this.#countPhrase(evaluation);
    if (evaluation.count > 0) counts.filesLoaded++;
    if (this.#termCount > 1) ranges.normalize(from);
    const isInName = evaluation.count === 0;
    if (isInName && this.view.reader.skipReason(document) !== undefined) counts.filesSkipped++;
    const nameScore = this.#isCountOnly && !isInName ? 0 : this.#addNameRanges(document, isInName);
    const matchCount = this.#isCountOnly && !isInName ? evaluation.count : ranges.length - from;
    const limitedCount = Math.min(matchCount, this.#maxMatchesPerFile);
    const { output } = this.#options;
    if (output === "hits") {
      const definitionScore = isInName ? 0 : this.#definitionScore(document, from);
      const to = ranges.length;
      const hasPhrase = phraseMatchCount > 0;
      const hit = {
        document,
        from,
        to,
        isInName,
        matchCount,
        nameScore,
        definitionScore,
        hasPhrase,
        score: 0,
      };
      hit.score = scoreDocument(this.#scored(hit));
      this.hits.push(hit);
      this.#recordedRanges = to;
    } else if (output !== "totals") {
      const { documents, matchCounts, areInName } = this.#counted;
      documents.push(document);
      matchCounts.push(matchCount);
      areInName.push(isInName);
      if (output === "ranges") this.#recordedRanges = ranges.length;
    }
    // Nothing is called from here on, because V8 interrupts a step only at calls and in loops.
    this.#lastCounted = document;
    this.phraseMatchCount += phraseMatchCount;
    this.matchCount += matchCount;
    this.limitedMatchCount += limitedCount;
    this.fileCount++;
  }

  #definitionScore(document: number, from: number): number {
    const { symbols } = this.view;
    return symbols === undefined ? 0 : scoreDefinitions(symbols, document, this.ranges, from);
  }

  /** Adds ranges in the path if the text has none; otherwise they only determine the score. Returns that score. */
  #addNameRanges(document: number, isInName: boolean): number {
    const { ranges } = this;
    const from = ranges.length;
    const finders = this.#names;
    if (finders.length === 0 && !isInName) return 0;
    for (const finder of finders) finder.find(document, ranges);
    if (finders.length > 1) ranges.normalize(from);
    const path = this.view.reader.path(document);
    const score = scoreName(path, ranges, from, ranges.length);
    if (!isInName) ranges.length = from;
    else if (ranges.length === from) ranges.push(0, path.length, 0, 0);
    return score;
  }

  /** Prints the match tree, which exists once `prepare` has been called. */
  toString(): string {
    return this.#tree === undefined ? "not prepared" : printMatchTree(this.#tree);
  }

  /** Explains a hit's score. */
  explain(hit: DocumentHit): string {
    return explainScore(this.#scored(hit));
  }

  /** Ranges in the path do not count as ranges in the text. */
  #scored(hit: Omit<DocumentHit, "score">): ScoredDocument {
    return {
      ranges: this.ranges,
      from: hit.isInName ? hit.to : hit.from,
      to: hit.to,
      matchCount: hit.matchCount,
      termCount: this.#termCount,
      nameScore: hit.nameScore,
      definitionScore: hit.definitionScore,
      hasPhrase: hit.hasPhrase,
      categoryIndex: this.view.reader.categoryIndex(hit.document),
      isPreferred: this.#options.isPreferred(hit.document),
      starLevel: this.#options.starLevel(hit.document),
    };
  }
}

function findSmallUniverse(reader: ShardReader, universe: Bitset): SmallUniverse | undefined {
  if (universe.count() > maxSmallUniverse) return undefined;
  const documents: number[] = [];
  const blocks: number[] = [];
  for (let document = universe.next(0); document >= 0; document = universe.next(document + 1)) {
    documents.push(document);
    const end = reader.firstBlocks[document + 1] ?? 0;
    for (let block = reader.firstBlocks[document] ?? 0; block < end; block++) blocks.push(block);
  }
  return { documents: Uint32Array.from(documents), blocks: Uint32Array.from(blocks) };
}

/** Candidates whose path matches a term, in the order of the shard. */
function candidatesByName(tree: MatchTree, candidates: Bitset): number[] {
  const named: number[] = [];
  const finders = allNameFinders(tree);
  if (finders.length === 0) return named;
  const set = finders[0]?.documents.copy();
  for (const finder of finders.slice(1)) set?.unite(finder.documents);
  if (set === undefined) return named;
  set.intersect(candidates);
  for (let at = set.next(0); at >= 0 && named.length < maxNameMatchesFirst; at = set.next(at + 1))
    named.push(at);
  return named;
}

function allNameFinders(tree: MatchTree): { readonly documents: Bitset }[] {
  switch (tree.kind) {
    case "name":
      return [tree.finder];
    case "or":
      return tree.children.flatMap(allNameFinders);
    case "and":
      return tree.children.flatMap((child) => (child.kind === "or" ? allNameFinders(child) : []));
    case "names":
      return allNameFinders(tree.child);
    default:
      return [];
  }
}
