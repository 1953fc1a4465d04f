/** The rows that only the person at this computer may ask: they change and watch what the house keeps. */
import { ServiceError, throwIfAborted } from "#base/error";
import type { Catalogue } from "#catalogue/catalogue";
import type { IndexingEnd, IndexingProgress } from "#contract/local";
import type { Handler, Service } from "#contract/service";
import type { Repository, RepositoryId } from "#model/repository";
import type { Symbolizer } from "#sync/symbolizer";
import type { Sync } from "#sync/sync";

export function localRows(
  catalogue: Catalogue,
  sync: Sync,
  symbolizer: Symbolizer,
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
      const before = { paths: catalogue.paths.length, excluded: new Set(catalogue.excluded) };
      const forgotten = await sync.removePaths(paths);
      const excluded = catalogue.excluded.filter((path) => !before.excluded.has(path));
      const isKnown = forgotten.length > 0 || catalogue.paths.length < before.paths;
      if (!isKnown) throw notRemembered(paths, before.excluded);
      return { repositories: forgotten.map(({ name }) => name), excluded };
    },
    async removeRepositories({ repositories }) {
      await sync.removeRepositories(idsOf(repositories, catalogue));
      return {};
    },
    async reindex({ repositories }) {
      sync.reindex(idsOf(repositories, catalogue));
      return {};
    },
    indexing: indexingHandler(catalogue, sync, symbolizer),
    async clones() {
      const clones = catalogue.all().map(({ id, name, path, kind }) => ({
        repositoryId: id,
        repository: name,
        folder: path,
        isBare: kind === "bare",
      }));
      return { clones };
    },
    siblings: (_request, { folders = [], signal }) => sync.siblings(folders, signal),
  };
}

/** Of all of them, or none: a name that nothing has is NOT_FOUND. */
function idsOf(names: readonly string[], catalogue: Catalogue): RepositoryId[] {
  return names.map((name) => {
    const repository = catalogue.byName(name);
    if (repository !== undefined) return repository.id;
    throw new ServiceError("NOT_FOUND", `Repository "${name}" not found.`);
  });
}

function notRemembered(paths: readonly string[], excluded: ReadonlySet<string>): ServiceError {
  const removed = paths.find((path) => excluded.has(path));
  const reason = removed === undefined ? "was never added" : "was removed already";
  return new ServiceError("NOT_FOUND", `${removed ?? paths.join(" and ")} ${reason}.`);
}

/** Several changes are told at once: a person sees no more, and a slow reader is not swamped. */
const gatherMs = 150;

function indexingHandler(catalogue: Catalogue, sync: Sync, symbolizer: Symbolizer): Handler<"indexing"> {
  return async ({ follow, withSymbols }, { signal, emit }) => {
    // While indexing rests, nothing is parsed either.
    const isParsed = () => !withSymbols || sync.isPaused || symbolizer.isAtRest;
    const changed = new Map<RepositoryId, Repository>();
    for (const repository of catalogue.all()) {
      if (repository.state !== "ready") changed.set(repository.id, repository);
    }
    let hasRemoved = false;
    let wake = () => {};
    const unsubscribe = catalogue.onChange(({ kind, repository }) => {
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
        const isDone = sync.isAtRest && isParsed();
        if (changed.size > 0 || hasRemoved) {
          const told = [...changed.values()];
          changed.clear();
          hasRemoved = false;
          await emit?.(progressOf(told, catalogue.all()));
        }
        if (isDone && !follow) return endOf(catalogue.all());
        if (isDone) {
          await until((resolve) => {
            wake = resolve;
          }, signal);
        }
        await until((resolve) => setTimeout(resolve, gatherMs), signal);
      }
    } finally {
      unsubscribe();
    }
  };
}

function progressOf(changed: readonly Repository[], all: readonly Repository[]): IndexingProgress {
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

function endOf(all: readonly Repository[]): IndexingEnd {
  const failed = all
    .filter(({ state }) => state === "failed")
    .map(({ name, lastError }) => ({ repository: name, error: lastError ?? "No reason is known." }));
  return { total: all.length, ready: countReady(all), failed };
}

function countReady(all: readonly Repository[]): number {
  return all.reduce((count, { state }) => count + (state === "ready" ? 1 : 0), 0);
}

/** Resolves when `start` says so or the signal fires. */
function until(start: (resolve: () => void) => void, signal: AbortSignal): Promise<void> {
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
