import type { Memento } from "#client/workbench/memento";

/** A window's memento, stored as JSON, so that values must survive serialization. */
export function memoryMemento(content: Record<string, unknown> = {}): Memento {
  const stored = new Map(Object.entries(content).map(([key, value]) => [key, JSON.stringify(value)]));
  return {
    get: (key) => (stored.has(key) ? JSON.parse(stored.get(key) ?? "") : undefined),
    async update(key, value) {
      stored.set(key, JSON.stringify(value));
    },
  };
}
