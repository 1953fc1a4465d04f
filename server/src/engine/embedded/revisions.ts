import { revisionMatcher } from "#query/revisionName";
import type { KnownRepository } from "./shardSet";

/** Slots of the indexed revisions that any of the names tells: `*`, `HEAD`, a ref name or its end, a glob, a SHA. */
export function selectSlots(repository: KnownRepository, names: readonly string[]): Set<number> {
  const selected = new Set<number>();
  const { revisions, isFolder } = repository.shards;
  for (const name of names) {
    if (name === "*" && isFolder) selected.add(0);
    if (name === "HEAD" && repository.defaultSlot !== undefined) selected.add(repository.defaultSlot);
    const matches = revisionMatcher(name);
    for (const revision of revisions)
      if (matches(revision.name, revision.commit)) selected.add(revision.slot);
  }
  return selected;
}
