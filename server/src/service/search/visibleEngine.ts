/**
 * The engine of callers who see some repositories only. Whatever a handler asks for, the engine searches no others, so
 * that they neither use up limits nor take part in the ranking.
 */
import type { Engine } from "#engine/engine";
import type { RepositoryId } from "#model/repository";
import { noStats, type SearchStats } from "#model/stats";
import type { RepositoryView } from "#service/repositories/repositoryView";

type Wanted = ReadonlySet<RepositoryId> | "all";

/** Returns an engine that contains only the repositories of `view`. */
export function visibleEngine(engine: Engine, view: RepositoryView): Engine {
  const limited = <Request extends { readonly repositories: Wanted }>(request: Request): Request => ({
    ...request,
    repositories: visibleOf(request.repositories, view),
  });
  return {
    async search(plan, signal, onFiles) {
      const result = await engine.search(limited(plan), signal, onFiles);
      return { ...result, stats: withoutCosts(result.stats) };
    },
    count: (request, signal) => engine.count(limited(request), signal),
    findSymbols: (request, signal) => engine.findSymbols(limited(request), signal),
    async readDocuments(requests, signal) {
      const allowed = requests.filter(({ repositoryId }) => view.get(repositoryId) !== undefined);
      const found = await engine.readDocuments(allowed, signal);
      const byRequest = new Map(allowed.map((request, index) => [request, found[index]]));
      return requests.map((request) => byRequest.get(request));
    },
    close: () => engine.close(),
  };
}

function visibleOf(wanted: Wanted, view: RepositoryView): ReadonlySet<RepositoryId> {
  if (wanted === "all") return new Set([...view.all(), ...view.packages()].map(({ id }) => id));
  return new Set([...wanted].filter((id) => view.get(id) !== undefined));
}

/**
 * Omits what the search had to read, because small repositories share a shard: its posting lists would reveal which
 * words the hidden ones contain.
 */
function withoutCosts(stats: SearchStats): SearchStats {
  const { actualMatchCount, totalMatchCount, duration, wait, fileCount } = stats;
  const { filesSkipped, filesMissing, crashes, flushReason } = stats;
  const reported = { actualMatchCount, totalMatchCount, duration, wait, fileCount };
  return { ...noStats, ...reported, filesSkipped, filesMissing, crashes, flushReason };
}
