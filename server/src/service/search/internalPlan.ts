import type { SearchPlan } from "#engine/engine";
import type { Query } from "#query/query";

/** Returns a plan for a search that the service runs for itself: without unsaved documents or context lines. */
export function createInternalPlan(
  query: Query,
  repositories: SearchPlan["repositories"],
  maxMatches: number,
  deadline: number,
): SearchPlan {
  return {
    query,
    repositories,
    unsaved: [],
    preferred: [],
    limits: {
      maxMatches,
      maxDisplayedMatches: maxMatches,
      contextLines: 0,
      returnsContent: false,
      deadline,
      maxResponseBytes: 2 * 1024 * 1024,
      explainsScores: false,
    },
  };
}
