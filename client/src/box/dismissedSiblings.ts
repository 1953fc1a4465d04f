/** The sibling repositories that the user does not want to index. Stored for the workspace. */
import type { Memento } from "#client/workbench/memento";

const key = "trawl.siblings.dismissed";

/** Returns their paths. */
export function dismissedSiblings(memento: Memento): ReadonlySet<string> {
  const stored = memento.get(key);
  return new Set(Array.isArray(stored) ? stored.filter((path) => typeof path === "string") : []);
}

export async function dismissSiblings(memento: Memento, paths: readonly string[]): Promise<void> {
  await memento.update(key, [...new Set([...dismissedSiblings(memento), ...paths])]);
}
