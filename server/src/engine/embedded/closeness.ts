/** How close a name is to what was asked for. */

/** A name that matches, and how well. */
export interface NameMatch {
  readonly number: number;
  readonly name: string;
  /** The closer, the more. It counts before whatever is known of the definitions of the name. */
  readonly closeness: number;
}

export interface TierMatches {
  readonly matches: readonly NameMatch[];
  /** There are more than are looked at: whoever gets so many goes on typing. */
  readonly isCut: boolean;
}

/**
 * What stands first is closer, however long a name is and whatever it names.
 *
 * | a name | for example |
 * |---|---|
 * | is the text, in the same capitals or in others | `map`, `Map` |
 * | begins with it | `map`, `mapOf` |
 * | has words that all begin with its letters | `chm`, `ConcurrentHashMap` |
 * | has words of which the first ones do | `chm`, `ConcurrentHashMapTest` |
 * | has words that begin with parts of it | `conmap`, `ConcurrentHashMap` |
 * | has it where a word begins | `map`, `HashMap` |
 * | has it elsewhere | `map`, `bitmap` |
 * | has its letters in their order | `cnmp`, `ConcurrentHashMap` |
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

/** More than a cost counts. */
const step = 10_000;

/** `cost`: what a name has besides, from 0. */
export function closenessOf(rank: Rank, cost: number): number {
  return ranks.indexOf(rank) * step - Math.min(step - 1, cost);
}
