import type { ChosenRevisions } from "#git/revisions";
import type { IndexedRevision, Manifest } from "#shard/directory";

/** A ref keeps its slot as long as it exists; a new one gets one that no ref ever had. */
export function giveSlots(
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
