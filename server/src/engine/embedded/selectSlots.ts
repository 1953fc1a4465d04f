import { revisionMatcher } from "#query/revisionName";
import type { RepositoryShards } from "./searchMessages";

/** The revisions of a repository, and the slot of its default one. */
export interface RevisionSlots {
  readonly shards: Pick<RepositoryShards, "isFolder" | "revisions">;
  readonly defaultSlot: number | undefined;
}

/**
 * Returns the slots of the indexed revisions that match any of the names: `*`, `HEAD`, a short or full ref name, a
 * glob, or a commit SHA of at least seven digits.
 */
export function selectSlots({ shards, defaultSlot }: RevisionSlots, names: readonly string[]): Set<number> {
  const selected = new Set<number>();
  const { revisions, isFolder } = shards;
  for (const name of names) {
    if (name === "*" && isFolder) selected.add(0);
    if (name === "HEAD" && defaultSlot !== undefined) selected.add(defaultSlot);
    const matches = revisionMatcher(name);
    for (const revision of revisions)
      if (matches(revision.name, revision.commit)) selected.add(revision.slot);
  }
  return selected;
}
