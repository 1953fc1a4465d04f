/** Operations on the leader itself: its statistics, its port, and whether it indexes. */
import { isServiceError, ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import type { Service } from "#contract/service";
import type { MemoryLimit } from "#platform/memoryLimit";
import type { ShardDirectory } from "#shard/directory/directory";
import type { Sync } from "#sync/sync";
import type { Ports } from "./ports";

export interface InstanceOperationOptions {
  readonly catalog: Catalog;
  readonly directory: Pick<ShardDirectory, "diskBytes">;
  readonly sync: Sync;
  readonly ports: Ports;
  readonly version: string;
  readonly dataDir: string;
  readonly memoryLimit: MemoryLimit;
  readonly pause: (isPaused: boolean) => void;
  /** Returns why a change of the configuration file is not in use. */
  readonly configurationProblem: () => string | undefined;
}

export function instanceOperations({
  catalog,
  directory,
  sync,
  ports,
  version,
  dataDir,
  memoryLimit,
  pause,
  configurationProblem,
}: InstanceOperationOptions): Pick<Service, "instance" | "startEndpoint" | "stopEndpoint" | "pauseIndexing"> {
  return {
    async instance() {
      const all = catalog.all();
      const count = (matches: (repository: (typeof all)[number]) => boolean) => all.filter(matches).length;
      const { url } = ports;
      const maxIndexBytes = sync.storage.maxBytes;
      const problem = configurationProblem();
      return {
        version,
        pid: process.pid,
        dataDir,
        ...(url === undefined ? {} : { url }),
        isPaused: sync.isPaused,
        ...(problem === undefined ? {} : { configurationProblem: problem }),
        paths: catalog.paths.length,
        repositories: all.length,
        ready: count(({ state }) => state === "ready"),
        failed: count(({ state }) => state === "failed"),
        polled: count(({ id }) => sync.isPolled(id)),
        contentBytes: all.reduce((total, { contentBytes }) => total + contentBytes, 0),
        indexBytes: directory.diskBytes,
        ...(maxIndexBytes === undefined ? {} : { maxIndexBytes }),
        evicted: count(({ state }) => state === "evicted"),
        memoryBytes: process.memoryUsage.rss(),
        ...(memoryLimit.maxBytes === undefined ? {} : { maxMemoryBytes: memoryLimit.maxBytes }),
        uptimeSeconds: Math.floor(process.uptime()),
      };
    },

    async startEndpoint(request) {
      try {
        return { url: (await ports.start(request)).url };
      } catch (cause) {
        // A usage error of the command line is an invalid request here.
        if (isServiceError(cause, "USAGE"))
          throw new ServiceError("INVALID_REQUEST_BODY", cause.message, { cause });
        throw cause;
      }
    },

    async stopEndpoint() {
      await ports.stop();
      return {};
    },

    async pauseIndexing({ isPaused }) {
      pause(isPaused);
      return {};
    },
  };
}
