/** Ranks how closely a name matches the text of a query. */

/** A matching name, and how well it matches. */
export interface NameMatch {
  /** The number of the name in the symbol file. */
  readonly number: number;
  readonly name: string;
  /** Higher is closer. Takes precedence over the score of the definitions. */
  readonly closeness: number;
}

export interface TierMatches {
  readonly matches: readonly NameMatch[];
  /** Whether a limit was reached, so that some matching names may be missing. */
  readonly isTruncated: boolean;
}

/**
 * The ways in which a name can match. The rank takes precedence over everything else. The table lists the closest rank
 * first, the array the least close one.
 *
 * | the name | for example |
 * |---|---|
 * | is the text, ignoring case | `map`, `Map` |
 * | starts with it | `map`, `mapOf` |
 * | has words whose initials are the text | `chm`, `ConcurrentHashMap` |
 * | has words whose first initials are the text | `chm`, `ConcurrentHashMapTest` |
 * | has words that start with parts of it | `conmap`, `ConcurrentHashMap` |
 * | contains it at the start of a word | `map`, `HashMap` |
 * | contains it elsewhere | `map`, `bitmap` |
 * | contains its letters in order | `cnmp`, `ConcurrentHashMap` |
 */
const ranks = [
  "letters",
  "inside",
  "wordInside",
  "parts",
  "firstInitials",
  "allInitials",
  "beginning",
  "whole",
] as const;
export type Rank = (typeof ranks)[number];

/** The distance between ranks, greater than any cost. */
const rankStep = 10_000;

/** Combines a rank with a cost, 0 or more, for what the name contains besides the text. Higher is closer. */
export function closenessOf(rank: Rank, cost: number): number {
  return ranks.indexOf(rank) * rankStep - Math.min(rankStep - 1, cost);
}
