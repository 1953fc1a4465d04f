/** What the service of a leader knows about repositories. */
import type { Catalog } from "#catalog/catalog";
import type { RepositoryId } from "#model/repository";
import type { RepositoryView } from "#service/repositories/repositoryView";
import type { Sync } from "#sync/sync";

export function createRepositoryView(
  catalog: Catalog,
  sync: Sync,
  hasSymbols: (id: RepositoryId) => boolean,
): RepositoryView {
  return {
    isLimited: false,
    all: () => catalog.all(),
    packages: () => catalog.packages(),
    get: (id) => catalog.get(id),
    byName: (name) => catalog.byName(name) ?? catalog.byFormerName(name),
    containing: (path) => catalog.containing(path),
    // Until sync is idle, a commit or a saved file may not be in the index yet.
    isScanning: () => !sync.isIdle,
    hasUnknownRights: () => false,
    isScanningPackages: () => !sync.areDependenciesSettled,
    isPolled: (id) => sync.isPolled(id),
    hasSymbols,
    async indexRevision(id, name, timeMs, signal) {
      const isIndexed = await sync.indexRevision(id, name, timeMs, signal);
      return isIndexed === undefined ? "late" : isIndexed ? "indexed" : "absent";
    },
    restore: (id, timeMs, signal) => sync.storage.restore(id, timeMs, signal),
    evictionCount: () => sync.storage.evictions.count,
    wasEvictedSince: (id, count) => sync.storage.evictions.lastOf(id) > count,
    noteUse({ ids, revisions = [], open = [] }) {
      if (ids.length > 0) sync.storage.uses.use(ids);
      for (const { id, name } of revisions) sync.storage.uses.useRevision(id, name);
      sync.storage.uses.open(open);
    },
    skipped: (id, signal) => sync.skipped(id, signal),
    unparsed: (id, signal) => sync.unparsed(id, signal),
  };
}
