import type { Memory } from "#client/search/history";

/** What a window keeps, as JSON: it must survive being written down. */
export function memory(content: Record<string, unknown> = {}): Memory {
  const kept = new Map(Object.entries(content).map(([key, value]) => [key, JSON.stringify(value)]));
  return {
    get: (key) => (kept.has(key) ? JSON.parse(kept.get(key) ?? "") : undefined),
    async update(key, value) {
      kept.set(key, JSON.stringify(value));
    },
  };
}
