import type { ChosenRevisions } from "#git/refs/revisions";
import type { IndexedRevision, Manifest } from "#shard/directory/manifest";

/** Assigns slots: a ref keeps its slot as long as it exists, and a new ref gets an unused one. */
export function assignSlots(
  old: Pick<Manifest, "revisions" | "nextSlot"> | undefined,
  revisions: ChosenRevisions["revisions"],
): { revisions: IndexedRevision[]; nextSlot: number } {
  const known = new Map((old?.revisions ?? []).map(({ name, slot }) => [name, slot]));
  let nextSlot = old?.nextSlot ?? 0;
  const slotted = revisions.map(({ name, commit }) => ({
    name,
    commit,
    slot: known.get(name) ?? nextSlot++,
  }));
  return { revisions: slotted, nextSlot };
}
