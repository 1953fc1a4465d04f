/** The row `indexing`: what the catalogue says while repositories are brought up to date. */
import { throwIfAborted } from "#base/error";
import type { Catalogue } from "#catalogue/catalogue";
import type { IndexingProgress } from "#contract/local";
import type { Handler } from "#contract/service";
import type { Repository, RepositoryId } from "#model/repository";

/** Several changes are told at once: a person sees no more, and a slow reader is not swamped. */
const gatherMs = 150;

/** `isScanning`: whether folders are still being looked through, so that there may be more to come. */
export function indexingHandler(catalogue: Catalogue, isScanning: () => boolean): Handler<"indexing"> {
  return async ({ follow }, { signal, emit }) => {
    const changed = new Map<RepositoryId, Repository>();
    for (const repository of catalogue.all())
      if (!isSettled(repository)) changed.set(repository.id, repository);
    let wake = () => {};
    const unsubscribe = catalogue.onChange(({ kind, repository }) => {
      wake();
      if (kind === "changed") changed.set(repository.id, repository);
      else changed.delete(repository.id);
    });
    try {
      for (;;) {
        throwIfAborted(signal);
        const all = catalogue.all();
        const isDone = !isScanning() && all.every(isSettled);
        if (changed.size > 0) {
          const told = [...changed.values()];
          changed.clear();
          await emit?.(progressOf(told, all));
        }
        if (isDone && !follow) return endOf(all);
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

function isSettled({ state }: Repository): boolean {
  return state === "ready" || state === "failed";
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
    ready: all.filter(({ state }) => state === "ready").length,
  };
}

function endOf(all: readonly Repository[]) {
  const failed = all
    .filter(({ state }) => state === "failed")
    .map(({ name, lastError }) => ({ repository: name, error: lastError ?? "No reason is known." }));
  return { total: all.length, ready: all.length - failed.length, failed };
}

function until(start: (resolve: () => void) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal.removeEventListener("abort", end);
      resolve();
    };
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    start(end);
  });
}
