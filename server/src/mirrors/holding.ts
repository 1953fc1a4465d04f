/** What is known about the relation between a connection and a repository that it mirrors. */

export interface Holding {
  /** The scopes that contained it when it was last listed. */
  readonly scopes: readonly string[];
  /** Identifies the settings and credentials with which it was last seen, or last reported as gone. */
  readonly seenWith: string;
  /** Since when complete lists lack it, in milliseconds since 1970. */
  readonly unlistedSince?: number;
  /** When the host last said whether it exists. */
  readonly lookedUpAt?: number;
  /** When the host said that it is gone: ascending, at least a day apart. */
  readonly confirmations?: readonly number[];
  /** Set if the configuration no longer includes it. It is then hidden at once, and deleted later. */
  readonly released?: { readonly at: number; readonly reason: string };
}

export interface RemovalRules {
  /** How long a repository that is gone or excluded is kept. */
  readonly keepDays: number;
  /** How many times the host must say that a repository is gone. */
  readonly confirmations: number;
  /** The share of a connection's repositories that may disappear at once without a person's consent, 0 to 1. */
  readonly maxShare: number;
}

export const dayMs = 86_400_000;
