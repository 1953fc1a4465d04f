/** The rows about the process that leads: what it holds, its port, and whether it indexes. */
import { isServiceError, ServiceError } from "#base/error";
import type { Catalogue } from "#catalogue/catalogue";
import type { Service } from "#contract/service";
import type { Sync } from "#sync/sync";
import type { Ports } from "./ports";

export interface InstanceParts {
  readonly catalogue: Catalogue;
  readonly sync: Sync;
  readonly ports: Ports;
  readonly version: string;
  readonly dataDir: string;
  readonly pause: (isPaused: boolean) => void;
}

export function instanceRows({
  catalogue,
  sync,
  ports,
  version,
  dataDir,
  pause,
}: InstanceParts): Pick<Service, "instance" | "startEndpoint" | "stopEndpoint" | "pauseIndexing"> {
  return {
    async instance() {
      const all = catalogue.all();
      const count = (holds: (repository: (typeof all)[number]) => boolean) => all.filter(holds).length;
      const sum = (field: "contentBytes" | "indexBytes") =>
        all.reduce((total, each) => total + each[field], 0);
      const { url } = ports;
      return {
        version,
        pid: process.pid,
        dataDir,
        ...(url === undefined ? {} : { url }),
        isPaused: sync.isPaused,
        repositories: all.length,
        ready: count(({ state }) => state === "ready"),
        failed: count(({ state }) => state === "failed"),
        polled: count(({ id }) => sync.isPolled(id)),
        contentBytes: sum("contentBytes"),
        indexBytes: sum("indexBytes"),
        memoryBytes: process.memoryUsage.rss(),
        uptimeSeconds: Math.floor(process.uptime()),
      };
    },

    async startEndpoint(request) {
      try {
        return { url: (await ports.start(request)).url };
      } catch (cause) {
        // What is wrong on a command line is here wrong in a request.
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
