/** What `trawl cluster` prints and changes: the state of Zoekt nodes, from the database and the nodes themselves. */
import { usageError } from "#base/error";
import { ZoektNode } from "#engine/zoekt/zoektNode";
import type { ZoektNodeSettings, ZoektSettings } from "#engine/zoekt/zoektSettings";
import { systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import { type IndexQueue, lagOf } from "#store/indexQueue";
import type { Configuration } from "./configuration";
import { openConfiguredQueue } from "./database";

export interface ClusterStatus {
  readonly nodes: readonly NodeStatus[];
  /** How many nodes should have each repository. */
  readonly replicas: number;
  /** Repositories that indexers should index. */
  readonly repositories: number;
  /** Those that too few nodes have indexed. */
  readonly underReplicated: number;
}

export interface NodeStatus {
  readonly name: string;
  readonly url: string;
  /** Whether the node has loaded its index and responds. */
  readonly isReachable: boolean;
  readonly isDrained: boolean;
  readonly hasIndexer: boolean;
  /** Whether its indexer said recently that it runs; absent without one. */
  readonly isIndexerAlive?: boolean;
  /** When its indexer last said that it runs, in milliseconds since 1970. */
  readonly indexerSeenAt?: number;
  /** Repositories that the node should have. */
  readonly repositories: number;
  readonly indexed: number;
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
  /** How long the oldest job that is not done has been wanted. */
  readonly lagSeconds: number;
}

/** Indexers say every few seconds that they run. */
const maxSilenceMs = 30_000;

/** Opens the database of a cluster. Throws USAGE if the configuration lacks it or the nodes, and ENGINE_UNAVAILABLE. */
export async function openCluster(configuration: Configuration, log: Log) {
  const { zoekt } = configuration;
  if (zoekt === undefined) throw usageError('The configuration file names no Zoekt nodes ("engine.zoekt").');
  const queue = await openConfiguredQueue(configuration, log);
  return {
    status: () => readStatus(zoekt, queue),
    setDrained: (node: string, isDrained: boolean) => setDrained(zoekt, queue, node, isDrained),
    close: () => queue.close(),
  };
}

async function readStatus(
  { nodes: configured, replicas }: ZoektSettings,
  queue: IndexQueue,
): Promise<ClusterStatus> {
  const [known, counts, placements, reachable] = await Promise.all([
    queue.nodes(),
    queue.counts(),
    queue.placements(),
    Promise.all(configured.map((node) => isReachable(node))),
  ]);
  const nodes = configured.map(({ name, url, hasIndexer }, at): NodeStatus => {
    const { isDrained = false, seenAt } = known.find((node) => node.name === name) ?? {};
    const jobs = counts.find(({ node }) => node === name);
    return {
      name,
      url,
      isReachable: reachable[at] === true,
      isDrained,
      hasIndexer,
      ...(hasIndexer
        ? { isIndexerAlive: seenAt !== undefined && systemClock.now() - seenAt < maxSilenceMs }
        : {}),
      ...(seenAt === undefined ? {} : { indexerSeenAt: seenAt }),
      repositories: placements.filter(({ node }) => node === name).length,
      ...(jobs?.counts ?? { indexed: 0, waiting: 0, running: 0, failed: 0 }),
      lagSeconds: jobs === undefined ? 0 : Math.round(lagOf(jobs, systemClock) / 1000),
    };
  });
  const usableCount = nodes.filter(({ isDrained, hasIndexer }) => hasIndexer && !isDrained).length;
  return {
    nodes,
    replicas,
    repositories: new Set(placements.map(({ repositoryId }) => repositoryId)).size,
    underReplicated: await queue.countUnderReplicated(Math.max(1, Math.min(replicas, usableCount))),
  };
}

/**
 * Has the repositories of a node move to others, or allows it to get some again. Throws USAGE for a node that is not
 * configured, that gets no index from Trawl, or that is the last one.
 */
async function setDrained(
  { nodes }: ZoektSettings,
  queue: IndexQueue,
  name: string,
  isDrained: boolean,
): Promise<void> {
  if (!nodes.some(({ hasIndexer }) => hasIndexer))
    throw usageError(
      'Only a cluster with indexers can move repositories. Set "hasIndexer": true for at least one node.',
    );
  const fed = nodes.filter(({ hasIndexer, indexFolder }) => hasIndexer || indexFolder !== undefined);
  if (!fed.some((node) => node.name === name))
    throw usageError(
      `There is no node "${name}" that Trawl has indexed. Its nodes are: ${fed.map((node) => node.name).join(", ") || "none"}.`,
    );
  const drained = new Set((await queue.nodes()).filter((node) => node.isDrained).map((node) => node.name));
  if (isDrained && fed.every((node) => node.name === name || drained.has(node.name)))
    throw usageError(`Node "${name}" is the last one that is not drained, so its repositories cannot move.`);
  await queue.setDrained(name, isDrained);
}

async function isReachable({ name, url }: ZoektNodeSettings): Promise<boolean> {
  const node = new ZoektNode({ name, url, clock: systemClock });
  try {
    return await node.isReady();
  } finally {
    await node.close();
  }
}
