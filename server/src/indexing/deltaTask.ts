/**
 * Builds a delta shard on a worker: the changes of moved and new refs become one small shard over the older ones.
 *
 * New contents become documents of the delta. Documents of older segments get another set of slots (overrides).
 */

import { ancestorsOf, type BytePath, bytePath, bytesOf, joinPath } from "#git/bytePath";
import { diffTrees, findMissingObjects, rootTrees, type TreeEntry } from "#git/objects/tree";
import type { GitRepository } from "#git/repository";
import { attributesInTree, attributesName, isAttributesFile } from "#git/workTree/attributesFiles";
import { linguistAttributes } from "#languages/attributes";
import { fileSource } from "#platform/byteSource";
import type { Draft } from "#shard/directory/directory";
import { type Checksum, loadChecksum, shardDamaged } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import type { Override, SlotCopy } from "#shard/format/shard";
import { addDocuments, type BuildContext, categoryRank, writeShard } from "./buildTask";
import { type PlannedDocument, sortByRank } from "./plan";

/** A ref that points to another commit than when it was indexed, or is new. */
export interface MovedRevision {
  readonly slot: number;
  readonly commit: string;
  /** The commit that is indexed for this slot, or for `copiedSlot` if the ref is new. */
  readonly indexedCommit: string;
  /** A new ref starts as a copy of this slot. */
  readonly copiedSlot?: number;
}

export interface Delta {
  readonly gitRepository: GitRepository;
  readonly moved: readonly MovedRevision[];
  readonly segmentPaths: readonly string[];
  /** The slots of the old and the new default revision. */
  readonly defaultSlots: { readonly before?: number | undefined; readonly after?: number | undefined };
}

/** With more changed paths than this, a rebuild is faster. */
const maxDeltaDocuments = 8_000;

/**
 * Writes one delta shard, or none if no contents changed and there are no new refs. `lostSlots` are those of refs whose
 * new commit or tree is missing. Returns `undefined` if a rebuild is necessary: an indexed commit no longer exists, the
 * default revision is lost, too much has changed, or a `.gitattributes` file of the default revision has changed.
 */
export async function buildDelta(
  { gitRepository, moved, segmentPaths, defaultSlots }: Delta,
  context: BuildContext,
): Promise<{ drafts: Draft[]; lostSlots: number[] } | undefined> {
  const { signal } = context;
  const compared = await compare(moved, gitRepository, signal);
  if (compared === undefined) return undefined;
  const { changes, lostSlots, trees } = compared;
  if (defaultSlots.after !== undefined && lostSlots.includes(defaultSlots.after)) return undefined;
  const existing = moved.filter(({ slot }) => !lostSlots.includes(slot));
  const slotCopies = existing.flatMap(({ slot, copiedSlot }) =>
    copiedSlot === undefined ? [] : [{ slot, like: copiedSlot }],
  );
  const isDefaultMoved = defaultSlots.before !== defaultSlots.after;
  if (changes.size === 0 && slotCopies.length === 0 && !isDefaultMoved) return { drafts: [], lostSlots };
  if (changes.size > maxDeltaDocuments || changesAttributes(changes, defaultSlots.after)) return undefined;

  const checksum = await loadChecksum();
  const readers: ShardReader[] = [];
  try {
    for (const path of segmentPaths) readers.push(openShard(path, checksum));
    const segments = new RepositorySegments(context.repositoryId, readers);
    const slotsOf = (slots: readonly number[]) => applySlotCopies(slots, slotCopies);
    if (isDefaultMoved && !haveSameAttributes(segments, slotsOf, defaultSlots)) return undefined;
    if (changes.size === 0 && slotCopies.length === 0) return { drafts: [], lostSlots };
    const { documents, overrides } = planDelta(changes, slotCopies, segments);
    const missing = await findMissingObjects(gitRepository, trees, signal);
    const known = enclosingAttributes(documents, segments, (slots) =>
      slotsOf(slots).includes(defaultSlots.after ?? -1),
    ).filter(({ hash }) => !missing.has(hash));
    const attributesOf = linguistAttributes(await attributesInTree(gitRepository, known, signal));
    const sorted = sortByRank(documents, categoryRank(attributesOf));
    const build = { ...context, gitRepository, missing, attributesOf };
    const draft = await writeShard(context.draftPath, context, async (writer) => {
      writer.markDelta();
      for (const slotCopy of slotCopies) writer.copySlot(slotCopy);
      for (const override of overrides) writer.override(override);
      await addDocuments(writer, sorted, build, Number.POSITIVE_INFINITY);
    });
    return { drafts: [draft], lostSlots };
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** Opens a shard. A missing file also throws SHARD_DAMAGED, because only a rebuild can replace it. */
function openShard(path: string, checksum: Checksum): ShardReader {
  try {
    return new ShardReader(fileSource(path), checksum);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw shardDamaged(`The shard ${path} is missing`);
  }
}

/** Whether a `.gitattributes` file of the default revision changed, which may affect all documents. */
function changesAttributes(changes: ChangesByPath, defaultSlot: number | undefined): boolean {
  for (const [path, slots] of changes) {
    if (defaultSlot !== undefined && slots.has(defaultSlot) && isAttributesFile(path)) return true;
  }
  return false;
}

/** Whether two revisions have the same `.gitattributes` files. */
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

/** Returns the `.gitattributes` files that can apply to the documents, from the index. */
function enclosingAttributes(
  documents: readonly PlannedDocument[],
  segments: Pick<RepositorySegments, "find">,
  isDefault: (slots: readonly number[]) => boolean,
): TreeEntry[] {
  return ancestorsOf(documents.map(({ path }) => path)).flatMap((folder) => {
    const path = joinPath(folder, attributesName);
    const found = segments.find(bytesOf(path)).find(({ slots }) => isDefault(slots));
    return found === undefined ? [] : [{ path, hash: found.blob, isSymlink: false }];
  });
}

/** For each path and slot, the new blob hash, or `undefined` for a deleted file. */
type ChangesByPath = ReadonlyMap<BytePath, ReadonlyMap<number, string | undefined>>;

/** Returns `undefined` if an indexed commit no longer exists. */
async function compare(
  moved: readonly MovedRevision[],
  gitRepository: GitRepository,
  signal: AbortSignal,
): Promise<{ changes: ChangesByPath; lostSlots: number[]; trees: string[] } | undefined> {
  const commits = moved.flatMap(({ indexedCommit, commit }) => [indexedCommit, commit]);
  const trees = await rootTrees(gitRepository, commits, signal);
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
  const complete: string[] = [];
  for (const [index, treeChanges] of (await diffTrees(gitRepository, pairs, signal)).entries()) {
    const { slot = 0, to = "" } = pairs[index] ?? {};
    if (treeChanges === undefined) {
      lostSlots.push(slot);
      continue;
    }
    complete.push(to);
    for (const { path, entry } of treeChanges) {
      const slots = changes.get(path) ?? new Map<number, string | undefined>();
      changes.set(path, slots.set(slot, entry?.hash));
    }
  }
  return { changes, lostSlots, trees: complete };
}

/** Plans the documents and the overrides of a delta. Exported for tests. */
export function planDelta(
  changes: ChangesByPath,
  slotCopies: readonly SlotCopy[],
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
      const before = applySlotCopies(older, slotCopies);
      const addedSlots = missing.get(blob) ?? [];
      missing.delete(blob);
      const after = [...new Set([...before.filter((slot) => !slots.has(slot)), ...addedSlots])].sort(
        ascending,
      );
      if (after.join() !== before.join()) overrides.push({ segment, document, slots: after });
    }
    for (const [hash, wanted] of missing) documents.push({ path, hash, slots: wanted.sort(ascending) });
  }
  return { documents, overrides };
}

function applySlotCopies(slots: readonly number[], slotCopies: readonly SlotCopy[]): number[] {
  const all = new Set(slots);
  for (const { slot, like: original } of slotCopies) if (all.has(original)) all.add(slot);
  return [...all].sort(ascending);
}

function ascending(left: number, right: number): number {
  return left - right;
}
