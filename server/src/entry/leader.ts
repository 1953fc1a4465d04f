/** The house of the process that holds the data folder: every room, wired. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { anonymousAllowed } from "#access/identify";
import { Catalogue } from "#catalogue/catalogue";
import type { Configuration } from "#cli/configuration";
import type { Purpose } from "#cli/instance";
import type { Caller } from "#contract/service";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import { checkGit } from "#git/git";
import type { RepositoryId } from "#model/repository";
import { unsavedLanguage } from "#overlay/unsavedLanguage";
import { diskFiles } from "#platform/files";
import type { Log } from "#platform/log";
import { startThread, threadPool } from "#platform/workers";
import { defaultTimeLimitMs } from "#query/limits";
import { createService } from "#service/createService";
import { createDispatch } from "#service/dispatch";
import type { RepositoryView } from "#service/repositoryView";
import { ShardDirectory } from "#shard/directory";
import { Compactor } from "#sync/compactor";
import { Sync } from "#sync/sync";
import type { Work, WorkAnswer } from "#sync/work";
import { checkDataFormat, removeDrafts } from "./dataFormat";
import { localRows } from "./localRows";

export interface Leader {
  readonly caller: Caller;
  close(): Promise<void>;
}

export async function buildLeader(
  configuration: Configuration,
  purpose: Purpose,
  version: string,
  log: Log,
): Promise<Leader> {
  const { dataDir, host, anonymous, contexts, timeLimitMs = defaultTimeLimitMs } = configuration;
  // A command that only reads does not need it.
  if (purpose === "serve" || purpose === "index") await checkGit();
  checkDataFormat(dataDir, diskFiles);
  removeDrafts(dataDir, diskFiles);
  const directory = await ShardDirectory.open(join(dataDir, "shards"));
  for (const [file, reason] of directory.damagedManifests) {
    log.warn(`${file} is damaged; its repository is indexed again.`, { reason });
  }
  const catalogue = Catalogue.open(dataDir, { log, known: directory.manifests().values() });
  const indexScript = join(__dirname, "indexWorker.js");
  const pool = threadPool<Work, WorkAnswer>(indexScript, configuration.indexWorkers ?? defaultWorkers(1));
  // A saved file must not wait for a build.
  const quickPool = threadPool<Work, WorkAnswer>(indexScript, 1);
  const engine = new EmbeddedEngine({
    directory,
    workerCount: configuration.searchWorkers ?? defaultWorkers(0),
    startThread: (onExit) => startThread(join(__dirname, "searchWorker.js"), onExit),
    onDamage: (file) => sync.rebuild([file]),
  });
  const sync = new Sync({
    catalogue,
    directory,
    pool,
    quickPool,
    wanted: configuration,
    hosts: configuration.hosts,
    log,
    watches: purpose === "serve",
    onOverlay(repositoryId, overlay) {
      engine
        .setOverlay(repositoryId, overlay)
        .catch((error: unknown) => log.error("A working tree could not be handed to the engine.", { error }));
    },
  });
  const compactor = new Compactor({
    directory,
    pool,
    log,
    isBusy: (id) => sync.isRunning(id as RepositoryId),
    onDamage: (file) => sync.rebuild([file]),
  });
  const repositories: RepositoryView = {
    all: () => catalogue.all(),
    get: (id) => catalogue.get(id),
    byName: (name) => catalogue.byName(name),
    containing: (path) => catalogue.containing(path),
    // Until it is idle, a commit or a saved file may be on its way into the index.
    isScanning: () => !sync.isIdle,
    async bringRevision(id, name, signal) {
      const isIndexed = await sync.bringRevision(id, name, signal);
      return isIndexed === undefined ? "late" : isIndexed ? "indexed" : "absent";
    },
    skipped: (id, signal) => sync.skipped(id, signal),
  };
  const service = createService({
    version,
    engine,
    repositories,
    contexts,
    timeLimitMs,
    languageOf: unsavedLanguage,
    local: localRows(catalogue, sync),
  });
  if (purpose === "serve") sync.start();
  return {
    caller: createDispatch({ service, anonymous: anonymousAllowed(host, anonymous) }),
    async close() {
      await compactor.close();
      await sync.close();
      await Promise.all([engine.close(), pool.close(), quickPool.close()]);
      catalogue.close();
    },
  };
}

/** One a core, of which `spared` are left to others where there are many; more than eight only add up their memory. */
function defaultWorkers(spared: number): number {
  const cores = availableParallelism();
  return Math.min(8, cores <= 2 ? cores : cores - spared);
}
