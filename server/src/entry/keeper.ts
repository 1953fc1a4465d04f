/** What keeps repositories current. */
import type { Catalogue, RepositoryFacts } from "#catalogue/catalogue";
import type { Configuration } from "#cli/configuration";
import { discover, type FoundRepository } from "#git/discover";
import { findPlace, readConfig } from "#git/place";
import { readRefs } from "#git/refs";
import { originUrl, remoteName } from "#git/remoteName";
import { allBranches, chooseRevisions } from "#git/revisions";
import type { Indexer } from "#indexing/indexing";
import type { Repository, RepositoryId } from "#model/repository";
import type { Manifest, ShardDirectory } from "#shard/directory";

export interface Keeper {
  add(paths: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  remove(paths: readonly string[]): Promise<readonly string[]>;
  isScanning(): boolean;
  damaged(file: string): void;
  close(): Promise<void>;
}

export function createKeeper(
  catalogue: Catalogue,
  directory: ShardDirectory,
  indexer: Indexer,
  { hosts }: Configuration,
): Keeper {
  const controller = new AbortController();
  const signal = controller.signal;
  let scanning = 0;
  const running = new Map<RepositoryId, Promise<void>>();
  const index = (repository: Repository): void => {
    if (running.has(repository.id)) return;
    running.set(
      repository.id,
      run(repository).finally(() => running.delete(repository.id)),
    );
  };
  async function run(repository: Repository): Promise<void> {
    const { id } = repository;
    catalogue.update(id, { state: "indexing", progress: 0 });
    try {
      let manifest: Manifest;
      if (repository.kind === "folder") {
        manifest = (await indexer.indexFolder(repository, undefined, { signal })).manifest;
        catalogue.update(id, { revisions: [] });
      } else {
        const place = findPlace(repository.path);
        if (place === undefined) throw new Error("gone");
        const refs = await readRefs(place, signal);
        const chosen = await chooseRevisions(place, refs, allBranches, signal);
        manifest = await indexer.index(repository, chosen, {
          signal,
          onProgress: (progress) => catalogue.update(id, { progress }),
        });
        catalogue.update(id, { revisions: chosen.revisions, defaultRevision: chosen.defaultRevision });
      }
      const sum = (f: (s: Manifest["segments"][number]) => number) =>
        manifest.segments.reduce((t, s) => t + f(s), 0);
      catalogue.update(id, {
        state: "ready",
        progress: undefined,
        lastError: undefined,
        indexedAt: Date.now(),
        documentCount: sum((s) => s.documentCount),
        skippedCount: sum((s) => s.skippedCount),
        contentBytes: sum((s) => s.contentBytes),
        indexBytes: sum((s) => s.shardBytes),
      });
    } catch (error) {
      if (signal.aborted) return;
      catalogue.update(id, { state: "failed", progress: undefined, lastError: String(error) });
    }
  }
  function factsOf({ kind, path, place }: FoundRepository): RepositoryFacts {
    const url = place === undefined ? undefined : originUrl(readConfig(place.commonDir));
    const remote = url === undefined ? undefined : remoteName(url, hosts);
    return {
      kind,
      path,
      ...(place === undefined ? {} : { gitDir: place.commonDir }),
      ...(remote === undefined
        ? { codeHostType: "genericGitHost" as const }
        : {
            remoteName: remote.name,
            codeHostType: remote.codeHostType,
            ...(remote.hostUrl === undefined ? {} : { hostUrl: remote.hostUrl }),
          }),
    };
  }
  return {
    async add(paths, callSignal) {
      const names: string[] = [];
      scanning++;
      try {
        for (const path of paths) {
          const { repositories } = await discover(path, callSignal);
          catalogue.rememberPath(path);
          for (const repository of catalogue.upsert(repositories.map(factsOf))) {
            names.push(repository.name);
            index(repository);
          }
        }
      } finally {
        scanning--;
      }
      return names;
    },
    async remove(paths) {
      const forgotten = paths.flatMap((path) => catalogue.forgetPath(path));
      for (const { id } of forgotten) await directory.remove(id);
      return forgotten.map(({ name }) => name);
    },
    isScanning: () => scanning > 0,
    damaged() {},
    async close() {
      controller.abort();
      await Promise.all(running.values());
    },
  };
}
