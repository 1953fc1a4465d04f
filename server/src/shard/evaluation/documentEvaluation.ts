import type { RangeBuffer } from "#shard/matches/ranges";
import type { RunMode } from "./expressionRun";
import type { NameFinder } from "./nameFinder";

/** The evaluation of a match tree on one document, and what it has found so far. */
export interface DocumentEvaluation {
  readonly document: number;
  readonly ranges: RangeBuffer;
  /** Collects the finders that match the path of the document. */
  readonly names: NameFinder[];
  readonly mode: RunMode;
  /** Ranges are only counted. Requires that at most one finder reads text. */
  readonly isCountOnly: boolean;
  /** Matches in text, whether or not their ranges were appended. */
  count: number;
}
