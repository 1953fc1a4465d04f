/** Connects Zoekt nodes to a leader. Loaded only if the configuration names some. */
import { join } from "node:path";
import { isServiceError, ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import type { Engine } from "#engine/engine";
import { NodeRepositories } from "#engine/zoekt/nodeRepositories";
import { VerifyThreads } from "#engine/zoekt/verifyThreads";
import { ZoektEngine } from "#engine/zoekt/zoektEngine";
import type { ZoektCall, ZoektResponse } from "#engine/zoekt/zoektMessages";
import { ZoektNode } from "#engine/zoekt/zoektNode";
import type { ZoektSettings } from "#engine/zoekt/zoektSettings";
import { type FedNode, ZoektIndexer } from "#indexing/zoektIndexer";
import { endStrayIndexers } from "#indexing/zoektRun";
import { type CommitHash, isPlainFolder, type Repository, type RepositoryId } from "#model/repository";
import { systemClock, wait } from "#platform/clock";
import { environmentVariable } from "#platform/environment";
import { diskFiles } from "#platform/files";
import { acquireLock, type OwnerLock } from "#platform/lock";
import type { Log } from "#platform/log";
import { startThread } from "#platform/workerThread";
import type { Measurement } from "#service/metrics";
import type { ShardDirectory } from "#shard/directory/directory";
import type { IndexQueue } from "#store/indexQueue";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import type { ZoektIndexing } from "#sync/refresh";
import { ClusterQueue } from "./clusterQueue";
import { type FedRevisions, IndexFeed } from "./indexFeed";
import { reconcileJobs } from "./jobReconciliation";
import { QueuedIndexers } from "./nodeIndexers";

export interface ZoektClusterOptions {
  readonly settings: ZoektSettings;
  readonly dataDir: string;
  readonly catalog: Catalog;
  readonly directory: ShardDirectory;
  /** Searches all repositories that are not on nodes. */
  readonly embedded: Engine;
  /** The parsers for documents of nodes. */
  readonly parsers: SymbolParsers;
  readonly threadCount: number;
  /** Whether this process has repositories indexed. */
  readonly indexes: boolean;
  /** Whether it records revisions before they are indexed, as a git server does. */
  readonly recordsFirst: boolean;
  /** Opens the queue of the indexers beside nodes. */
  readonly openQueue: () => Promise<IndexQueue>;
  /** Returns what nodes should remove. Absent if this process decides that itself. */
  readonly leaving?: IndexQueue["leaving"] | undefined;
  readonly maxFileBytes: number;
  /** How long a search may take. */
  readonly timeLimitMs: number;
  /** Called when repositories belong to other nodes than before. */
  readonly onMoved: (ids: readonly RepositoryId[]) => void;
  readonly log: Log;
}

export interface ZoektCluster {
  readonly engine: Engine;
  readonly indexing: ZoektIndexing;
  /** Whether a node has a repository. */
  hasRepository(id: number): boolean;
  readonly measurements: readonly Measurement[];
  /** Increases when nodes have other repositories than before. */
  readonly listsVersion: number;
  /** Lists the repositories of the nodes now. Never rejects. */
  refresh(): Promise<void>;
  /** Has indexers index what a git server has recorded, as soon as the database responds. */
  feed(fed: FedRevisions): void;
  /** Brings the jobs of indexers in line with what is indexed. */
  start(): void;
  /** Releases the index folders. The engine is closed separately. */
  close(): Promise<void>;
}

/** How long a run waits until a node has loaded a new index. A search reports that until then. */
const loadTimeoutMs = 10_000;
const loadPollMs = 100;
/** More than the tolerance of `uncertainNodes`. */
const keepMarginMs = 1000;
/** Searches use no older lists of the nodes than this, or than the time a search may take. */
const maxListAgeMs = 10_000;
const reconcileRetryMs = 5000;
/** How many runs may wait for indexers at once. */
const waitingRuns = 64;

/**
 * Throws USAGE if another process writes to an index folder, or feeds the indexers and this is no git server, which would
 * wait for its turn; STORAGE_FAILED if a folder is not writable.
 */
export async function openZoektCluster(options: ZoektClusterOptions): Promise<ZoektCluster> {
  const { settings, dataDir, catalog, directory, embedded, threadCount, indexes, recordsFirst, log } =
    options;
  const fed = fedNodes(settings);
  const locks = indexes ? await lockFolders(fed) : [];
  const temporaryFolder = join(dataDir, "zoekt");
  // A killed process may have left files there.
  if (indexes) diskFiles.removeFolder(temporaryFolder);
  const hasIndexer = (node: string) =>
    fed.some(({ name, indexFolder }) => name === node && indexFolder === undefined);
  const hasIndexers = indexes && fed.some(({ name }) => hasIndexer(name));
  const placesById = () =>
    new Map([...directory.manifests().keys()].map((id) => [id, indexer.placesOf(id).join()]));
  const clusterQueue = new ClusterQueue({
    open: options.openQueue,
    onReported: () => indexers.poll(),
    onFeeder(isFeeder) {
      if (feed === undefined) return;
      if (!isFeeder) indexers.forget();
      feed.setFeeder(isFeeder);
    },
    onDrained() {
      if (feed !== undefined) {
        indexer.placeAgain();
        return feed.addAll();
      }
      const before = placesById();
      indexer.placeAgain();
      const after = placesById();
      const moved = [...after].filter(([id, places]) => before.get(id) !== places);
      options.onMoved(moved.map(([id]) => id as RepositoryId));
    },
    log,
  });
  const nodes = settings.nodes.map(({ name, url }) => new ZoektNode({ name, url, clock: systemClock }));
  const listAgeMs = Math.min(maxListAgeMs, options.timeLimitMs);
  // A search of another process may begin with a list that was fetched before, and ask the old node until it ends.
  const keepMs = listAgeMs + options.timeLimitMs + keepMarginMs;
  const repositories: NodeRepositories = new NodeRepositories({
    nodes,
    clock: systemClock,
    log,
    find: (name) => catalog.byName(name),
    placesOf: (id) => indexer.placesOf(id),
    basis: () => [catalog.all(), indexer.placement],
    leaving: async () => (await options.leaving?.(fed.map(({ name }) => name))) ?? [],
    maxAgeMs: listAgeMs,
  });
  const indexers = new QueuedIndexers({
    queue: () => clusterQueue.queue(),
    sourceOf: ({ id, name, path }) => gitSource(settings, id, name) ?? path,
    hasIndexer,
    refreshLists: () => repositories.refresh(),
    isLoaded(name, { node, indexed = [] }) {
      const commits = repositories.commitsOf(node, name);
      return commits !== undefined && indexed.every(({ commit }) => commits.has(commit));
    },
    keepMs,
    clock: systemClock,
    log,
  });
  const indexer: ZoektIndexer = new ZoektIndexer({
    directory,
    nodes: fed,
    followsRemovals: !recordsFirst,
    replicas: settings.replicas,
    isDrained: (node) => clusterQueue.isDrained(node),
    indexers: hasIndexers ? indexers : undefined,
    program: zoektProgram(settings),
    temporaryFolder,
    files: diskFiles,
    onRemoved: (node) => repositories.recordRemoval(node),
    onError: (error) => log.error("Cannot remove a repository from the Zoekt nodes.", { error }),
    async listed({ id }) {
      await repositories.refresh();
      return repositories.known
        .get(id)
        ?.branches.map(({ revision, commit }) => ({ name: revision, commit: commit as CommitHash }));
    },
    whenLoaded: (repository, names, signal) => whenLoaded(repositories, directory, repository, names, signal),
  });
  const feed: IndexFeed | undefined = recordsFirst
    ? new IndexFeed({
        queue: () => clusterQueue.queue(),
        store: ({ repository, chosen, ...fed }, signal) =>
          indexer.feed(repository, chosen, { ...fed, signal }),
        all: () => recordedRevisions(catalog, directory, options.maxFileBytes),
        keepMs,
        clock: systemClock,
        log,
      })
    : undefined;
  if (feed !== undefined)
    directory.onChange((change) => {
      if (change.kind === "removed") for (const id of change.repositoryIds) feed.remove(id as RepositoryId);
    });
  if (hasIndexers)
    await (feed === undefined ? clusterQueue.becomeFeeder() : clusterQueue.open()).catch(
      async (error: unknown) => {
        if (isServiceError(error, "USAGE")) {
          await clusterQueue.close();
          for (const lock of locks) lock.release();
          throw error;
        }
        log.warn("Cannot reach the indexers of Zoekt nodes; nothing is indexed until then.", { error });
      },
    );
  const manifests = () => [...directory.manifests().values()];
  const engine = new ZoektEngine({
    nodes,
    repositories,
    threads: new VerifyThreads(threadCount, (onExit, cacheBytes) =>
      startThread<ZoektCall, ZoektResponse>(join(__dirname, "verifyWorker.js"), onExit, { data: cacheBytes }),
    ),
    parsers: options.parsers,
    embedded,
    embeddedIds: () =>
      manifests().flatMap(({ repositoryId, segments, kind }) =>
        segments.length > 0 || isPlainFolder(kind) ? [repositoryId] : [],
      ),
    expected: () =>
      manifests().flatMap(({ repositoryId, segments, revisions, kind }) => {
        const [node] = indexer.placesOf(repositoryId);
        if (node === undefined || isPlainFolder(kind)) return [];
        return segments.length === 0 && revisions.length > 0 ? [[repositoryId, node] as const] : [];
      }),
    isFed: (node) => fed.some(({ name }) => name === node),
    maxResponseBytes: settings.maxResponseBytes,
  });
  const closing = new AbortController();
  /** Until the database responds, tries again. */
  const connect = async () => {
    const { maxFileBytes } = options;
    const { signal } = closing;
    for (;;)
      try {
        if (feed !== undefined) return await clusterQueue.open();
        const queue = await clusterQueue.queue();
        const parts = { catalog, directory, indexer, indexers, hasIndexer, maxFileBytes };
        return await reconcileJobs({ queue, ...parts, signal });
      } catch (error) {
        if (!isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
        await wait(systemClock, reconcileRetryMs, signal);
      }
  };
  return {
    engine,
    indexing: {
      fingerprintOf: (id) =>
        indexer.placesOf(id).join(",") || JSON.stringify(repositories.known.get(id)?.branches ?? []),
      ...(hasIndexers ? { runLimit: waitingRuns } : {}),
      index: (repository, chosen, indexOptions) => indexer.index(repository, chosen, indexOptions),
      countsOf: (id: RepositoryId) => {
        const listed = repositories.known.get(id);
        if (listed === undefined) return undefined;
        const { documentCount, contentBytes, indexBytes } = listed;
        return { documentCount, contentBytes, indexBytes };
      },
    },
    measurements: nodeMeasurements(nodes),
    hasRepository: (id) => repositories.known.has(id),
    get listsVersion() {
      return repositories.version;
    },
    refresh: () => repositories.refresh(),
    feed: (fed) => feed?.add(fed),
    start() {
      if (hasIndexers)
        connect().catch((error: unknown) => {
          if (!closing.signal.aborted) log.warn("Cannot read which node has which repository.", { error });
        });
    },
    async close() {
      closing.abort();
      feed?.close();
      indexers.close();
      await clusterQueue.close();
      for (const lock of locks) lock.release();
    },
  };
}

function nodeMeasurements(nodes: readonly ZoektNode[]): readonly Measurement[] {
  return [
    {
      kind: "counter",
      name: "trawl_zoekt_requests_total",
      help: "Requests to Zoekt nodes that have ended, by node and outcome.",
      label: ["node", "outcome"],
      read: () =>
        nodes.flatMap(({ name, outcomes }) =>
          Array.from(outcomes, ([outcome, count]) => [[name, outcome], count] as const),
        ),
    },
    {
      kind: "gauge",
      name: "trawl_zoekt_node_up",
      help: "1 unless the node failed repeatedly and is not asked until it is ready.",
      label: "node",
      read: () => nodes.map(({ name, isSuspended }) => [name, isSuspended ? 0 : 1] as const),
    },
  ];
}

/** Returns what has been recorded of all git repositories. */
function recordedRevisions(
  catalog: Catalog,
  directory: ShardDirectory,
  maxFileBytes: number,
): readonly FedRevisions[] {
  return [...directory.manifests().values()].flatMap(({ repositoryId, revisions, kind, defaultRevision }) => {
    const repository = catalog.get(repositoryId as RepositoryId);
    if (repository === undefined || isPlainFolder(kind)) return [];
    const chosen = {
      revisions: [...revisions],
      ...(defaultRevision === undefined ? {} : { defaultRevision }),
    };
    return [{ repository, chosen, maxFileBytes, isForced: false }];
  });
}

/** Returns the nodes that get their index from Trawl, with the folders that this process writes to. */
function fedNodes({ nodes }: ZoektSettings): FedNode[] {
  return nodes.flatMap(({ name, weight, indexFolder, hasIndexer }) => {
    if (hasIndexer) return [{ name, weight }];
    return indexFolder === undefined ? [] : [{ name, weight, indexFolder }];
  });
}

/** Returns the URL at which indexers fetch a repository; undefined if they use its path. */
function gitSource({ gitUrl }: ZoektSettings, id: number, name: string): string | undefined {
  const encoded = name.split("/").map(encodeURIComponent).join("/");
  return gitUrl?.replaceAll("{id}", String(id)).replaceAll("{name}", () => encoded);
}

async function lockFolders(nodes: readonly FedNode[]): Promise<OwnerLock[]> {
  const locks: OwnerLock[] = [];
  for (const { name, indexFolder } of nodes) {
    if (indexFolder === undefined) continue;
    const lock = await acquireLock(indexFolder);
    if (lock.kind === "acquired") {
      endStrayIndexers(indexFolder);
      locks.push(lock);
      continue;
    }
    for (const each of locks) each.release();
    throw new ServiceError(
      "USAGE",
      `Another process writes to the index folder ${indexFolder} of Zoekt node ${name}. Stop it, or give the node another folder.`,
    );
  }
  return locks;
}

/** Returns the program `zoekt-git-index`. */
export function zoektProgram({ indexer }: ZoektSettings): string {
  if (indexer !== undefined) return indexer;
  const folder = environmentVariable("ZOEKT_BIN");
  return folder ? join(folder, "zoekt-git-index") : "zoekt-git-index";
}

/** Resolves when a node lists the commits of the manifest, or after a time limit. Returns whether one does. */
async function whenLoaded(
  repositories: NodeRepositories,
  directory: ShardDirectory,
  { id, name }: Repository,
  nodes: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = directory.manifest(id)?.revisions.map(({ commit }) => commit) ?? [];
  for (const deadline = systemClock.elapsed() + loadTimeoutMs; systemClock.elapsed() < deadline; ) {
    await repositories.refresh();
    for (const node of nodes) {
      const commits = repositories.commitsOf(node, name);
      if (commits !== undefined && wanted.every((commit) => commits.has(commit))) return true;
    }
    if (nodes.every((node) => repositories.isSuspended(node))) return false;
    await wait(systemClock, loadPollMs, signal);
  }
  return false;
}
