/** Connects Zoekt nodes to a leader. Loaded only if the configuration names some. */
import { join } from "node:path";
import { ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import type { Engine } from "#engine/engine";
import { NodeRepositories } from "#engine/zoekt/nodeRepositories";
import { VerifyThreads } from "#engine/zoekt/verifyThreads";
import { ZoektEngine } from "#engine/zoekt/zoektEngine";
import type { ZoektCall, ZoektResponse } from "#engine/zoekt/zoektMessages";
import { ZoektNode } from "#engine/zoekt/zoektNode";
import type { ZoektSettings } from "#engine/zoekt/zoektSettings";
import { type FedNode, ZoektIndexer } from "#indexing/zoektIndexer";
import { type CommitHash, isPlainFolder, type Repository, type RepositoryId } from "#model/repository";
import { systemClock, wait } from "#platform/clock";
import { environmentVariable } from "#platform/environment";
import { diskFiles } from "#platform/files";
import { acquireLock, type OwnerLock } from "#platform/lock";
import type { Log } from "#platform/log";
import { startThread } from "#platform/workerThread";
import type { ShardDirectory } from "#shard/directory/directory";
import type { ZoektIndexing } from "#sync/refresh";

export interface ZoektClusterOptions {
  readonly settings: ZoektSettings;
  readonly dataDir: string;
  readonly catalog: Catalog;
  readonly directory: ShardDirectory;
  /** Searches all repositories that are not on nodes. */
  readonly embedded: Engine;
  readonly threadCount: number;
  /** Whether this process writes to the index folders of the nodes. */
  readonly indexes: boolean;
  readonly log: Log;
}

export interface ZoektCluster {
  readonly engine: Engine;
  readonly indexing: ZoektIndexing;
  /** Whether a node has a repository. */
  hasRepository(id: number): boolean;
  /** Lists the repositories of the nodes now. Never rejects. */
  refresh(): Promise<void>;
  /** Releases the index folders. The engine is closed separately. */
  close(): void;
}

/** How long a run waits until a node has loaded a new index. A search reports that until then. */
const loadTimeoutMs = 10_000;
const loadPollMs = 100;

/** Throws USAGE if another process writes to an index folder, and STORAGE_FAILED if one is not writable. */
export async function openZoektCluster(options: ZoektClusterOptions): Promise<ZoektCluster> {
  const { settings, dataDir, catalog, directory, embedded, threadCount, indexes, log } = options;
  const fed: FedNode[] = settings.nodes.filter(({ indexFolder }) => indexFolder !== undefined);
  const locks = indexes ? await lockFolders(fed) : [];
  const temporaryFolder = join(dataDir, "zoekt");
  // A killed process may have left files there.
  if (indexes) diskFiles.removeFolder(temporaryFolder);
  const nodes = settings.nodes.map(({ name, url }) => new ZoektNode({ name, url, clock: systemClock }));
  const repositories: NodeRepositories = new NodeRepositories({
    nodes,
    clock: systemClock,
    log,
    find: (name) => catalog.byName(name),
    placesOf: (id) => indexer.placesOf(id),
  });
  const indexer = new ZoektIndexer({
    directory,
    nodes: fed,
    replicas: settings.replicas,
    isDrained: () => false,
    program: programOf(settings),
    temporaryFolder,
    files: diskFiles,
    onError: (error) => log.error("Cannot remove a repository from the Zoekt nodes.", { error }),
    async listed({ id }) {
      await repositories.refresh();
      return repositories.known
        .get(id)
        ?.branches.map(({ revision, commit }) => ({ name: revision, commit: commit as CommitHash }));
    },
    whenLoaded: (repository, names, signal) => whenLoaded(repositories, directory, repository, names, signal),
  });
  const manifests = () => [...directory.manifests().values()];
  const engine = new ZoektEngine({
    nodes,
    repositories,
    threads: new VerifyThreads(threadCount, (onExit) =>
      startThread<ZoektCall, ZoektResponse>(join(__dirname, "verifyWorker.js"), onExit),
    ),
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
  return {
    engine,
    indexing: {
      fingerprintOf: (id) =>
        indexer.placesOf(id).join(",") || JSON.stringify(repositories.known.get(id)?.branches ?? []),
      index: (repository, chosen, indexOptions) => indexer.index(repository, chosen, indexOptions),
      countsOf: (id: RepositoryId) => {
        const listed = repositories.known.get(id);
        if (listed === undefined) return undefined;
        const { documentCount, contentBytes, indexBytes } = listed;
        return { documentCount, contentBytes, indexBytes };
      },
    },
    hasRepository: (id) => repositories.known.has(id),
    refresh: () => repositories.refresh(),
    close() {
      for (const lock of locks) lock.release();
    },
  };
}

async function lockFolders(nodes: readonly FedNode[]): Promise<OwnerLock[]> {
  const locks: OwnerLock[] = [];
  for (const { name, indexFolder } of nodes) {
    if (indexFolder === undefined) continue;
    const lock = await acquireLock(indexFolder);
    if (lock.kind === "acquired") {
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

function programOf({ indexer }: ZoektSettings): string {
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
