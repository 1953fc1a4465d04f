import type { Bitset } from "#base/bitset";
import { scoreDefinitions } from "./definitionScore";
import type { RunMode } from "./expressionRun";
import type { FewDocuments, FinderCounts } from "./finder";
import type { Look } from "./look";
import {
  boundOf,
  buildMatchTree,
  type CompiledQuery,
  countTerms,
  holds,
  isExact,
  type MatchTree,
  type ShardView,
} from "./matchTree";
import type { NameFinder } from "./names";
import { RangeBuffer } from "./ranges";
import { explainScore, type ScoredDocument, scoreDocument, scoreName } from "./score";
import type { TextWindow } from "./window";

/** What looking at documents cost. */
export interface EvaluationCounts extends FinderCounts {
  filesConsidered: number;
  filesLoaded: number;
  filesSkipped: number;
}

/** A document that matches. Ranges in its text, or in its name where there are none, are `ranges[from … to)`. */
export interface DocumentHit {
  readonly document: number;
  readonly from: number;
  readonly to: number;
  readonly inName: boolean;
  readonly matchCount: number;
  /** What its name is worth. */
  readonly nameScore: number;
  /** What it is worth that ranges lie in names of definitions. */
  readonly definitionScore: number;
  readonly score: number;
}

export interface EvaluationOptions {
  readonly window: TextWindow;
  readonly counts: EvaluationCounts;
  /** Stop after the document with which this many matches are found. */
  readonly maxMatches: number;
  /** Matches are counted and forgotten. */
  readonly countOnly: boolean;
  readonly isPreferred: (document: number) => boolean;
}

/** Documents whose name answers the query are looked at first, at most so many of them. */
const maxNamedFirst = 1000;
/** So many documents of a shard are looked at without what is only worth it for all of them. */
const maxFewDocuments = 40;
/** The clock is read once in so many documents, or blocks of long ones. */
const blocksPerLook = 16;
const blockShift = 12;

/**
 * One query on one shard, in steps: `step` looks at documents until its time is over and can be called again.
 *
 * A step may be stopped from outside at any instruction (a guarded expression that ran too long). What was found is
 * added by one assignment a document, so nothing is counted twice or half: `skipTo` goes on from there.
 */
export class ShardEvaluation {
  readonly view: ShardView;
  readonly ranges = new RangeBuffer();
  readonly hits: DocumentHit[] = [];
  matchCount = 0;
  fileCount = 0;
  /** No candidate was left out. */
  finished = false;
  readonly #compiled: CompiledQuery;
  readonly #options: EvaluationOptions;
  #tree: MatchTree | undefined;
  #candidates: Bitset | undefined;
  #namedFirst: readonly number[] = [];
  #namedAt = 0;
  #next = 0;
  /** The last document that counts. */
  #counted = -1;
  readonly #names: NameFinder[] = [];
  #countOnly = false;
  #termCount = 0;

  constructor(view: ShardView, compiled: CompiledQuery, options: EvaluationOptions) {
    this.view = view;
    this.#compiled = compiled;
    this.#options = options;
  }

  /** Looks up the postings and names; expressions on names run here. Gives false where nothing can match. */
  prepare(mode: RunMode): boolean {
    const { window, counts } = this.#options;
    const { reader } = this.view;
    const before = reader.indexBytesLoaded;
    const few = fewDocuments(this.view);
    const tree = buildMatchTree(this.#compiled, { view: this.view, window, counts, mode, few });
    const bound = boundOf(tree);
    const candidates = bound === undefined ? this.view.universe.copy() : bound.intersect(this.view.universe);
    this.#termCount = countTerms(tree);
    this.#countOnly = this.#options.countOnly && this.#termCount < 2;
    this.#namedFirst = isExact(tree) ? [] : namedFirst(tree, candidates);
    counts.indexBytesLoaded += reader.indexBytesLoaded - before;
    this.#tree = tree;
    this.#candidates = candidates;
    return !candidates.isEmpty();
  }

  /** The document that `step` is at, for going on behind one that took too long. */
  get current(): number {
    return this.#namedFirst[this.#namedAt] ?? this.#next;
  }

  /** Looks at documents until all are done, the limit is reached, or `isOver` says so. Gives whether it is done. */
  step(mode: RunMode, isOver: () => boolean): boolean {
    const { maxMatches } = this.#options;
    for (let blocks = 0; ; ) {
      if (this.matchCount >= maxMatches) return true;
      if (blocks >= blocksPerLook) {
        blocks = 0;
        if (isOver()) return false;
      }
      if (!this.#advance()) {
        this.finished = true;
        return true;
      }
      const document = this.current;
      blocks += 1 + (this.view.reader.contentLength(document) >>> blockShift);
      this.#look(document, mode);
      this.#leave();
    }
  }

  /** Looks at the current document alone, in another mode, and goes behind it. */
  lookAtCurrent(mode: RunMode): void {
    if (!this.#advance()) return;
    this.#look(this.current, mode);
    this.#leave();
  }

  /** Gives up the current document. */
  skipCurrent(): void {
    this.#options.counts.filesSkipped++;
    this.#leave();
  }

  #advance(): boolean {
    if (this.#namedAt < this.#namedFirst.length) return true;
    const next = this.#candidates?.next(this.#next) ?? -1;
    if (next < 0) return false;
    this.#next = next;
    return true;
  }

  #leave(): void {
    const document = this.current;
    this.#candidates?.delete(document);
    if (this.#namedAt < this.#namedFirst.length) this.#namedAt++;
  }

  #look(document: number, mode: RunMode): void {
    const tree = this.#tree;
    // A step that was stopped between finding this document and leaving it has done the work.
    if (tree === undefined || this.#counted === document) return;
    const { counts } = this.#options;
    const from = this.hits.at(-1)?.to ?? 0;
    const ranges = this.ranges;
    ranges.length = from;
    const names = this.#names;
    names.length = 0;
    const look: Look = { document, ranges, names, mode, countOnly: this.#countOnly, count: 0 };
    counts.filesConsidered++;
    if (!holds(tree, look)) return;
    if (look.count > 0) counts.filesLoaded++;
    if (this.#compiled.namesOnly) ranges.length = from;
    else if (this.#termCount > 1) ranges.normalize(from);
    const inName = look.count === 0 || this.#compiled.namesOnly;
    if (inName && this.view.reader.skipReason(document) !== undefined) counts.filesSkipped++;
    const nameScore = this.#countOnly && !inName ? 0 : this.#addNameRanges(document, inName);
    const matchCount = this.#countOnly && !inName ? look.count : ranges.length - from;
    if (!this.#options.countOnly) {
      const definitionScore = inName ? 0 : this.#definitionScore(document, from);
      const hit = { document, from, to: ranges.length, inName, matchCount, nameScore, definitionScore };
      const score = scoreDocument(this.#scored(hit));
      this.hits.push({ ...hit, score });
    }
    this.#counted = document;
    this.matchCount += matchCount;
    this.fileCount++;
  }

  #definitionScore(document: number, from: number): number {
    const { symbols } = this.view;
    return symbols === undefined ? 0 : scoreDefinitions(symbols, document, this.ranges, from);
  }

  /** Ranges in the name stay where the text has none; else they only tell the score. */
  #addNameRanges(document: number, inName: boolean): number {
    const { ranges } = this;
    const from = ranges.length;
    const finders = this.#names;
    if (finders.length === 0 && !inName) return 0;
    for (const finder of finders) finder.find(document, ranges);
    if (finders.length > 1) ranges.normalize(from);
    const path = this.view.reader.path(document);
    const score = scoreName(path, ranges, from, ranges.length);
    if (!inName) ranges.length = from;
    else if (ranges.length === from) ranges.push(0, path.length, 0, 0);
    return score;
  }

  /** How a hit's score came about. */
  explain(hit: DocumentHit): string {
    return explainScore(this.#scored(hit));
  }

  /** Ranges in the name tell nothing about the text. */
  #scored(hit: Omit<DocumentHit, "score">): ScoredDocument {
    return {
      ranges: this.ranges,
      from: hit.inName ? hit.to : hit.from,
      to: hit.to,
      matchCount: hit.matchCount,
      termCount: this.#termCount,
      nameScore: hit.nameScore,
      definitionScore: hit.definitionScore,
      categoryIndex: this.view.reader.categoryIndex(hit.document),
      isPreferred: this.#options.isPreferred(hit.document),
    };
  }
}

function fewDocuments({ reader, universe }: ShardView): FewDocuments | undefined {
  if (universe.count() > maxFewDocuments) return undefined;
  const documents: number[] = [];
  const blocks: number[] = [];
  for (let document = universe.next(0); document >= 0; document = universe.next(document + 1)) {
    documents.push(document);
    const end = reader.firstBlocks[document + 1] ?? 0;
    for (let block = reader.firstBlocks[document] ?? 0; block < end; block++) blocks.push(block);
  }
  return { documents: Uint32Array.from(documents), blocks: Uint32Array.from(blocks) };
}

/** Candidates whose base name a term hits, in the shard's order. */
function namedFirst(tree: MatchTree, candidates: Bitset): number[] {
  const named: number[] = [];
  const finders = allNameFinders(tree);
  if (finders.length === 0) return named;
  const set = finders[0]?.documents.copy();
  for (const finder of finders.slice(1)) set?.unite(finder.documents);
  if (set === undefined) return named;
  set.intersect(candidates);
  for (let at = set.next(0); at >= 0 && named.length < maxNamedFirst; at = set.next(at + 1)) named.push(at);
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
    default:
      return [];
  }
}
