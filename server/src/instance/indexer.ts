/** The role `indexer`: a process beside a Zoekt node that fetches and indexes what the leader wants this node to have. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { usageError } from "#base/error";
import { readSecret } from "#hosts/secret";
import { runIndexJob } from "#indexing/indexJob";
import { endStrayIndexers, indexedIds } from "#indexing/zoektRun";
import { systemClock } from "#platform/clock";
import { diskFiles } from "#platform/files";
import { acquireLock } from "#platform/lock";
import type { Log } from "#platform/log";
import { Metrics } from "#service/metrics";
import { lagOf } from "#store/indexQueue";
import { serveMonitoring } from "#transport/http/monitoringServer";
import type { Configuration } from "./configuration";
import { openConfiguredQueue } from "./database";
import { IndexerLoop } from "./indexerLoop";
import { zoektProgram } from "./zoektCluster";

export interface Indexer {
  readonly url: string;
  close(): Promise<void>;
}

export interface IndexerOptions {
  readonly configuration: Configuration;
  /** The name of the node in the configuration. */
  readonly node: string;
  readonly version: string;
  readonly log: Log;
}

/** A cluster has many indexers, and they share the connections that a server accepts. */
const maxConnections = 2;

/**
 * Starts to index for a node. Throws USAGE if the configuration lacks what it needs, or if another process writes to the
 * index folder of the node, STORAGE_FAILED if this process cannot, and ENGINE_UNAVAILABLE without the database.
 */
export async function openIndexer({ configuration, node, version, log }: IndexerOptions): Promise<Indexer> {
  const { zoekt, host, port = 0, indexWorkers } = configuration;
  const found = zoekt?.nodes.find(({ name }) => name === node);
  if (zoekt === undefined || found === undefined)
    throw usageError(`"engine.zoekt.nodes" in the configuration file has no node "${node}".`);
  const { indexFolder } = found;
  if (indexFolder === undefined || !found.hasIndexer)
    throw usageError(`Node "${node}" must have "hasIndexer": true and an "indexFolder".`);
  const queue = await openConfiguredQueue(configuration, log, maxConnections);
  const lock = await acquireLock(indexFolder);
  if (lock.kind === "held") {
    await queue.close();
    throw usageError(`Another process writes to ${indexFolder}. Stop it first.`);
  }
  endStrayIndexers(indexFolder);
  const temporaryFolder = join(indexFolder, ".trawl");
  // A killed process may have left files there.
  diskFiles.removeFolder(temporaryFolder);
  const release = async () => {
    await queue.close();
    lock.release();
  };
  try {
    const lostCount = await queue.recover(node, indexedIds(indexFolder));
    if (lostCount > 0)
      log.warn(`${indexFolder} lacks the index of ${lostCount} repositories. They are indexed again.`);
  } catch (error) {
    await release();
    throw error;
  }
  const { gitUrl, gitToken } = zoekt;
  const context = {
    indexFolder,
    program: zoektProgram(zoekt),
    temporaryFolder,
    files: diskFiles,
    token:
      gitUrl === undefined || gitToken === undefined
        ? undefined
        : { origin: new URL(gitUrl).origin, read: async () => (await readSecret(gitToken)).reveal() },
  };
  const loop = new IndexerLoop({
    queue,
    node,
    slots: indexWorkers ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    clock: systemClock,
    log,
    run: (job, signal) => runIndexJob(job, context, signal),
    leaseMs: zoekt.leaseSeconds * 1000,
  });
  const metrics = measure(loop, version);
  const monitoring = await serveMonitoring({
    host,
    port,
    isReady: () => loop.isConnected,
    async metrics() {
      await loop.readBacklog();
      return await metrics.text();
    },
  }).catch(async (error: unknown) => {
    await loop.close();
    await release();
    throw error;
  });
  return {
    url: monitoring.url,
    async close() {
      await monitoring.close();
      metrics.close();
      await loop.close();
      await release();
    },
  };
}

function measure(loop: IndexerLoop, version: string): Metrics {
  const metrics = new Metrics();
  metrics.add(
    { kind: "gauge", name: "trawl_info", help: "The version.", label: "version", read: () => [[version, 1]] },
    {
      kind: "counter",
      name: "trawl_index_jobs_total",
      help: "Index jobs that have ended, by result.",
      label: "result",
      read: () => Object.entries(loop.counts),
    },
    {
      kind: "gauge",
      name: "trawl_index_jobs_running",
      help: "Index jobs that run now.",
      read: () => loop.runningCount,
    },
    {
      kind: "gauge",
      name: "trawl_index_jobs_waiting",
      help: "Index jobs that wait for this indexer, or failed and are tried again.",
      read: () => loop.backlog?.waitingCount ?? Number.NaN,
    },
    {
      kind: "gauge",
      name: "trawl_index_lag_seconds",
      help: "How long the oldest index job that is not done has been wanted.",
      read: () => (loop.backlog === undefined ? Number.NaN : lagOf(loop.backlog, systemClock) / 1000),
    },
    {
      kind: "gauge",
      name: "trawl_database_connected",
      help: "1 if the database responded the last time.",
      read: () => (loop.isConnected ? 1 : 0),
    },
  );
  return metrics;
}
