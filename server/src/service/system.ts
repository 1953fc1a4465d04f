import { ServiceError } from "#base/error";
import type { Handler } from "#contract/service";
import { notReady } from "#contract/system";
import type { RepositoryView } from "#service/repositories/repositoryView";
import type { Metrics } from "./metrics";

export interface SystemOptions {
  readonly version: string;
  readonly metrics: Metrics;
  readonly repositories: RepositoryView;
  /** Returns why this process cannot answer requests yet; `undefined` if it can. */
  readonly problem?: () => string | undefined;
}

export function systemHandlers({ version, metrics, repositories, problem }: SystemOptions): {
  health: Handler<"health">;
  version: Handler<"version">;
  metrics: Handler<"metrics">;
} {
  return {
    async health() {
      const reason = problem?.();
      if (reason !== undefined) throw new ServiceError("ENGINE_UNAVAILABLE", notReady + reason);
      return { status: "ok" };
    },
    version: async () => ({ version }),
    async metrics() {
      // They count all repositories.
      if (repositories.isLimited) {
        throw new ServiceError(
          "INSUFFICIENT_PERMISSIONS",
          "Metrics count all repositories, so callers who are limited by rules or by their key may not read them. Use the key of an owner.",
        );
      }
      return { text: await metrics.text() };
    },
  };
}
