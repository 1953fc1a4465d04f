/** The content of the search box, and the request that it is sent as. Pure: does not use VS Code. */

import { grouped, maskPhrases, withConditions } from "#contract/queryText";
import type { RequestInput } from "#contract/service";

/** Limit of matches for "Show All": the maximum that the service allows. */
export const allMatches = 100_000;

export type CaseSensitivity = "smart" | "insensitive" | "sensitive";

/** Plain data: it is stored in the history and sent to the webview. */
export interface SearchState {
  readonly query: string;
  readonly caseSensitivity: CaseSensitivity;
  readonly isWholeWord: boolean;
  readonly isRegex: boolean;
  /** Further conditions on the same file, each a query. */
  readonly narrowed: readonly string[];
}

export function isEmpty({ query, narrowed }: Pick<SearchState, "query" | "narrowed">): boolean {
  return query.trim() === "" && narrowed.length === 0;
}

/** What the settings add to a query that does not specify it. */
export interface QueryDefaults {
  /** `repo:` or `context:` filters of the chosen scope, or empty. */
  readonly scope: string;
  /** `rev:` filters of the chosen revisions, or empty. */
  readonly revisions: string;
  readonly includeArchived: boolean;
}

/** Returns the query to send: the query in the box, narrowed, with defaults for what it does not specify. */
function sentQuery({ query, caseSensitivity, narrowed }: SearchState, defaults: QueryDefaults): string {
  const parts = [query, ...narrowed].filter((part) => part.trim() !== "");
  const [first = "", ...others] = parts;
  const mentions = (pattern: RegExp) => parts.some((part) => pattern.test(maskPhrases(part)));
  const conditions = [
    // With AND, the words of the query still form a phrase of their own.
    ...others.map((part) => `AND ${grouped(part)}`),
    ...(caseSensitivity === "smart" && !mentions(/(?:^|[\s(])case:/) ? ["case:auto"] : []),
    ...(mentions(/(?:^|[\s(-])(?:repo|r|context|scope|reposet):/) ? [] : [defaults.scope]),
    ...(mentions(/(?:^|[\s(-])(?:rev|branch|b|revision):|repo:\S+@/) ? [] : [defaults.revisions]),
    ...(defaults.includeArchived || mentions(/(?:^|[\s(-])archived:/) ? [] : ["archived:no"]),
  ].filter((part) => part !== "");
  return withConditions(first, conditions.join(" "));
}

/** Builds the request; `matches` is the limit on matches in the response. */
export function searchRequest(
  state: SearchState,
  defaults: QueryDefaults,
  matches: number,
): RequestInput<"streamSearch"> {
  return {
    query: sentQuery(state, defaults),
    matches,
    isRegexEnabled: state.isRegex,
    isCaseSensitivityEnabled: state.caseSensitivity === "sensitive",
    isWholeWordEnabled: state.isWholeWord,
    explain: true,
  };
}
