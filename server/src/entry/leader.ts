/** The house of the process that holds the data folder: every room, wired. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Catalogue } from "#catalogue/catalogue";
import type { Configuration } from "#cli/configuration";
import type { Purpose } from "#cli/instance";
import type { Caller } from "#contract/service";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { RepositoryOverlay } from "#engine/embedded/task";
import { checkGit } from "#git/git";
import { localPerson } from "#git/person";
import type { RepositoryId } from "#model/repository";
import { unsavedLanguage } from "#overlay/unsavedLanguage";
import { systemClock } from "#platform/clock";
import { diskFiles } from "#platform/files";
import type { Log } from "#platform/log";
import { startThread, threadPool } from "#platform/workers";
import { defaultTimeLimitMs } from "#query/limits";
import { createService } from "#service/createService";
import { createDispatch } from "#service/dispatch";
import { History } from "#service/history";
import type { RepositoryView } from "#service/repositoryView";
import { ShardDirectory } from "#shard/directory";
import { symbolParsers } from "#symbols/parsers";
import { Compactor } from "#sync/compactor";
import { Symbolizer } from "#sync/symbolizer";
import { Sync } from "#sync/sync";
import type { Work, WorkAnswer } from "#sync/work";
import { hasDatabase, openDatabase } from "./database";
import { checkDataFormat, removeDrafts } from "./dataFormat";
import { instanceRows } from "./instanceRows";
import { localRows } from "./localRows";
import { admission } from "./organisation";
import type { Ports } from "./ports";

export interface Leader {
  readonly caller: Caller;
  /** Looks for what has changed, and goes on doing so where this process stays. */
  start(): void;
  readonly isPaused: boolean;
  /** Takes what of another configuration can count from now on: what is indexed, by how many workers, what git may cost. */
  configure(configuration: Configuration): void;
  close(): Promise<void>;
}

export interface LeaderOptions {
  readonly configuration: Configuration;
  readonly purpose: Purpose;
  readonly version: string;
  readonly log: Log;
  readonly ports: Ports;
  /** Whether indexing rests from the start. */
  readonly isPaused: boolean;
  /** Told when indexing is paused, or goes on. */
  readonly onPaused: () => void;
}

/** When what nobody has asked for is opened all the same: the start of a process has better things to do. */
const lateMs = 60_000;

let gitChecked: Promise<unknown> | undefined;

/** What takes longest about leading, done once and beforehand where there is time: git is looked at, a listener loaded. */
export async function prepareToLead(): Promise<void> {
  gitChecked ??= checkGit();
  gitChecked.catch(() => {
    gitChecked = undefined;
  });
  await Promise.all([gitChecked, import("#transport/http/listener")]);
}

export async function buildLeader(options: LeaderOptions): Promise<Leader> {
  const { configuration, purpose, version, log, ports, onPaused } = options;
  const { dataDir, contexts } = configuration;
  const { timeLimitMs = defaultTimeLimitMs } = configuration;
  // A command that only reads does not need it.
  if (purpose === "serve" || purpose === "index") await prepareToLead();
  checkDataFormat(dataDir, diskFiles);
  removeDrafts(dataDir, diskFiles);
  const directory = await ShardDirectory.open(join(dataDir, "shards"));
  for (const [file, reason] of directory.damagedManifests) {
    log.warn(`${file} is damaged; its repository is indexed again.`, { reason });
  }
  const catalogue = Catalogue.open(dataDir, { log, known: directory.manifests().values() });
  const indexScript = join(__dirname, "indexWorker.js");
  const pool = threadPool<Work, WorkAnswer>(indexScript, indexWorkers(configuration));
  // A saved file must not wait for a build. At a start all working trees are looked at.
  const quickPool = threadPool<Work, WorkAnswer>(indexScript, Math.ceil(defaultWorkers(0) / 2));
  const symbolPool = threadPool<Work, WorkAnswer>(indexScript, 2);
  // For what somebody looks at: it must not wait for a repository that is being indexed.
  const parsers = symbolParsers(join(__dirname, "symbolWorker.js"), defaultWorkers(0));
  const onDamage = (file: string) => {
    directory
      .dropSymbols(file)
      .then((wasSymbols) => {
        if (!wasSymbols) sync.rebuild([file]);
      })
      .catch((error: unknown) => log.error("A damaged file could not be taken away.", { error }));
  };
  const onOverlay = (repositoryId: number, overlay: RepositoryOverlay | undefined) => {
    engine
      .setOverlay(repositoryId, overlay)
      .catch((error: unknown) => log.error("A working tree could not be handed to the engine.", { error }));
  };
  const engine = new EmbeddedEngine({
    directory,
    workerCount: configuration.searchWorkers ?? defaultWorkers(0),
    startThread: (onExit) => startThread(join(__dirname, "searchWorker.js"), onExit),
    onDamage,
    onUnreadable: (reason) => log.warn(`${reason}. It is tried again.`),
    onUse: (ids) => symbolizer.use(ids),
    parsers,
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
      onOverlay(repositoryId, overlay);
      symbolizer.setOverlay(repositoryId, overlay);
    },
  });
  const symbolizer = new Symbolizer({
    directory,
    pool: symbolPool,
    log,
    parserCount: () => indexWorkers(configuration),
    // What can be searched soon comes before what can be searched better.
    isBusy: () =>
      sync.isPaused || catalogue.all().some(({ state }) => state === "queued" || state === "indexing"),
    changedAt: (id) => catalogue.get(id as RepositoryId)?.pushedAt ?? 0,
    onDamage,
    onOverlay,
  });
  const compactor = new Compactor({
    directory,
    pool,
    log,
    isBusy: (id) => sync.isPaused || sync.isRunning(id as RepositoryId),
    onDamage,
  });
  const repositories: RepositoryView = {
    all: () => catalogue.all(),
    get: (id) => catalogue.get(id),
    byName: (name) => catalogue.byName(name),
    containing: (path) => catalogue.containing(path),
    // Until it is idle, a commit or a saved file may be on its way into the index.
    isScanning: () => !sync.isIdle,
    isPolled: (id) => sync.isPolled(id),
    hasSymbols: (id) => symbolizer.isReady(id),
    async bringRevision(id, name, timeMs, signal) {
      const isIndexed = await sync.bringRevision(id, name, timeMs, signal);
      return isIndexed === undefined ? "late" : isIndexed ? "indexed" : "absent";
    },
    skipped: (id, signal) => sync.skipped(id, signal),
    unparsed: (id, signal) => sync.unparsed(id, signal),
  };
  const pause = (isPaused: boolean) => {
    if (sync.isPaused === isPaused) return;
    log.info(isPaused ? "Indexing rests." : "Indexing goes on.");
    sync.pause(isPaused);
    onPaused();
  };
  sync.pause(options.isPaused);
  const history = new History({ ...configuration, repositories });
  const { licenseMakers, oauth } = configuration;
  const {
    organisation,
    access,
    audit,
    options: people,
  } = admission({
    open: () => openDatabase(configuration, version, log),
    person: localPerson,
    licenseMakers,
    ...(oauth === undefined ? {} : { oauth }),
    clock: systemClock,
    log,
  });
  const service = createService({
    version,
    organisation: people,
    history,
    engine,
    parsers,
    repositories,
    contexts,
    timeLimitMs,
    languageOf: unsavedLanguage,
    local: {
      ...localRows(catalogue, sync, symbolizer),
      ...instanceRows({ catalogue, sync, ports, version, dataDir, pause }),
    },
  });
  // Audit records past their time go also where nobody comes who would be recorded.
  const openLate = () => {
    if (!hasDatabase(configuration)) return;
    organisation.store().catch((error: unknown) => log.warn("The database could not be opened.", { error }));
  };
  let cancelLate = () => {};
  return {
    start() {
      if (purpose !== "serve") return;
      sync.start();
      cancelLate = systemClock.after(lateMs, openLate);
    },
    get isPaused() {
      return sync.isPaused;
    },
    configure(next) {
      pool.resize(indexWorkers(next));
      sync.configure(next);
      history.configure(next);
    },
    caller: createDispatch({ service, access, audit }),
    async close() {
      cancelLate();
      history.close();
      await compactor.close();
      await symbolizer.close();
      await sync.close();
      await Promise.all([
        engine.close(),
        pool.close(),
        quickPool.close(),
        symbolPool.close(),
        parsers.close(),
      ]);
      await organisation.close();
      catalogue.close();
    },
  };
}

function indexWorkers(configuration: Configuration): number {
  return configuration.indexWorkers ?? defaultWorkers(1);
}

/** One a core, of which `spared` are left to others where there are many; more than eight only add up their memory. */
function defaultWorkers(spared: number): number {
  const cores = availableParallelism();
  return Math.min(8, cores <= 2 ? cores : cores - spared);
}
