import { ServiceError } from "#base/error";
import type { Handler } from "#contract/service";
import type { RepositoryView } from "#service/repositories/repositoryView";
import type { Metrics } from "./metrics";

export interface SystemOptions {
  readonly version: string;
  readonly metrics: Metrics;
  readonly repositories: RepositoryView;
}

export function systemHandlers({ version, metrics, repositories }: SystemOptions): {
  health: Handler<"health">;
  version: Handler<"version">;
  metrics: Handler<"metrics">;
} {
  return {
    health: async () => ({ status: "ok" }),
    version: async () => ({ version }),
    async metrics() {
      // They count all repositories.
      if (repositories.isLimited) {
        throw new ServiceError(
          "INSUFFICIENT_PERMISSIONS",
          "Only those who see all repositories may read metrics. Use the API key of an owner.",
        );
      }
      return { text: await metrics.text() };
    },
  };
}
