import type { Handler } from "#contract/service";

export function systemHandlers(version: string): {
  health: Handler<"health">;
  version: Handler<"version">;
} {
  return {
    health: async () => ({ status: "ok" }),
    version: async () => ({ version }),
  };
}
