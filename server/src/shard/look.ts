import type { RunMode } from "./expressionRun";
import type { NameFinder } from "./names";
import type { RangeBuffer } from "./ranges";

/** One look at one document, and what it has found. */
export interface Look {
  readonly document: number;
  readonly ranges: RangeBuffer;
  /** Gathers the finders of names that are true of the document. */
  readonly names: NameFinder[];
  readonly mode: RunMode;
  /** The ranges are only counted: allowed where one finder alone looks at text. */
  readonly countOnly: boolean;
  /** Matches in text, whether or not they were appended. */
  count: number;
}
