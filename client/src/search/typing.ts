/** Whether a text that is still being written is searched for at once. Pure: knows no VS Code. */
import type { QueryReading } from "#contract/queries";
import type { SearchState } from "./searchState";
import type { StatusFacts } from "./status";

/** Fewer characters find too much to be of use. */
const charactersAtLeast = 3;

/** How long a person pauses before the text is looked at, in milliseconds: half an expression seldom means anything. */
export function pauseAfterTypingMs({ isRegex }: Pick<SearchState, "isRegex">): number {
  return isRegex ? 150 : 100;
}

/** What a search waits for; undefined where it need not wait. */
export function waitsFor(
  { query, narrowed }: Pick<SearchState, "query" | "narrowed">,
  { problems, hasText, isCheap }: Omit<QueryReading, "filters">,
  isOnType: boolean,
): StatusFacts["waits"] {
  if (query.trim() === "" && narrowed.length === 0) return undefined;
  if (problems.some(({ severity }) => severity === "error")) return "mend";
  if (!isOnType) return "enter";
  if (query.trim().length < charactersAtLeast) return "short";
  if (!isCheap) return "costly";
  return hasText ? undefined : "enter";
}
