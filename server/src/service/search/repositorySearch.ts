/**
 * `type:repo`: finds the repositories with a match, instead of the matches.
 *
 * Engines return files, so the search runs in rounds, each without the repositories found so far, until a round finds
 * nothing new. A few rounds suffice, because each returns files of many repositories.
 */
import type { Engine, SearchPlan } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import { addStats, noStats, type SearchStats } from "#model/stats";
import { simplifyQuery } from "#query/analysis/simplify";
import type { Query } from "#query/query";
import { decidedRepositories, possibleRepositories } from "#service/repositories/repositoryFilters";

export interface FoundRepositories {
  /** Ordered by their best files. */
  readonly ids: readonly RepositoryId[];
  readonly stats: SearchStats;
}

const matchesPerRound = 1000;

/** Finds at most `maxCount` repositories in which `query`, the child of a `type:repo`, matches. */
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
    return toFoundRepositories(
      maxCount,
      all.filter((id) => decided.has(id)),
      noStats,
    );

  const possible = possibleRepositories(query, known);
  const remaining = new Set(all.filter((id) => possible.has(id)));
  // With this type, the engine returns the names of matching files but no text.
  const namesOnly = simplifyQuery({ kind: "type", type: "repo", child: query });
  const maxMatches = matchesPerRound;
  const limits = {
    ...plan.limits,
    maxMatches,
    maxDisplayedMatches: maxMatches,
    contextLines: 0,
    returnsContent: false,
  };
  const ids: RepositoryId[] = [];
  let stats = noStats;
  for (let isFull = true; isFull && remaining.size > 0 && ids.length <= maxCount; ) {
    const round = await engine.search(
      { ...plan, query: namesOnly, limits, repositories: new Set(remaining) },
      signal,
    );
    const newIds = [...new Set(round.files.map(({ repositoryId }) => repositoryId))].filter((id) =>
      remaining.delete(id),
    );
    ids.push(...newIds);
    // Reaching the match limit hides nothing, because the next round searches the remaining repositories.
    isFull = round.stats.flushReason === "MATCH_LIMIT" && newIds.length > 0;
    stats = addStats(stats, isFull ? { ...round.stats, flushReason: "NONE", filesMissing: 0 } : round.stats);
  }
  return toFoundRepositories(maxCount, ids, stats);
}

function toFoundRepositories(
  maxCount: number,
  ids: readonly RepositoryId[],
  stats: SearchStats,
): FoundRepositories {
  const counts = { fileCount: ids.length, totalMatchCount: ids.length };
  const actualMatchCount = Math.min(ids.length, maxCount);
  const truncation = ids.length > maxCount ? { ...noStats, flushReason: "MATCH_LIMIT" as const } : noStats;
  return {
    ids: ids.slice(0, maxCount),
    stats: addStats({ ...stats, ...counts, actualMatchCount }, truncation),
  };
}
