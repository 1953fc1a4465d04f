/** What a person has put into the search box, and the request that it means. Pure: knows no VS Code. */
import type { SentOf } from "#contract/service";
import { grouped } from "./queryText";

/** Ranges that "Show All" asks for: the most that the service gives. */
export const allMatches = 100_000;

export type CaseSensitivity = "smart" | "insensitive" | "sensitive";

/** Plain data: it is kept in histories and sent to the webview. */
export interface SearchState {
  readonly query: string;
  readonly caseSensitivity: CaseSensitivity;
  readonly isWholeWord: boolean;
  readonly isRegex: boolean;
  /** Each is one more condition on the same file. */
  readonly narrowed: readonly string[];
}

export function isEmpty({ query, narrowed }: Pick<SearchState, "query" | "narrowed">): boolean {
  return query.trim() === "" && narrowed.length === 0;
}

/** What settings add to a query that does not say it itself. */
export interface QueryDefaults {
  /** `repo:` or `context:` filters of the chosen scope, or empty. */
  readonly scope: string;
  /** `rev:` filters of the chosen revisions, or empty. */
  readonly revisions: string;
  readonly includeArchived: boolean;
}

/** The whole text that is searched for: what the box says, narrowed, with the defaults that it leaves open. */
function sentQuery({ query, caseSensitivity, narrowed }: SearchState, defaults: QueryDefaults): string {
  const parts = [query, ...narrowed].filter((part) => part.trim() !== "");
  // An `or` at the top level would take what is added for its right side.
  const text = parts.map(grouped).join(" ");
  const says = (pattern: RegExp) => parts.some((part) => pattern.test(part));
  return [
    text,
    ...(caseSensitivity === "smart" && !says(/(?:^|[\s(])case:/) ? ["case:auto"] : []),
    ...(says(/(?:^|[\s(-])(?:repo|r|context|scope|reposet):/) ? [] : [defaults.scope]),
    ...(says(/(?:^|[\s(-])(?:rev|branch|b|revision):|repo:\S+@/) ? [] : [defaults.revisions]),
    ...(defaults.includeArchived || says(/(?:^|[\s(-])archived:/) ? [] : ["archived:no"]),
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** `matches`: ranges in the answer, at most. */
export function searchRequest(
  state: SearchState,
  defaults: QueryDefaults,
  matches: number,
): SentOf<"streamSearch"> {
  return {
    query: sentQuery(state, defaults),
    matches,
    isRegexEnabled: state.isRegex,
    isCaseSensitivityEnabled: state.caseSensitivity === "sensitive",
    isWholeWordEnabled: state.isWholeWord,
    explain: true,
  };
}
