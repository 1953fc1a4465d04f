/** How much a search returns, and how long it may take. */
export interface Limits {
  /** Ranges in the result; a search stops soon after it has found more. `Infinity` counts everything. */
  readonly maxMatches: number;
  /** Ranges that are returned with their chunks, at most `maxMatches`. With 0, matches are only counted. */
  readonly maxDisplayedMatches: number;
  /** Ranges of one document that are returned and that count for the other limits. Absent: all. */
  readonly maxMatchesPerFile?: number | undefined;
  /** Lines of context before and after each range. */
  readonly contextLines: number;
  /** Whether to return the whole text of each document. */
  readonly returnsContent: boolean;
  /** When to stop and return a partial result, in milliseconds of `monotonicNow`. */
  readonly deadline: number;
  /** Approximate bytes of the files in the response. */
  readonly maxResponseBytes: number;
  /** Whether to explain the score of each file. */
  readonly explainsScores: boolean;
  /** Whether to return the definitions that enclose chunks. Default: false. */
  readonly findsEnclosing?: boolean;
  /** Whether to return no chunks, only how many matches each document has; or the languages for which. Default: false. */
  readonly omitsChunks?: boolean | readonly string[];
}

export const defaultTimeLimitMs = 10_000;
export const maxResponseBytes = 64 * 1024 * 1024;
