/**
 * Scores documents by their matches. A score is the sum of these signals, times the weight of the document's category.
 * Equal scores are ordered by the position in the shard, so the order is deterministic.
 *
 * | signal | score |
 * |---|---|
 * | the best range starts and ends at a word boundary | 500 |
 * | the best range has one word boundary | 50 |
 * | a term is the base name without its extension, starts or ends it, or is within it | 7000, 5500, 4000 |
 * | a range is the name of a definition, starts or ends it, or is within it | 7000, 4000, 2500 |
 * | that definition is a type, a function or macro, anything else | 1000, 800, 400 |
 * | that definition is local | half of both |
 * | all terms are within the length of about one line, of ten lines | 400, 200 |
 * | the number of matches, logarithmically | up to 100 |
 * | the repository is open in the editor or was used recently | 300 |
 *
 * A document that contains the words of the query as a phrase gets another 20,000, whatever its category, which is more
 * than all other signals together. Each doubling of its repository's stars on the code host adds 1, up to 20, also
 * whatever its category, so that stars order equal results of different repositories and never those of one.
 */
import { documentCategories } from "#model/document";
import { endsAtEdge, maxTerms, type RangeBuffer, startsAtEdge } from "./ranges";

const wholeWord = 500;
const oneEdge = 50;
const baseName = { whole: 7000, edge: 5500, inside: 4000 };
const near = [
  { bytes: 120, score: 400 },
  { bytes: 1200, score: 200 },
] as const;
/** At this distance, or a greater one, terms are not near each other. */
export const farApartBytes = near[1].bytes + 1;
const perDoubling = 10;
const maxForCount = 100;
const preferredRepository = 300;
const wholePhrase = 20_000;

const categoryWeights: Readonly<Record<(typeof documentCategories)[number], number>> = {
  source: 1,
  documentation: 0.8,
  test: 0.6,
  generated: 0.35,
  vendored: 0.3,
};
const weights = documentCategories.map((category) => categoryWeights[category]);

/** The factor that the category of a document contributes to its score. */
export function categoryWeight(categoryIndex: number): number {
  return weights[categoryIndex] ?? 1;
}

export interface ScoredDocument {
  /** Ranges in its text are `ranges[from … to)`. */
  readonly ranges: RangeBuffer;
  readonly from: number;
  readonly to: number;
  readonly matchCount: number;
  readonly termCount: number;
  /** From `scoreName`. */
  readonly nameScore: number;
  /** From `scoreDefinitions`. */
  readonly definitionScore: number;
  readonly categoryIndex: number;
  readonly isPreferred: boolean;
  readonly hasPhrase: boolean;
  /** How often the stars of its repository have doubled: 0 to 20. */
  readonly starLevel: number;
}

export function scoreDocument(document: ScoredDocument): number {
  const sum =
    edgeScore(document) +
    document.nameScore +
    document.definitionScore +
    proximityScore(document) +
    Math.min(maxForCount, perDoubling * Math.log2(1 + document.matchCount)) +
    (document.isPreferred ? preferredRepository : 0);
  return sum * categoryWeight(document.categoryIndex) + phraseScore(document) + document.starLevel;
}

function phraseScore({ hasPhrase }: ScoredDocument): number {
  return hasPhrase ? wholePhrase : 0;
}

/** Weighs the score of a definition by the document that contains it. */
export function weighDocument(definitionScore: number, categoryIndex: number, isPreferred: boolean): number {
  return (definitionScore + (isPreferred ? preferredRepository : 0)) * categoryWeight(categoryIndex);
}

/** Returns the maximum of `weighDocument` over all documents. */
export function bestWeight(definitionScore: number, mayBePreferred: boolean): number {
  return Math.max(0, definitionScore + (mayBePreferred ? preferredRepository : 0));
}

/** Prints the signals of a score. */
export function explainScore(document: ScoredDocument): string {
  return [
    `edges ${edgeScore(document)}`,
    `name ${document.nameScore}`,
    `definition ${document.definitionScore}`,
    `near ${proximityScore(document)}`,
    `count ${Math.min(maxForCount, perDoubling * Math.log2(1 + document.matchCount)).toFixed(1)}`,
    `repository ${document.isPreferred ? preferredRepository : 0}`,
    `weight ${weights[document.categoryIndex] ?? 1}`,
    `phrase ${phraseScore(document)}`,
    `stars ${document.starLevel}`,
  ].join(", ");
}

function edgeScore({ ranges, from, to }: ScoredDocument): number {
  let best = 0;
  for (let at = from; at < to; at++) {
    const edges = (ranges.tags[at] ?? 0) & (startsAtEdge | endsAtEdge);
    if (edges === (startsAtEdge | endsAtEdge)) return wholeWord;
    if (edges !== 0) best = oneEdge;
  }
  return best;
}

/** Where each term was found last, or -1. Shared, because each document needs it only once. */
const lastStarts = new Int32Array(maxTerms + 1);

/** Scores how close the terms are to each other, if there are several. */
function proximityScore({ ranges, from, to, termCount }: ScoredDocument): number {
  if (termCount < 2 || termCount > lastStarts.length || to - from < termCount) return 0;
  const last = lastStarts.subarray(0, termCount).fill(-1);
  let oldest = -1;
  let smallest = Number.POSITIVE_INFINITY;
  for (let at = from; at < to; at++) {
    const term = ranges.termAt(at);
    const previous = last[term];
    last[term] = ranges.starts[at] ?? 0;
    // The ranges ascend, so the lowest of these starts changes only with its term. It is -1 until all terms were found.
    if (previous === oldest) oldest = lowest(last);
    if (oldest >= 0) smallest = Math.min(smallest, (ranges.ends[at] ?? 0) - oldest);
  }
  return near.find((step) => smallest <= step.bytes)?.score ?? 0;
}

function lowest(values: Int32Array): number {
  let lowestValue = values[0] ?? 0;
  for (const value of values) if (value < lowestValue) lowestValue = value;
  return lowestValue;
}

/** Returns the best score of the ranges `[from, to)` in a path. */
export function scoreName(path: Uint8Array, ranges: RangeBuffer, from: number, to: number): number {
  const start = path.lastIndexOf(0x2f) + 1;
  const dot = path.indexOf(0x2e, start + 1);
  const end = dot < 0 ? path.length : dot;
  let best = 0;
  for (let at = from; at < to; at++) {
    const rangeStart = ranges.starts[at] ?? 0;
    const rangeEnd = ranges.ends[at] ?? 0;
    if (rangeStart < start) continue;
    const begins = rangeStart === start;
    const ends = rangeEnd === end || rangeEnd === path.length;
    best = Math.max(best, begins && ends ? baseName.whole : begins || ends ? baseName.edge : baseName.inside);
  }
  return best;
}
