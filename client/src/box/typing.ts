/** Decides whether a query is searched while the user types. Pure: does not use VS Code. */

import type { SearchState } from "#client/search/searchState";
import type { StatusInput } from "#client/search/status";
import type { QueryExplanation } from "#contract/queries";

/** Shorter queries match too much to be useful. */
const minCharacters = 3;

/** How long typing must pause before a search, in milliseconds. Half a regular expression seldom means anything. */
export function pauseAfterTypingMs({ isRegex }: Pick<SearchState, "isRegex">): number {
  return isRegex ? 150 : 100;
}

/** Returns why a search waits for Enter; undefined if it runs at once. */
export function waitReasonFor(
  { query, narrowed }: Pick<SearchState, "query" | "narrowed">,
  { problems, hasText, isCheap }: Omit<QueryExplanation, "filters">,
  isOnType: boolean,
): StatusInput["waitReason"] {
  if (query.trim() === "" && narrowed.length === 0) return undefined;
  if (problems.some(({ severity }) => severity === "error")) return "invalid";
  if (!isOnType) return "enter";
  if (query.trim().length < minCharacters) return "short";
  if (!isCheap) return "costly";
  return hasText ? undefined : "enter";
}
