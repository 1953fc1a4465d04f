/**
 * `type:repo`: the repositories that hold a match, instead of the matches.
 *
 * Engines give files, so they are asked in rounds: the repositories of one round are left out of the next, until
 * nothing is found any more. A few rounds find nearly all, because a round brings files of many repositories.
 */
import type { Engine, SearchPlan } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import { addStats, noStats, type SearchStats } from "#model/stats";
import type { Query } from "#query/query";
import { simplifyQuery } from "#query/simplify";
import { decidedRepositories, possibleRepositories } from "./repositoryFilters";

export interface FoundRepositories {
  /** Best first, as their best files are. */
  readonly ids: readonly RepositoryId[];
  readonly stats: SearchStats;
}

const matchesPerRound = 1000;

/** Finds at most `maxCount` of the repositories in which `query`, the child of a `type:repo`, matches. */
export async function findRepositories(
  engine: Engine,
  plan: SearchPlan,
  query: Query,
  all: readonly RepositoryId[],
  maxCount: number,
  signal: AbortSignal,
): Promise<FoundRepositories> {
  const known = new Set<number>(all);
  const decided = decidedRepositories(query, known);
  if (decided !== undefined)
    return upTo(
      maxCount,
      all.filter((id) => decided.has(id)),
      noStats,
    );

  const possible = possibleRepositories(query, known);
  const left = new Set(all.filter((id) => possible.has(id)));
  // Files that match, without their text.
  const bare = simplifyQuery({ kind: "type", type: "repo", child: query });
  const maxMatches = matchesPerRound;
  const limits = {
    ...plan.limits,
    maxMatches,
    maxDisplayedMatches: maxMatches,
    contextLines: 0,
    whole: false,
  };
  const ids: RepositoryId[] = [];
  let stats = noStats;
  for (let isFull = true; isFull && left.size > 0 && ids.length <= maxCount; ) {
    const round = await engine.search({ ...plan, query: bare, limits, repositories: new Set(left) }, signal);
    const fresh = [...new Set(round.files.map(({ repositoryId }) => repositoryId))].filter((id) =>
      left.delete(id),
    );
    ids.push(...fresh);
    // A round that was full is no reason to doubt the answer: the next one goes on from there.
    isFull = round.stats.flushReason === "MATCH_LIMIT" && fresh.length > 0;
    stats = addStats(stats, isFull ? { ...round.stats, flushReason: "NONE" } : round.stats);
  }
  return upTo(maxCount, ids, stats);
}

function upTo(maxCount: number, ids: readonly RepositoryId[], stats: SearchStats): FoundRepositories {
  const counts = { fileCount: ids.length, totalMatchCount: ids.length };
  const actualMatchCount = Math.min(ids.length, maxCount);
  const cut = ids.length > maxCount ? { ...noStats, flushReason: "MATCH_LIMIT" as const } : noStats;
  return {
    ids: ids.slice(0, maxCount),
    stats: addStats({ ...stats, ...counts, actualMatchCount }, cut),
  };
}
