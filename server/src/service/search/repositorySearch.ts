/**
 * `type:repo`: finds the repositories with a match, instead of the matches.
 *
 * Engines return files, so the search runs in rounds, each without the repositories found so far, until a round finds
 * nothing new. A few rounds suffice, because each returns files of many repositories.
 */
import type { Engine, SearchPlan } from "#engine/engine";
import type { Repository, RepositoryId } from "#model/repository";
import { addStats, noStats, type SearchStats } from "#model/stats";
import { simplifyQuery } from "#query/analysis/simplify";
import type { Query } from "#query/query";
import { decidedRepositories, possibleRepositories } from "#service/repositories/repositoryFilters";
import { byStars } from "#service/repositories/stars";

export interface FoundRepositories {
  /**
   * Those with a topic that is a word of the query, then the others, each ordered by their best files. If filters alone
   * decide the query: ordered by stars, then by name.
   */
  readonly ids: readonly RepositoryId[];
  readonly stats: SearchStats;
}

const matchesPerRound = 1000;

/**
 * Finds at most `maxCount` repositories in which `query`, the child of a `type:repo`, matches. `searched` is sorted by
 * name.
 */
export async function findRepositories(
  engine: Engine,
  plan: SearchPlan,
  query: Query,
  searched: readonly Repository[],
  maxCount: number,
  signal: AbortSignal,
): Promise<FoundRepositories> {
  const all = searched.map(({ id }) => id);
  const known = new Set<number>(all);
  const decided = decidedRepositories(query, known);
  if (decided !== undefined)
    return toFoundRepositories(
      maxCount,
      byStars(searched.filter(({ id }) => decided.has(id))).map(({ id }) => id),
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
  const words = wordsOf(query);
  const onTopic = new Set<number>(
    searched
      .filter(({ topics = [] }) => topics.some((topic) => words.has(topic.toLowerCase())))
      .map(({ id }) => id),
  );
  const ordered = [...ids.filter((id) => onTopic.has(id)), ...ids.filter((id) => !onTopic.has(id))];
  return toFoundRepositories(maxCount, ordered, stats);
}

/** Returns the literals that a query looks for in texts and names, in lower case. */
function wordsOf(query: Query): ReadonlySet<string> {
  switch (query.kind) {
    case "and":
    case "or":
      return new Set(query.children.flatMap((child) => [...wordsOf(child)]));
    case "text":
      return new Set(query.pattern.kind === "literal" ? [query.pattern.text.toLowerCase()] : []);
    default:
      return new Set();
  }
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
