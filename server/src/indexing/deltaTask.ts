/**
 * The worker's side of a delta: what moved, appeared or differs becomes one small shard over the older ones.
 *
 * New contents become documents of the delta; contents that older segments already have get another set of slots.
 */
import type { BytePath } from "#git/bytePath";
import { bytesOf } from "#git/bytePath";
import { findMissing } from "#git/partialClone";
import { diffTrees, rootTrees } from "#git/tree";
import { fileSource } from "#platform/byteSource";
import { loadChecksum } from "#shard/checksum";
import type { Draft } from "#shard/directory";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";
import type { Likeness, Override } from "#shard/shard";
import { addDocuments, type Building, categoryRank, writeShard } from "./buildTask";
import { type PlannedDocument, sortByRank } from "./plan";

/** A ref that names another commit than when it was indexed, or that is new. */
export interface MovedRevision {
  readonly slot: number;
  readonly commit: string;
  /** What the index has for this slot, or for `like`. */
  readonly indexedCommit: string;
  /** A new ref begins as a copy of this slot. */
  readonly like?: number;
}

/** More documents than this are quicker to build anew than to override. */
const maxDeltaDocuments = 8_000;

/**
 * Writes one delta shard, or none where the refs moved between commits with the same contents and nothing is new.
 * `undefined` where a delta does not pay or cannot be made: a commit is gone, or too much has changed.
 */
export async function buildDelta(
  moved: readonly MovedRevision[],
  segmentPaths: readonly string[],
  building: Omit<Building, "missing">,
): Promise<{ drafts: Draft[]; lostSlots: number[] } | undefined> {
  const compared = await compare(moved, building);
  if (compared === undefined) return undefined;
  const { changes, lostSlots, trees } = compared;
  const kept = moved.filter(({ slot }) => !lostSlots.includes(slot));
  const likenesses = kept.flatMap(({ slot, like }) => (like === undefined ? [] : [{ slot, like }]));
  if (changes.size === 0 && likenesses.length === 0) return { drafts: [], lostSlots };
  if (changes.size > maxDeltaDocuments) return undefined;

  const checksum = await loadChecksum();
  const readers: ShardReader[] = [];
  try {
    for (const path of segmentPaths) readers.push(new ShardReader(fileSource(path), checksum));
    const segments = new RepositorySegments(building.repositoryId, readers);
    const { documents, overrides } = planDelta(changes, likenesses, segments);
    const missing = await findMissing(building.place, trees, building.signal);
    const sorted = sortByRank(documents, categoryRank);
    const draft = await writeShard(building.draftPath, building, async (writer) => {
      writer.markDelta();
      for (const likeness of likenesses) writer.liken(likeness);
      for (const override of overrides) writer.override(override);
      await addDocuments(writer, sorted, { ...building, missing }, Number.POSITIVE_INFINITY);
    });
    return { drafts: [draft], lostSlots };
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** For each path, what each slot has there now: the hash of a blob, or nothing. */
type ChangesByPath = ReadonlyMap<BytePath, ReadonlyMap<number, string | undefined>>;

/** `undefined` where a commit that the index was made from is gone. */
async function compare(
  moved: readonly MovedRevision[],
  { place, signal }: Omit<Building, "missing">,
): Promise<{ changes: ChangesByPath; lostSlots: number[]; trees: string[] } | undefined> {
  const commits = moved.flatMap(({ indexedCommit, commit }) => [indexedCommit, commit]);
  const trees = await rootTrees(place, commits, signal);
  const pairs: { slot: number; from: string; to: string }[] = [];
  const lostSlots: number[] = [];
  for (const [index, { slot }] of moved.entries()) {
    const from = trees[2 * index];
    const to = trees[2 * index + 1];
    if (from === undefined) return undefined;
    if (to === undefined) lostSlots.push(slot);
    else pairs.push({ slot, from, to });
  }
  const changes = new Map<BytePath, Map<number, string | undefined>>();
  for (const [index, differences] of (await diffTrees(place, pairs, signal)).entries()) {
    const slot = pairs[index]?.slot ?? 0;
    for (const { path, entry } of differences) {
      const slots = changes.get(path) ?? new Map<number, string | undefined>();
      changes.set(path, slots.set(slot, entry?.hash));
    }
  }
  return { changes, lostSlots, trees: pairs.map(({ to }) => to) };
}

/** Exported for tests. */
export function planDelta(
  changes: ChangesByPath,
  likenesses: readonly Likeness[],
  segments: Pick<RepositorySegments, "find">,
): { documents: PlannedDocument[]; overrides: Override[] } {
  const documents: PlannedDocument[] = [];
  const overrides: Override[] = [];
  for (const [path, slots] of changes) {
    const missing = new Map<string, number[]>();
    for (const [slot, hash] of slots) {
      if (hash !== undefined) missing.set(hash, [...(missing.get(hash) ?? []), slot]);
    }
    for (const { segment, document, blob, slots: older } of segments.find(bytesOf(path))) {
      const before = withLikenesses(older, likenesses);
      const arriving = missing.get(blob) ?? [];
      missing.delete(blob);
      const after = [...new Set([...before.filter((slot) => !slots.has(slot)), ...arriving])].sort(ascending);
      if (after.join() !== before.join()) overrides.push({ segment, document, slots: after });
    }
    for (const [hash, wanted] of missing) documents.push({ path, hash, slots: wanted.sort(ascending) });
  }
  return { documents, overrides };
}

function withLikenesses(slots: readonly number[], likenesses: readonly Likeness[]): number[] {
  const all = new Set(slots);
  for (const { slot, like } of likenesses) if (all.has(like)) all.add(slot);
  return [...all].sort(ascending);
}

function ascending(left: number, right: number): number {
  return left - right;
}
