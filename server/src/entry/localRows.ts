/** The rows that only the person at this computer may ask: they change and watch what the house keeps. */
import { ServiceError, throwIfAborted } from "#base/error";
import type { Catalogue } from "#catalogue/catalogue";
import type { IndexingEnd, IndexingProgress } from "#contract/local";
import type { Handler, Service } from "#contract/service";
import type { Repository, RepositoryId } from "#model/repository";
import type { Sync } from "#sync/sync";

export function localRows(
  catalogue: Catalogue,
  sync: Sync,
): Pick<Service, "addPaths" | "removePaths" | "indexing"> {
  return {
    async addPaths({ paths }, { signal }) {
      const added = await sync.addPaths(paths, signal);
      return { repositories: [...new Set(added.map(({ name }) => name))] };
    },
    async removePaths({ paths }) {
      const given = new Set(catalogue.paths);
      const forgotten = await sync.removePaths(paths);
      const isKnown = forgotten.length > 0 || catalogue.paths.length < given.size;
      if (!isKnown) throw notRemembered(paths, catalogue);
      return { repositories: forgotten.map(({ name }) => name) };
    },
    indexing: indexingHandler(catalogue, sync),
  };
}

function notRemembered(paths: readonly string[], catalogue: Catalogue): ServiceError {
  for (const path of paths) {
    const around = catalogue.paths.find((given) => path.startsWith(given));
    if (around !== undefined) {
      return new ServiceError(
        "NOT_FOUND",
        `${path} is found through ${around}, which was added as a whole. Remove that, and add the rest of it again.`,
      );
    }
  }
  return new ServiceError("NOT_FOUND", `${paths.join(" and ")} was never added.`);
}

/** Several changes are told at once: a person sees no more, and a slow reader is not swamped. */
const gatherMs = 150;

function indexingHandler(catalogue: Catalogue, sync: Sync): Handler<"indexing"> {
  return async ({ follow }, { signal, emit }) => {
    const changed = new Map<RepositoryId, Repository>();
    for (const repository of catalogue.all()) {
      if (repository.state !== "ready") changed.set(repository.id, repository);
    }
    let wake = () => {};
    const unsubscribe = catalogue.onChange(({ kind, repository }) => {
      if (kind === "changed") changed.set(repository.id, repository);
      else changed.delete(repository.id);
      wake();
    });
    try {
      for (;;) {
        throwIfAborted(signal);
        const isDone = sync.isIdle;
        if (changed.size > 0) {
          const told = [...changed.values()];
          changed.clear();
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
