import type { SearchPlan } from "#engine/engine";
import type { Query } from "#query/query";

/** A plan for what the service wants to know itself: nothing unsaved, nothing around a match. */
export function ownPlan(
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
      whole: false,
      deadline,
      maxAnswerBytes: 1024 * 1024,
      explain: false,
    },
  };
}
