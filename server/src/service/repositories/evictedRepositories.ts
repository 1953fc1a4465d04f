/** Repositories without an index, because the index has reached its limit of disk space. */
import type { Repository, RepositoryId } from "#model/repository";
import { noStats, type SearchStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import type { Query } from "#query/query";
import { revisionMatcher } from "#query/revisionName";
import type { RepositoryView } from "./repositoryView";
import { revisionNames } from "./unindexedRevisions";

/** A query that names more evicted repositories than this indexes none of them: its filter is too general. */
const maxRestored = 5;
/** Share of the time of a request that indexing may take before the request continues without it. */
const indexingShare = 0.8;
/** Revisions are recorded as used only if a query names no more repositories. */
const maxNamedForRevisions = 100;

/** Whether a filter selects repositories, rather than excluding some. */
export function namesRepositories(query: Query): boolean {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.some(namesRepositories);
    case "type":
      return namesRepositories(query.child);
    case "repository":
    case "repositorySet":
    case "context":
    case "topic":
      return true;
    default:
      return false;
  }
}

/** Records that a query names these repositories, or revisions in them. */
export function noteNames(query: Query, named: readonly Repository[], view: RepositoryView): void {
  const matchers = revisionNames(query)
    .filter((name) => name !== "*" && name !== "HEAD")
    .map(revisionMatcher);
  const isNamed = namesRepositories(query);
  const revisions =
    named.length > maxNamedForRevisions || matchers.length === 0
      ? []
      : named.flatMap(({ id, revisions: indexed }) =>
          indexed
            .filter(({ name, commit }) => matchers.some((matches) => matches(name, commit)))
            .map(({ name }) => ({ id, name })),
        );
  view.noteUse({ ids: isNamed ? named.map(({ id }) => id) : [], revisions });
}

/**
 * Indexes those of the named repositories that were evicted, if they are few, and waits for that. Returns whether any of
 * them may have an index now.
 */
export async function restoreNamed(
  named: readonly Repository[],
  view: RepositoryView,
  { signal, deadline }: { readonly signal: AbortSignal; readonly deadline: number },
): Promise<boolean> {
  const evicted = named.filter(({ state }) => state === "evicted");
  if (evicted.length === 0 || evicted.length > maxRestored) return false;
  const timeMs = Math.max(0, Math.floor((deadline - monotonicNow()) * indexingShare));
  await Promise.all(evicted.map(({ id }) => view.restore(id, timeMs, signal)));
  return true;
}

/** Returns as statistics how many of these have no index, or lost it while they were searched. */
export function evictionGaps(
  ids: readonly RepositoryId[],
  view: RepositoryView,
  evictionCountBefore: number,
): SearchStats {
  const hasChanged = view.evictionCount() !== evictionCountBefore;
  const repositoriesEvicted = ids.filter(
    (id) =>
      view.get(id)?.state === "evicted" || (hasChanged && view.wasEvictedSince(id, evictionCountBefore)),
  ).length;
  return repositoriesEvicted === 0
    ? noStats
    : { ...noStats, repositoriesEvicted, flushReason: "REPOSITORY_EVICTED" };
}
