import type { Handler } from "#contract/service";
import type { Metrics } from "./metrics";

export function systemHandlers(
  version: string,
  metrics: Metrics,
): {
  health: Handler<"health">;
  version: Handler<"version">;
  metrics: Handler<"metrics">;
} {
  return {
    health: async () => ({ status: "ok" }),
    version: async () => ({ version }),
    metrics: async () => ({ text: await metrics.text() }),
  };
}
