/**
 * Plans which documents a repository has, and in which revisions. These are pure functions that read no contents.
 *
 * The default revision is listed completely, and each other one only where it differs. So a thousand branches cost
 * little more than one branch. Documents with the same set of slots share one array.
 */
import type { BytePath } from "#git/bytePath";
import type { TreeChange, TreeEntry } from "#git/objects/tree";

export interface PlannedDocument {
  readonly path: BytePath;
  /** Hash of the blob; `""` in a plain folder. */
  readonly hash: string;
  /** Ascending; the same array for all documents with the same set. */
  readonly slots: readonly number[];
}

/** A revision whose tree was compared with the default revision's. */
export interface ComparedRevision {
  readonly slot: number;
  /** Absent if both trees are the same. */
  readonly changes?: readonly TreeChange[];
}

/** Returns one document per path and content: first in the order of the default tree, then those of other trees. */
export function planDocuments(
  base: readonly TreeEntry[],
  baseSlot: number,
  others: readonly ComparedRevision[],
): PlannedDocument[] {
  const sets = new SlotSets();
  const allSlots = sets.of([baseSlot, ...others.map(({ slot }) => slot)]);
  const changed = changesByPath(others);
  const documents: PlannedDocument[] = [];
  for (const { path, hash } of base) {
    const changes = changed.get(path);
    if (changes === undefined) documents.push({ path, hash, slots: allSlots });
    else {
      changed.delete(path);
      const elsewhere = new Set(changes.map(({ slot }) => slot));
      const here = allSlots.filter((slot) => !elsewhere.has(slot));
      addContents(documents, sets, path, [[hash, here]], changes);
    }
  }
  for (const [path, changes] of changed) addContents(documents, sets, path, [], changes);
  return documents;
}

interface PathChange {
  readonly slot: number;
  readonly hash?: string;
}

function changesByPath(others: readonly ComparedRevision[]): Map<BytePath, PathChange[]> {
  const changed = new Map<BytePath, PathChange[]>();
  for (const { slot, changes = [] } of others) {
    for (const { path, entry } of changes) {
      const change = entry === undefined ? { slot } : { slot, hash: entry.hash };
      const known = changed.get(path);
      if (known) known.push(change);
      else changed.set(path, [change]);
    }
  }
  return changed;
}

/** Adds a document for each content of a path. A change of the mode alone assigns the slot to the unchanged content. */
function addContents(
  documents: PlannedDocument[],
  sets: SlotSets,
  path: BytePath,
  baseContents: readonly (readonly [string, number[]])[],
  changes: readonly PathChange[],
): void {
  const slotsByHash = new Map<string, number[]>(baseContents);
  for (const { slot, hash } of changes) {
    if (hash === undefined) continue;
    const slots = slotsByHash.get(hash);
    if (slots) slots.push(slot);
    else slotsByHash.set(hash, [slot]);
  }
  for (const [hash, slots] of slotsByHash) {
    if (slots.length > 0) documents.push({ path, hash, slots: sets.of(slots) });
  }
}

/** Returns the same ascending array for the same set of slots. */
class SlotSets {
  readonly #known = new Map<string, readonly number[]>();

  of(slots: readonly number[]): readonly number[] {
    const ascending = [...slots].sort((a, b) => a - b);
    const key = ascending.join();
    const known = this.#known.get(key);
    if (known) return known;
    this.#known.set(key, ascending);
    return ascending;
  }
}

/** Sorts best first: by category (source before tests, generated and vendored files), then by depth, then by path. */
export function sortByRank(
  documents: readonly PlannedDocument[],
  categoryRank: (path: BytePath) => number,
): PlannedDocument[] {
  return documents
    .map((document) => ({ document, rank: categoryRank(document.path) * maxDepth + depthOf(document.path) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        (a.document.path < b.document.path ? -1 : a.document.path > b.document.path ? 1 : 0),
    )
    .map(({ document }) => document);
}

const maxDepth = 1024;

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) depth++;
  return Math.min(depth, maxDepth - 1);
}

/**
 * Documents per task: about 100 MB of text, at 12 KB per document as in the Linux kernel. A task with more text than
 * fits into a shard writes several.
 */
const documentsPerTask = 8_000;

/** Splits documents into tasks of equal size, in order. */
export function splitIntoTasks<Document>(
  documents: readonly Document[],
  perTask = documentsPerTask,
): Document[][] {
  const count = Math.ceil(documents.length / perTask);
  const size = Math.ceil(documents.length / Math.max(count, 1));
  return Array.from({ length: count }, (_, task) => documents.slice(task * size, (task + 1) * size));
}

/** Documents packed into a few large values, because passing many small objects to another thread is slow. */
export interface PackedDocuments {
  readonly count: number;
  readonly sets: readonly (readonly number[])[];
  /** Index of each document's set in `sets`. */
  readonly setOf: Uint32Array;
  /** `<hash> SP <path> NUL` for each document. */
  readonly bytes: Uint8Array;
}

export function packDocuments(documents: readonly PlannedDocument[]): PackedDocuments {
  const indexes = new Map<readonly number[], number>();
  const setOf = Uint32Array.from(documents, ({ slots }) => {
    const index = indexes.get(slots) ?? indexes.size;
    indexes.set(slots, index);
    return index;
  });
  const text = documents.map(({ hash, path }) => `${hash} ${path}\0`).join("");
  return { count: documents.length, sets: [...indexes.keys()], setOf, bytes: Buffer.from(text, "latin1") };
}

export function unpackDocuments({ count, sets, setOf, bytes }: PackedDocuments): PlannedDocument[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const documents: PlannedDocument[] = [];
  for (let at = 0, index = 0; index < count; index++) {
    const end = buffer.indexOf(0, at);
    const space = buffer.indexOf(0x20, at);
    documents.push({
      hash: buffer.toString("latin1", at, space),
      path: buffer.toString("latin1", space + 1, end) as BytePath,
      slots: sets[setOf[index] ?? 0] ?? [],
    });
    at = end + 1;
  }
  return documents;
}
