/** What `/metrics` says about the index of a leader. */
import type { Catalog } from "#catalog/catalog";
import { mirrorStateOf, mirrorStates } from "#mirrors/mirrorRecord";
import { type Repository, repositoryStates } from "#model/repository";
import type { MemoryLimit } from "#platform/memoryLimit";
import type { Measurement } from "#service/metrics";
import type { ShardDirectory } from "#shard/directory/directory";
import type { Sync } from "#sync/sync";

export interface LeaderMetricsOptions {
  readonly catalog: Catalog;
  readonly directory: Pick<ShardDirectory, "diskBytes">;
  readonly sync: Sync;
  readonly version: string;
  readonly memoryLimit: MemoryLimit;
  /** How many damaged files of the index were found. */
  readonly damagedCount: () => number;
}

export function leaderMeasurements({
  catalog,
  directory,
  sync,
  version,
  memoryLimit,
  damagedCount,
}: LeaderMetricsOptions): readonly Measurement[] {
  const gauge = (name: string, help: string, read: Measurement["read"], label?: string): Measurement => ({
    kind: "gauge",
    name,
    help,
    read,
    ...(label === undefined ? {} : { label }),
  });
  const sum = (field: "contentBytes" | "documentCount") =>
    [...catalog.all(), ...catalog.packages()].reduce((total, each) => total + each[field], 0);
  return [
    gauge("trawl_info", "The version.", () => [[version, 1]], "version"),
    gauge("trawl_repositories", "Repositories, by state.", () => countByState(catalog.all()), "state"),
    gauge("trawl_packages", "Packages, by state.", () => countByState(catalog.packages()), "state"),
    gauge(
      "trawl_polled_repositories",
      "Repositories that are polled, because they cannot be watched.",
      () => catalog.all().filter(({ id }) => sync.isPolled(id)).length,
    ),
    gauge("trawl_documents", "Indexed documents.", () => sum("documentCount")),
    gauge("trawl_content_bytes", "Text of the indexed documents.", () => sum("contentBytes")),
    gauge("trawl_index_bytes", "Size of the index on disk.", () => directory.diskBytes),
    gauge(
      "trawl_index_limit_bytes",
      "Limit of the size of the index on disk; 0 without one.",
      () => sync.storage.maxBytes ?? 0,
    ),
    gauge(
      "trawl_memory_limit_bytes",
      "Soft limit on `process_resident_memory_bytes`; 0 without one.",
      () => memoryLimit.maxBytes ?? 0,
    ),
    {
      kind: "counter",
      name: "trawl_evictions_total",
      help: "Indexes of repositories, and of revisions of one repository, that were removed because of the limit.",
      read: () => sync.storage.evictions.count,
    },
    gauge("trawl_indexing_paused", "1 while indexing is paused.", () => (sync.isPaused ? 1 : 0)),
    {
      kind: "counter",
      name: "trawl_webhooks_total",
      help: "Webhooks of code hosts, by result.",
      label: "result",
      read: () => sync.codeHosts?.webhooks.counts ?? [],
    },
    {
      kind: "counter",
      name: "trawl_damaged_files_total",
      help: "Damaged files of the index that were found, and are built again.",
      read: damagedCount,
    },
    ...mirrorMeasurements(sync),
  ];
}

function mirrorMeasurements(sync: Sync): readonly Measurement[] {
  return [
    {
      kind: "gauge",
      name: "trawl_mirrors",
      help: "Mirrors of repositories on code hosts, by state.",
      label: "state",
      read: () => {
        const counts = new Map(mirrorStates.map((state) => [state, 0]));
        for (const mirror of sync.codeHosts?.mirrors ?? []) {
          const state = mirrorStateOf(mirror);
          counts.set(state, (counts.get(state) ?? 0) + 1);
        }
        return counts;
      },
    },
    {
      kind: "counter",
      name: "trawl_mirror_fetches_total",
      help: "Clones and fetches of mirrors that have ended, by result.",
      label: "result",
      read: () => Object.entries(sync.codeHosts?.fetchStatistics.ended ?? {}),
    },
    {
      kind: "gauge",
      name: "trawl_mirror_queue",
      help: "Mirrors that are waiting to be cloned or fetched, and that are now.",
      label: "kind",
      read: () => {
        const { waitingClones = 0, waitingFetches = 0, running = 0 } = sync.codeHosts?.fetchStatistics ?? {};
        return Object.entries({ clone: waitingClones, fetch: waitingFetches, running });
      },
    },
    {
      kind: "gauge",
      name: "trawl_mirror_index_lag_seconds",
      help: "How long the oldest change that was fetched has been waiting to be indexed.",
      read: () => (sync.codeHosts?.fetchStatistics.indexLagMs ?? 0) / 1000,
    },
  ];
}

function countByState(repositories: readonly Repository[]): ReadonlyMap<string, number> {
  const counts = new Map(repositoryStates.map((state) => [state, 0]));
  for (const { state } of repositories) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
