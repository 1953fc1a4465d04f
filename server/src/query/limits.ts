/** How much a search brings, and how long it may take. */
export interface Limits {
  /** Ranges in the answer; a search stops soon after it has found more. `Infinity` counts everything. */
  readonly maxMatches: number;
  /** Ranges that are brought with their chunks, at most `maxMatches`; 0 only counts. */
  readonly maxDisplayedMatches: number;
  readonly contextLines: number;
  /** Bring the whole text of each document. */
  readonly whole: boolean;
  /** Milliseconds since 1970 at which a partial answer is given. */
  readonly deadline: number;
  /** Bytes of text in the answer. */
  readonly maxAnswerBytes: number;
  /** Say in each file how its score came about. */
  readonly explain: boolean;
}

export const defaultTimeLimitMs = 10_000;
export const maxAnswerBytes = 64 * 1024 * 1024;
