/**
 * Which documents a repository has, and in which revisions: pure, without contents.
 *
 * The default revision is listed whole; each other one says only where it differs from it. So a thousand branches cost
 * little more than one, and a document that all of them share has one set of slots that all its like share too.
 */
import type { BytePath } from "#git/bytePath";
import type { TreeChange, TreeEntry } from "#git/tree";

export interface PlannedDocument {
  readonly path: BytePath;
  /** Of the blob. */
  readonly hash: string;
  /** Ascending; the same array for all documents with the same set. */
  readonly slots: readonly number[];
}

/** A revision whose tree was compared with the default one. */
export interface ComparedRevision {
  readonly slot: number;
  /** Absent where both trees are the same. */
  readonly changes?: readonly TreeChange[];
}

/** One document for each content at each path. In order of the default tree, then what others have besides. */
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

/** A mode may differ where the content does not: then a change brings a slot back to the content that is here. */
function addContents(
  documents: PlannedDocument[],
  sets: SlotSets,
  path: BytePath,
  here: readonly (readonly [string, number[]])[],
  changes: readonly PathChange[],
): void {
  const slotsByHash = new Map<string, number[]>(here);
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

/** Gives the same array for the same slots, ascending. */
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

/** Best first: source before tests, generated and vendored; shallow before deep; then by path. */
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
 * Documents of one task: at 12 KB each, which is what the Linux kernel has, about 100 MB of text. A task that meets
 * more text than a shard may hold writes another shard.
 */
const documentsPerTask = 8_000;

export function cutTasks<Document>(documents: readonly Document[], perTask = documentsPerTask): Document[][] {
  const count = Math.ceil(documents.length / perTask);
  const size = Math.ceil(documents.length / Math.max(count, 1));
  return Array.from({ length: count }, (_, task) => documents.slice(task * size, (task + 1) * size));
}

/** Documents as few large values, because a hundred thousand small ones take long to cross to another thread. */
export interface PackedDocuments {
  readonly count: number;
  readonly sets: readonly (readonly number[])[];
  /** The set of each document. */
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
