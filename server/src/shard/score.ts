/**
 * How good a document's hits are. A score is a sum of what stands in this table, times the weight of what kind of
 * document it is; the order of documents in their shard decides between equals, so the order is always the same.
 *
 * | signal | worth |
 * |---|---|
 * | a range that begins and ends at the edge of a word, the best of the document | 500 |
 * | a range with one such edge | 50 |
 * | a term is the base name without its extension, begins or ends it, lies in it | 7000, 5500, 4000 |
 * | a range is the name of a definition, begins or ends it, lies in it | 7000, 4000, 2500 |
 * | that definition is a type, a function or macro, another one, local | 1000, 800, 400, half of it all |
 * | several terms lie within one line's reach, within ten lines' | 400, 200 |
 * | matches, by their logarithm | up to 100 |
 * | the repository is open in the editor or was used lately | 300 |
 */
import { documentCategories } from "#model/document";
import { endsAtEdge, type RangeBuffer, startsAtEdge } from "./ranges";

const wholeWord = 500;
const oneEdge = 50;
const baseName = { whole: 7000, edge: 5500, inside: 4000 };
const near = [
  { bytes: 120, score: 400 },
  { bytes: 1200, score: 200 },
] as const;
const perDoubling = 10;
const maxForCount = 100;
const preferredRepository = 300;

const categoryWeights: Readonly<Record<(typeof documentCategories)[number], number>> = {
  source: 1,
  documentation: 0.8,
  test: 0.6,
  generated: 0.35,
  vendored: 0.3,
};
const weights = documentCategories.map((category) => categoryWeights[category]);

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
}

export function scoreDocument(document: ScoredDocument): number {
  const sum =
    edgeScore(document) +
    document.nameScore +
    document.definitionScore +
    proximityScore(document) +
    Math.min(maxForCount, perDoubling * Math.log2(1 + document.matchCount)) +
    (document.isPreferred ? preferredRepository : 0);
  return sum * (weights[document.categoryIndex] ?? 1);
}

/** What something in a document is worth, which is good in itself by so much. */
export function weighDocument(quality: number, categoryIndex: number, isPreferred: boolean): number {
  return (quality + (isPreferred ? preferredRepository : 0)) * (weights[categoryIndex] ?? 1);
}

/** The most that `weighDocument` can give, whatever the document. */
export function bestWeight(quality: number, mayBePreferred: boolean): number {
  return Math.max(0, quality + (mayBePreferred ? preferredRepository : 0));
}

/** The same sum, term by term, for a person. */
export function explainScore(document: ScoredDocument): string {
  return [
    `edges ${edgeScore(document)}`,
    `name ${document.nameScore}`,
    `definition ${document.definitionScore}`,
    `near ${proximityScore(document)}`,
    `count ${Math.min(maxForCount, perDoubling * Math.log2(1 + document.matchCount)).toFixed(1)}`,
    `repository ${document.isPreferred ? preferredRepository : 0}`,
    `weight ${weights[document.categoryIndex] ?? 1}`,
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

/** How near all terms of the query come to each other, where it has several. */
function proximityScore({ ranges, from, to, termCount }: ScoredDocument): number {
  if (termCount < 2 || to - from < 2) return 0;
  const last = new Map<number, number>();
  let smallest = Number.POSITIVE_INFINITY;
  for (let at = from; at < to; at++) {
    last.delete(ranges.termAt(at));
    last.set(ranges.termAt(at), ranges.starts[at] ?? 0);
    if (last.size < termCount) continue;
    const [oldest] = last.values();
    smallest = Math.min(smallest, (ranges.ends[at] ?? 0) - (oldest ?? 0));
  }
  return near.find((step) => smallest <= step.bytes)?.score ?? 0;
}

/** The best of the ranges in a path. */
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
