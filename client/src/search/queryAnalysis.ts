/** Has the service parse queries. Pure: does not use VS Code. */
import { CallError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import type { QueryExplanation } from "#contract/queries";
import type { SearchState } from "./searchState";

export interface QueryAnalysis {
  readonly state: SearchState;
  readonly interpretation: QueryExplanation;
  /** How each narrowing condition was parsed. */
  readonly narrowed: readonly QueryExplanation[];
}

const emptyInterpretation: QueryExplanation = { filters: [], problems: [], hasText: false, isCheap: false };

/** Returns the analysis of a state that the service has not parsed yet. */
export function emptyAnalysis(state: SearchState): QueryAnalysis {
  return { state, interpretation: emptyInterpretation, narrowed: [] };
}

/** Parses the query and its narrowing conditions. Rejects if the service does not respond. */
export async function analyzeQuery(
  service: Pick<ServiceClient, "call">,
  state: SearchState,
): Promise<QueryAnalysis> {
  const flags = {
    isRegexEnabled: state.isRegex,
    isCaseSensitivityEnabled: state.caseSensitivity === "sensitive",
  };
  const read = async (query: string) =>
    query.trim() === "" ? emptyInterpretation : service.call("readQuery", { ...flags, query });
  const [interpretation, narrowed] = await Promise.all([
    read(state.query),
    Promise.all(state.narrowed.map(read)),
  ]);
  return { state, interpretation, narrowed };
}

/** Returns the first error of the query or of a narrowing condition. */
export function errorIn({
  interpretation,
  narrowed,
}: Pick<QueryAnalysis, "interpretation" | "narrowed">): string | undefined {
  const problems = [interpretation, ...narrowed].flatMap((each) => each.problems);
  return problems.find(({ severity }) => severity === "error")?.message;
}

/**
 * Parses the query of a search that is about to run. Rejects with FAILED_TO_PARSE_QUERY if it is invalid: the request adds
 * filters to the text, which can hide an error or report another one.
 */
export async function checkQuery(
  service: Pick<ServiceClient, "call">,
  state: SearchState,
): Promise<QueryExplanation> {
  const analysis = await analyzeQuery(service, state);
  const error = errorIn(analysis);
  if (error !== undefined) throw new CallError("FAILED_TO_PARSE_QUERY", error);
  return analysis.interpretation;
}
