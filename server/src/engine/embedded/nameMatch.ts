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
