/** Operations of the local user: adding and removing paths, reindexing, and following the progress of indexing. */
import { ServiceError, throwIfAborted } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import type { IndexingEnd, IndexingProgress } from "#contract/local";
import type { Handler, Service } from "#contract/service";
import type { Repository, RepositoryId } from "#model/repository";
import type { SymbolIndexer } from "#sync/symbolIndexer";
import type { Sync } from "#sync/sync";

export function localOperations(
  catalog: Catalog,
  sync: Sync,
  symbolizer: SymbolIndexer,
): Pick<
  Service,
  "addPaths" | "removePaths" | "removeRepositories" | "reindex" | "indexing" | "clones" | "siblings"
> {
  return {
    async addPaths({ paths, areOpen }, { signal }) {
      const added = await sync.addPaths(paths, signal, areOpen);
      return { repositories: [...new Set(added.map(({ name }) => name))] };
    },
    async removePaths({ paths }) {
      const before = { paths: catalog.paths.length, excluded: new Set(catalog.excluded) };
      const removed = await sync.removePaths(paths);
      const excluded = catalog.excluded.filter((path) => !before.excluded.has(path));
      const isKnown = removed.length > 0 || catalog.paths.length < before.paths;
      if (!isKnown) throw pathNotFound(paths, before.excluded);
      return { repositories: removed.map(({ name }) => name), excluded };
    },
    async removeRepositories({ repositories }) {
      await sync.removeRepositories(idsOf(repositories, catalog));
      return {};
    },
    async reindex({ repositories }) {
      sync.reindex(idsOf(repositories, catalog));
      return {};
    },
    indexing: indexingHandler(catalog, sync, symbolizer),
    async clones() {
      const clones = catalog.all().map(({ id, name, path, kind }) => ({
        repositoryId: id,
        repository: name,
        folder: path,
        isBare: kind === "bare",
        ...cloneUrlOf(path, sync),
      }));
      return { clones };
    },
    siblings: (_request, { folders = [], signal }) => sync.siblings(folders, signal),
  };
}

function cloneUrlOf(path: string, { codeHosts }: Sync): { readonly cloneUrl?: string } {
  const cloneUrl = codeHosts?.cloneUrlOf(path);
  return cloneUrl === undefined ? {} : { cloneUrl };
}

/** Returns the ids of repositories. Throws NOT_FOUND if one of the names is unknown. */
function idsOf(names: readonly string[], catalog: Catalog): RepositoryId[] {
  return names.map((name) => {
    const repository = catalog.byName(name);
    if (repository?.kind === "package")
      throw new ServiceError(
        "INVALID_REQUEST_BODY",
        `"${name}" is a dependency, which lock files add and remove.`,
      );
    if (repository !== undefined) return repository.id;
    throw new ServiceError("NOT_FOUND", `Repository "${name}" not found.`);
  });
}

function pathNotFound(paths: readonly string[], excluded: ReadonlySet<string>): ServiceError {
  const removed = paths.find((path) => excluded.has(path));
  const reason = removed === undefined ? "was never added" : "was already removed";
  return new ServiceError("NOT_FOUND", `${removed ?? paths.join(" and ")} ${reason}.`);
}

/** Changes within this time are sent as one event, so that slow readers are not flooded. */
const batchIntervalMs = 150;

function indexingHandler(catalog: Catalog, sync: Sync, symbolizer: SymbolIndexer): Handler<"indexing"> {
  return async ({ follow, withSymbols, withDependencies, withMirrors }, { signal, emit }) => {
    const areCloned = () => !withMirrors || sync.codeHosts === undefined || sync.codeHosts.isSettled;
    // While indexing is paused, no symbols are parsed either.
    const isParsed = () => !withSymbols || sync.isPaused || symbolizer.isSettled;
    const changed = new Map<RepositoryId, Repository>();
    for (const repository of catalog.all()) {
      if (repository.state !== "ready") changed.set(repository.id, repository);
    }
    let hasRemoved = false;
    let havePackagesChanged = false;
    let wake = () => {};
    let endBatch = () => {};
    // A caller that only waits for the end does not have to wait for the next event.
    if (!follow && !sync.isSettled) void sync.repositoriesIdle().then(() => endBatch());
    const unsubscribe = catalog.onChange(({ kind, repository }) => {
      // Thousands of packages would hide the repositories of the user.
      if (repository.kind === "package") {
        havePackagesChanged = withDependencies;
        return wake();
      }
      if (kind === "changed") changed.set(repository.id, repository);
      else {
        changed.delete(repository.id);
        hasRemoved = true;
      }
      wake();
    });
    try {
      for (;;) {
        throwIfAborted(signal);
        if (changed.size > 0 || hasRemoved || havePackagesChanged) {
          const batch = [...changed.values()];
          changed.clear();
          hasRemoved = false;
          havePackagesChanged = false;
          const progress = toIndexingProgress(batch, catalog.all());
          await emit?.(withDependencies ? { ...progress, packages: countPackages(catalog) } : progress);
        }
        // More may have changed while that was sent.
        const isReported = changed.size === 0 && !hasRemoved;
        const areIndexed = sync.isSettled && (!withDependencies || sync.areDependenciesSettled);
        const isDone = isReported && areCloned() && areIndexed && isParsed();
        if (isDone && !follow) return toIndexingEnd(catalog.all(), sync);
        if (isDone) {
          await waitUntil((resolve) => {
            wake = resolve;
          }, signal);
        }
        await waitUntil((resolve) => {
          const timer = setTimeout(resolve, batchIntervalMs);
          endBatch = () => {
            clearTimeout(timer);
            resolve();
          };
        }, signal);
      }
    } finally {
      unsubscribe();
    }
  };
}

function toIndexingProgress(changed: readonly Repository[], all: readonly Repository[]): IndexingProgress {
  return {
    repositories: changed.map(({ id, name, state, progress, lastError }) => ({
      repositoryId: id,
      repository: name,
      state,
      progress: progress ?? (state === "ready" ? 1 : 0),
      ...(lastError === undefined ? {} : { error: lastError }),
    })),
    total: all.length,
    ready: countReady(all),
  };
}

function toIndexingEnd(all: readonly Repository[], { codeHosts }: Sync): IndexingEnd {
  const { cloning = 0, listing = 0 } = codeHosts?.unfinished ?? {};
  const failed = all
    .filter(({ state }) => state === "failed")
    .map(({ name, lastError }) => ({ repository: name, error: lastError ?? "Unknown reason." }));
  return {
    total: all.length,
    ready: countReady(all),
    failed,
    ...(cloning === 0 ? {} : { cloning }),
    ...(listing === 0 ? {} : { listing }),
  };
}

function countPackages(catalog: Catalog): NonNullable<IndexingProgress["packages"]> {
  const packages = catalog.packages();
  return { total: packages.length, ready: countReady(packages) };
}

function countReady(all: readonly Repository[]): number {
  return all.reduce((count, { state }) => count + (state === "ready" ? 1 : 0), 0);
}

/** Resolves when `start` calls its argument, or when the signal fires. */
function waitUntil(start: (resolve: () => void) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      signal.removeEventListener("abort", end);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    start(end);
  });
}
