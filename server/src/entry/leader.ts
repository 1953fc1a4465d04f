/** The house of the process that holds the data folder: every room, wired. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { anonymousAllowed } from "#access/identify";
import { Catalogue } from "#catalogue/catalogue";
import type { Configuration } from "#cli/configuration";
import type { Purpose } from "#cli/instance";
import type { Caller } from "#contract/service";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import { Indexer } from "#indexing/indexing";
import { detectLanguage } from "#languages/detect";
import type { Log } from "#platform/log";
import { startThread, threadPool } from "#platform/workers";
import { defaultTimeLimitMs } from "#query/limits";
import { createService } from "#service/createService";
import { createDispatch } from "#service/dispatch";
import type { RepositoryView } from "#service/repositoryView";
import { ShardDirectory } from "#shard/directory";
import { indexingHandler } from "./indexingRow";
import { createKeeper } from "./keeper";
import { skippedDocuments } from "./skippedDocuments";

export interface Leader {
  readonly caller: Caller;
  close(): Promise<void>;
}

export async function buildLeader(
  configuration: Configuration,
  _purpose: Purpose,
  version: string,
  log: Log,
): Promise<Leader> {
  const { dataDir, host, anonymous, contexts, timeLimitMs = defaultTimeLimitMs } = configuration;
  const workers = Math.max(1, availableParallelism() - 1);
  const directory = await ShardDirectory.open(join(dataDir, "shards"));
  const catalogue = Catalogue.open(dataDir, { log, known: directory.manifests().values() });
  const indexWorkers = threadPool(join(__dirname, "indexWorker.js"), configuration.indexWorkers ?? workers);
  const indexer = new Indexer(indexWorkers as never, directory);
  const keeper = createKeeper(catalogue, directory, indexer, configuration);
  const engine = new EmbeddedEngine({
    directory,
    workerCount: configuration.searchWorkers ?? workers,
    startThread: (onExit) => startThread(join(__dirname, "searchWorker.js"), onExit),
    onDamage: (file) => keeper.damaged(file),
  });
  const repositories: RepositoryView = {
    all: () => catalogue.all(),
    get: (id) => catalogue.get(id),
    byName: (name) => catalogue.byName(name),
    containing: (path) => catalogue.containing(path),
    isScanning: () => keeper.isScanning(),
    skipped: (id) => skippedDocuments(directory, id),
  };
  const service = createService({
    version,
    engine,
    repositories,
    contexts,
    timeLimitMs,
    languageOf: (path, text) => detectLanguage(path, new TextEncoder().encode(text.slice(0, 16_384))),
    local: {
      addPaths: async ({ paths }, { signal }) => ({ repositories: [...(await keeper.add(paths, signal))] }),
      removePaths: async ({ paths }) => ({ repositories: [...(await keeper.remove(paths))] }),
      indexing: indexingHandler(catalogue, () => keeper.isScanning()),
    },
  });
  return {
    caller: createDispatch({ service, anonymous: anonymousAllowed(host, anonymous) }),
    async close() {
      await keeper.close();
      await engine.close();
      await indexWorkers.close();
      catalogue.close();
    },
  };
}
