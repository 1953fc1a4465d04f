/** Builds the leader: creates and connects the catalog, index, engine, sync, access control and service. */
import { join } from "node:path";
import { isServiceError } from "#base/error";
import { runAll } from "#base/runAll";
import { Catalog } from "#catalog/catalog";
import type { Caller } from "#contract/service";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { RepositoryOverlay } from "#engine/embedded/searchMessages";
import type { Engine } from "#engine/engine";
import { MissingEngine } from "#engine/missingEngine";
import { readUserIdentity } from "#git/userIdentity";
import { EditorTokens } from "#hosts/editorTokens";
import type { RepositoryId } from "#model/repository";
import { unsavedLanguage } from "#overlay/unsavedLanguage";
import { systemClock } from "#platform/clock";
import { diskFiles } from "#platform/files";
import type { Log } from "#platform/log";
import { MemoryLimit } from "#platform/memoryLimit";
import { threadPool } from "#platform/threadPool";
import { startThread } from "#platform/workerThread";
import { defaultTimeLimitMs } from "#query/limits";
import { createServices } from "#service/createService";
import { createDispatch } from "#service/dispatch";
import { History } from "#service/history/history";
import { Metrics } from "#service/metrics";
import { ShardDirectory } from "#shard/directory/directory";
import { databaseNames } from "#store/lostOrganization";
import { symbolParsers } from "#symbols/parsing/parsers";
import type { CodeHostsSetup } from "#sync/codeHosts";
import { Compactor } from "#sync/compactor";
import { SymbolIndexer } from "#sync/symbolIndexer";
import { Sync } from "#sync/sync";
import { hasLargeHeap, type WorkerResult, type WorkerTask } from "#sync/workerTasks";
import { createAccessControl } from "./accessControl";
import { codeHostChanges } from "./codeHostChanges";
import { codeHostOperations } from "./codeHosts";
import type { Configuration } from "./configuration";
import { ConfigurationWatch, currentConnections } from "./configurationWatch";
import { frontendQueue, hasDatabase, openConfiguredQueue, openDatabase } from "./database";
import { checkDataFormat, removeDrafts } from "./dataFormat";
import { editorSignIn } from "./editorSignIn";
import { Frontend, refusedOnFrontend } from "./frontendRole";
import { openGitServerPort, recordingIndexer } from "./gitServerRole";
import { instanceOperations } from "./instanceOperations";
import { leaderMeasurements } from "./leaderMetrics";
import { localOperations } from "./localOperations";
import { createOrganizationMemory } from "./organizationMemory";
import type { Ports } from "./ports";
import { prepareToLead } from "./prepareToLead";
import { createRepositoryView } from "./repositoryView";
import { createSavedState } from "./savedState";
import { UsedConnections } from "./usedConnections";
import { defaultWorkerCount, indexWorkerCount } from "./workerCounts";

/**
 * What a process uses the data directory for.
 *
 * `read` and `change` use the index as it is; the others also update it, `indexText` without symbols. Only a leader that
 * updates the index announces itself, so that others can follow it. While a leader only reads or changes, other
 * processes wait until it has exited.
 */
export type Purpose = "read" | "change" | "indexText" | "index" | "serve";

export function updatesIndex(purpose: Purpose): boolean {
  return purpose !== "read" && purpose !== "change";
}

export interface Leader {
  readonly caller: Caller;
  /** Starts indexing and watching, if this process serves. */
  start(): void;
  readonly isPaused: boolean;
  /** URL of the internal port of a git server. */
  readonly gitServerUrl?: string;
  /** Applies the settings that can change at run time: what is indexed, the number of workers, the limits of git. */
  configure(configuration: Configuration): void;
  close(): Promise<void>;
}

export interface LeaderOptions {
  readonly configuration: Configuration;
  readonly purpose: Purpose;
  readonly version: string;
  readonly log: Log;
  readonly ports: Ports;
  /** Whether indexing starts paused. */
  readonly isPaused: boolean;
  /** Called when indexing is paused or resumed. */
  readonly onPaused: () => void;
}

/** How long after startup a leader opens a database that no request has needed yet. */
const openDatabaseAfterMs = 60_000;

/** Builds and searches create mostly bytes outside the heap, so a larger young generation is no faster. */
const maxYoungMb = 8;

/** How long a leader waits for the tokens of editors that connect while it starts. */
const awaitEditorsMs = 5_000;

/**
 * Builds the leader. Call this only while holding the lock of the data directory.
 *
 * Throws STORAGE_FAILED if the data directory cannot be used, USAGE for an invalid key in `licenseMakers`, and
 * UNEXPECTED_ERROR if git is missing or too old.
 */
export async function buildLeader(options: LeaderOptions): Promise<Leader> {
  const { configuration, purpose, version, log, ports, onPaused } = options;
  const { dataDir, contexts, source, role } = configuration;
  const isGitServer = role === "gitserver";
  const isFrontend = role === "frontend";
  const configured =
    purpose === "serve"
      ? currentConnections(configuration, log)
      : { connections: configuration.connections, isCurrent: true };
  const { timeLimitMs = defaultTimeLimitMs } = configuration;
  const memoryLimit = new MemoryLimit(configuration.maxMemoryBytes);
  checkDataFormat(dataDir, diskFiles);
  removeDrafts(dataDir, diskFiles);
  const directory = await ShardDirectory.open(join(dataDir, "shards"));
  for (const [file, reason] of directory.damagedManifests) {
    log.warn(`${file} is damaged; reindexing its repository.`, { reason });
  }
  const catalog = Catalog.open(dataDir, { log, known: directory.manifests().values() });
  const indexScript = join(__dirname, "indexWorker.js");
  const indexWorkers = indexWorkerCount(configuration);
  const pool = threadPool<WorkerTask, WorkerResult>(indexScript, indexWorkers, { maxYoungMb });
  // For working trees, because a saved file must not wait for an index build. At least two, because the start scans the
  // added paths and all working trees.
  const quickCount = Math.max(2, Math.ceil(defaultWorkerCount(0) / 2));
  const replacement = { mustReplace: hasLargeHeap };
  const quickPool = threadPool<WorkerTask, WorkerResult>(indexScript, quickCount, replacement);
  const symbolPool = threadPool<WorkerTask, WorkerResult>(indexScript, 2);
  // For requests about documents, which must not wait for indexing.
  const parsers = symbolParsers(join(__dirname, "symbolWorker.js"), defaultWorkerCount(0));
  let damagedCount = 0;
  const onDamage = (file: string) => {
    damagedCount++;
    directory
      .dropSymbols(file)
      .then((wasSymbols) => {
        if (!wasSymbols) sync.rebuild([file]);
      })
      .catch((error: unknown) => log.error("Cannot remove a damaged file.", { error }));
  };
  const onOverlay = (repositoryId: number, overlay: RepositoryOverlay | undefined) => {
    embedded
      .setOverlay(repositoryId, overlay)
      .catch((error: unknown) => log.error("Cannot pass a working tree to the engine.", { error }));
  };
  const embedded = new EmbeddedEngine({
    directory,
    workerCount: configuration.searchWorkers ?? defaultWorkerCount(0),
    startThread: (onExit) => startThread(join(__dirname, "searchWorker.js"), onExit, { maxYoungMb }),
    onDamage,
    onUnreadable: (reason) => log.warn(`${reason}. Trying again.`),
    onUse: (ids) => symbolizer.prioritize(ids),
    parsers,
  });
  // Commands that change members, keys and the like never search, nor do git servers.
  if (purpose !== "change" && role === "all") embedded.start();
  try {
    // Runs while the workers start. Commands that do not update the index skip it.
    if (updatesIndex(purpose)) await prepareToLead();
  } catch (error) {
    await embedded.close().catch(() => undefined);
    throw error;
  }
  const editorTokens = new EditorTokens({
    clock: systemClock,
    startMs: purpose === "serve" ? awaitEditorsMs : 0,
  });
  // Until `sync` exists, nothing needs to be moved: its start compares where repositories are and should be.
  let onMoved: (id: RepositoryId) => void = () => {};
  const zoektSettings = isGitServer && !canFeedIndexers(configuration) ? undefined : configuration.zoekt;
  const indexes = updatesIndex(purpose) && !isFrontend;
  const findsSymbols = purpose !== "indexText";
  const queue = isFrontend ? frontendQueue(configuration, log) : undefined;
  const cluster =
    zoektSettings &&
    (await (
      await import("./zoektCluster")
    ).openZoektCluster({
      settings: zoektSettings,
      dataDir,
      catalog,
      directory,
      embedded,
      parsers,
      threadCount: configuration.searchWorkers ?? defaultWorkerCount(0),
      indexes,
      recordsFirst: isGitServer,
      openQueue: () => openConfiguredQueue(configuration, log),
      leaving: queue?.leaving,
      maxFileBytes: configuration.maxFileBytes,
      timeLimitMs,
      onMoved(ids) {
        for (const id of ids) onMoved(id);
      },
      log,
    }));
  const engine: Engine = cluster?.engine ?? (isFrontend ? new MissingEngine() : embedded);
  const frontend =
    isFrontend && configuration.gitServers !== undefined
      ? new Frontend({ servers: configuration.gitServers, catalog, dataDir, cluster, queue, log })
      : undefined;
  const usedConnections =
    purpose === "read" || isFrontend
      ? undefined
      : new UsedConnections(configuration, configured, editorTokens, log);
  const codeHostUsers = {
    async users() {
      const members = await (await organization.store()).members.all();
      return members.map(({ email, codeHostLogins: logins }) => ({ email, logins }));
    },
    hasClaim: (connection: string) => Object.hasOwn(configuration.oauth?.codeHostClaims ?? {}, connection),
  };
  const setup = await usedConnections?.setup();
  const sync = new Sync({
    catalog,
    directory,
    pool,
    quickPool,
    settings: isGitServer ? { ...configuration, dependencies: false } : configuration,
    hosts: configuration.hosts,
    codeHosts: setup && { ...setup, ...codeHostUsers },
    zoekt: isGitServer ? recordingIndexer(directory, cluster) : cluster?.indexing,
    isGitOnly: isGitServer,
    log,
    watches: purpose === "serve",
    onOverlay(repositoryId, overlay) {
      onOverlay(repositoryId, overlay);
      if (findsSymbols) symbolizer.setOverlay(repositoryId, overlay);
    },
  });
  onMoved = (id) => sync.refresh(id, "due");
  editorTokens.onArrival = (names) => sync.codeHosts?.useTokens(names);
  const useConnections = (next: CodeHostsSetup) => sync.configureCodeHosts({ ...next, ...codeHostUsers });
  const watch =
    purpose === "serve" && source !== undefined
      ? new ConfigurationWatch({
          source,
          ...configured,
          clock: systemClock,
          log,
          apply: async (connections) => usedConnections?.configure(connections, useConnections),
        })
      : undefined;
  const symbolizer = new SymbolIndexer({
    directory,
    pool: symbolPool,
    gate: sync.storage.space,
    log,
    parserCount: () => indexWorkerCount(configuration),
    // Text first: making repositories searchable takes precedence over symbols.
    isBusy(id) {
      if (sync.isPaused || !findsSymbols) return true;
      const isIndexing = catalog.all().some(({ state }) => state === "queued" || state === "indexing");
      const isPackage = catalog.get(id as RepositoryId)?.kind === "package";
      return isIndexing || (isPackage && !sync.areDependenciesSettled);
    },
    changedAt: (id) => catalog.get(id as RepositoryId)?.pushedAt ?? 0,
    onDamage,
    onOverlay,
  });
  const compactor = new Compactor({
    directory,
    pool,
    gate: sync.storage.space,
    log,
    isBusy: (id) => sync.isPaused || sync.isRunning(id as RepositoryId) || !sync.storage.space.canRewrite(id),
    onDamage,
  });
  const indexedView = createRepositoryView(
    catalog,
    sync,
    (id) => symbolizer.isReady(id) && cluster?.hasRepository(id) !== true,
  );
  const repositories = frontend?.viewOf(indexedView) ?? indexedView;
  const pause = (isPaused: boolean) => {
    if (sync.isPaused === isPaused) return;
    log.info(isPaused ? "Indexing is paused." : "Indexing has resumed.");
    sync.setPaused(isPaused);
    onPaused();
  };
  sync.setPaused(options.isPaused);
  const history = new History({
    ...configuration,
    repositories,
    graphFolder: join(dataDir, "commitGraphs"),
    remote: frontend?.gitServers,
  });
  const { licenseMakers, oauth, repositoryRules, database } = configuration;
  const databaseName = database === undefined ? databaseNames.embedded : databaseNames.postgres;
  const memory = createOrganizationMemory(dataDir, databaseName, log);
  const {
    organization,
    access,
    audit,
    authThrottle,
    handlerOptions: organizationOptions,
  } = createAccessControl({
    open: (expected) => openDatabase(configuration, version, log, expected),
    memory,
    person: readUserIdentity,
    licenseMakers,
    ...(oauth === undefined ? {} : { oauth }),
    ...(repositoryRules === undefined ? {} : { repositoryRules }),
    asksCodeHosts: () => sync.codeHosts?.rights.isActive === true,
    clock: systemClock,
    log,
  });
  const metrics = new Metrics();
  const measured = { catalog, directory, sync, version, memoryLimit, damagedCount: () => damagedCount };
  metrics.add(...leaderMeasurements(measured));
  metrics.add(...(frontend?.measurements ?? []), ...(cluster?.measurements ?? []));
  const services = createServices({
    version,
    metrics,
    organization: organizationOptions,
    savedState: createSavedState({ catalog, sync, dataDir, log }),
    codeHostRights: () => sync.codeHosts?.rights,
    history,
    engine,
    parsers,
    repositories,
    contexts,
    languageOf: unsavedLanguage,
    problem: () => frontend?.problem ?? organization.problem,
    local: {
      ...localOperations(catalog, sync, symbolizer),
      ...codeHostOperations(() => sync.codeHosts, {
        configuration,
        authThrottle,
        editorTokens,
        fetchesOnSync: purpose === "index",
      }),
      ...codeHostChanges({
        dataDir,
        editorTokens,
        names: () => sync.codeHosts?.statuses.map(({ name }) => name) ?? [],
        reload: async () => usedConnections?.reload(useConnections),
      }),
      ...editorSignIn(editorTokens),
      ...instanceOperations({
        catalog,
        directory,
        sync,
        ports,
        version,
        dataDir,
        memoryLimit,
        pause,
        configurationProblem: () => watch?.problem,
      }),
      ...(isFrontend ? refusedOnFrontend() : {}),
    },
  });
  const openDatabaseNow = () => {
    organization.store().catch((error: unknown) => {
      if (isServiceError(error)) log.warn(error.message, { dataDir });
      else log.error("Cannot open the database.", { error });
    });
  };
  // Reports a database that is lost, damaged or newer at startup instead of on the first refused call.
  const openEarly = () => {
    if (memory.read() !== undefined || (isFrontend && database !== undefined)) openDatabaseNow();
  };
  // Deletes expired audit records even if no request opens the database.
  const openLate = () => {
    if (hasDatabase(configuration)) openDatabaseNow();
  };
  let cancelLate = () => {};
  const caller = createDispatch({
    services,
    access,
    audit,
    metrics,
    timeLimitMs,
    gitTimeLimitMs: () => history.timeLimitMs,
    memoryLimit,
  });
  const gitServerPort =
    isGitServer && purpose === "serve" && configuration.gitServer !== undefined
      ? await openGitServerPort({ settings: configuration.gitServer, caller, catalog, metrics, log })
      : undefined;
  if (purpose === "serve") await frontend?.start();
  return {
    ...(gitServerPort === undefined ? {} : { gitServerUrl: gitServerPort.url }),
    start() {
      if (purpose !== "serve") return;
      if (!isFrontend) sync.start();
      cluster?.start();
      watch?.start();
      openEarly();
      cancelLate = systemClock.after(openDatabaseAfterMs, openLate);
    },
    get isPaused() {
      return sync.isPaused;
    },
    configure(next) {
      pool.resize(indexWorkerCount(next));
      sync.configure(next);
      history.configure(next);
    },
    caller,
    async close() {
      // An engine of nodes closes the embedded one.
      const engines = cluster === undefined ? [embedded] : [engine];
      const workers = [...engines, pool, quickPool, symbolPool, parsers];
      const steps = [
        () => gitServerPort?.close(),
        () => frontend?.close(),
        () => cancelLate(),
        () => editorTokens.close(),
        () => watch?.close(),
        () => metrics.close(),
        () => history.close(),
        () => compactor.close(),
        () => symbolizer.close(),
        () => sync.close(),
        () => Promise.all(workers.map((each) => each.close())),
        () => cluster?.close(),
        () => organization.close(),
        () => catalog.close(),
      ];
      await runAll(steps, (error) => log.error("Cannot close a part of the leader.", { error }));
    },
  };
}

/** Whether a git server can have its repositories indexed, by indexers beside nodes. */
function canFeedIndexers({ database, zoekt }: Configuration): boolean {
  return database !== undefined && zoekt?.nodes.every(({ hasIndexer }) => hasIndexer) === true;
}
