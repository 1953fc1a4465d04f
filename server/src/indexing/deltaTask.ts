/**
 * The worker's side of a delta: what moved, appeared or differs becomes one small shard over the older ones.
 *
 * New contents become documents of the delta; contents that older segments already have get another set of slots.
 */
import { attributesInTree, attributesName, isAttributesFile } from "#git/attributesFiles";
import { type BytePath, bytePath, bytesOf, foldersOf, joined } from "#git/bytePath";
import { findMissing } from "#git/partialClone";
import type { GitPlace } from "#git/place";
import { diffTrees, rootTrees, type TreeEntry } from "#git/tree";
import { linguistAttributes } from "#languages/attributes";
import { fileSource } from "#platform/byteSource";
import { loadChecksum } from "#shard/checksum";
import type { Draft } from "#shard/directory";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";
import type { Likeness, Override } from "#shard/shard";
import { addDocuments, categoryRank, type TaskFrame, writeShard } from "./buildTask";
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

export interface Delta {
  readonly place: GitPlace;
  readonly moved: readonly MovedRevision[];
  readonly segmentPaths: readonly string[];
  /** The default revision as it was and as it is. */
  readonly defaultSlots: { readonly before?: number | undefined; readonly after?: number | undefined };
}

/** More documents than this are quicker to build anew than to override. */
const maxDeltaDocuments = 8_000;

/**
 * Writes one delta shard, or none where the refs moved between commits with the same contents and nothing is new.
 * `undefined` where a delta does not pay or cannot be made: a commit is gone, or too much has changed, or what the
 * repository says of its own files has.
 */
export async function buildDelta(
  { place, moved, segmentPaths, defaultSlots }: Delta,
  frame: TaskFrame,
): Promise<{ drafts: Draft[]; lostSlots: number[] } | undefined> {
  const { signal } = frame;
  const compared = await compare(moved, place, signal);
  if (compared === undefined) return undefined;
  const { changes, lostSlots, trees } = compared;
  const kept = moved.filter(({ slot }) => !lostSlots.includes(slot));
  const likenesses = kept.flatMap(({ slot, like }) => (like === undefined ? [] : [{ slot, like }]));
  const isDefaultMoved = defaultSlots.before !== defaultSlots.after;
  if (changes.size === 0 && likenesses.length === 0 && !isDefaultMoved) return { drafts: [], lostSlots };
  if (changes.size > maxDeltaDocuments || changesAttributes(changes, defaultSlots.after)) return undefined;

  const checksum = await loadChecksum();
  const readers: ShardReader[] = [];
  try {
    for (const path of segmentPaths) readers.push(new ShardReader(fileSource(path), checksum));
    const segments = new RepositorySegments(frame.repositoryId, readers);
    const slotsOf = (slots: readonly number[]) => withLikenesses(slots, likenesses);
    if (isDefaultMoved && !haveSameAttributes(segments, slotsOf, defaultSlots)) return undefined;
    if (changes.size === 0 && likenesses.length === 0) return { drafts: [], lostSlots };
    const { documents, overrides } = planDelta(changes, likenesses, segments);
    const missing = await findMissing(place, trees, signal);
    const known = attributesAround(documents, segments, (slots) =>
      slotsOf(slots).includes(defaultSlots.after ?? -1),
    ).filter(({ hash }) => !missing.has(hash));
    const attributesOf = linguistAttributes(await attributesInTree(place, known, signal));
    const sorted = sortByRank(documents, categoryRank(attributesOf));
    const building = { ...frame, place, missing, attributesOf };
    const draft = await writeShard(frame.draftPath, frame, async (writer) => {
      writer.markDelta();
      for (const likeness of likenesses) writer.liken(likeness);
      for (const override of overrides) writer.override(override);
      await addDocuments(writer, sorted, building, Number.POSITIVE_INFINITY);
    });
    return { drafts: [draft], lostSlots };
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** Whether the default revision has another `.gitattributes` than it had: all documents may be affected. */
function changesAttributes(changes: ChangesByPath, defaultSlot: number | undefined): boolean {
  for (const [path, slots] of changes) {
    if (defaultSlot !== undefined && slots.has(defaultSlot) && isAttributesFile(path)) return true;
  }
  return false;
}

/** Whether two revisions have the same `.gitattributes` everywhere. */
function haveSameAttributes(
  segments: RepositorySegments,
  slotsOf: (slots: readonly number[]) => readonly number[],
  { before = -1, after = -1 }: Delta["defaultSlots"],
): boolean {
  for (const { segment, document, slots } of segments.documents()) {
    const all = slotsOf(slots);
    if (all.includes(before) === all.includes(after)) continue;
    const reader = segments.segments[segment]?.reader;
    if (reader !== undefined && isAttributesFile(bytePath(reader.path(document)))) return false;
  }
  return true;
}

/** Each `.gitattributes` in a folder of the documents, or in one around it, as the index has them. */
function attributesAround(
  documents: readonly PlannedDocument[],
  segments: Pick<RepositorySegments, "find">,
  isDefault: (slots: readonly number[]) => boolean,
): TreeEntry[] {
  return foldersOf(documents.map(({ path }) => path)).flatMap((folder) => {
    const path = joined(folder, attributesName);
    const found = segments.find(bytesOf(path)).find(({ slots }) => isDefault(slots));
    return found === undefined ? [] : [{ path, hash: found.blob, isSymlink: false }];
  });
}

/** For each path, what each slot has there now: the hash of a blob, or nothing. */
type ChangesByPath = ReadonlyMap<BytePath, ReadonlyMap<number, string | undefined>>;

/** `undefined` where a commit that the index was made from is gone. */
async function compare(
  moved: readonly MovedRevision[],
  place: GitPlace,
  signal: AbortSignal,
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
