import type { ShardReader } from "./reader";

/** A document of a repository with its current slots. */
export interface FoundDocument {
  /** Index in the manifest's segments. */
  readonly segment: number;
  readonly document: number;
  readonly blob: string;
  /** Ascending, never empty. */
  readonly slots: readonly number[];
}

/** One segment after applying the slot copies and overrides of later ones. */
interface EffectiveSegment {
  readonly reader: ShardReader;
  readonly firstDocument: number;
  readonly endDocument: number;
  /** Sets of slots. Overrides add to them. */
  readonly sets: number[][];
  /** Index into `sets` for each document from `firstDocument` on. */
  documentSets: Uint32Array;
}

/**
 * The segments of one repository, oldest first, with the current slots of each document: those in its own segment,
 * changed by the slot copies and overrides of all later ones. See `shard.ts`, "Delta shards".
 */
export class RepositorySegments {
  /** In the order of the manifest. A segment that cannot be read is undefined, as are those before it. */
  readonly segments: readonly (EffectiveSegment | undefined)[];

  constructor(repositoryId: number, readers: readonly (ShardReader | undefined)[]) {
    const segments: (EffectiveSegment | undefined)[] = [];
    for (const reader of readers) {
      if (reader === undefined) {
        // Its changes to older segments are unknown, so those cannot be used.
        segments.fill(undefined).push(undefined);
        continue;
      }
      const part = reader.repository(repositoryId);
      applyDelta(segments, reader);
      segments.push({
        reader,
        firstDocument: part?.firstDocument ?? 0,
        endDocument: part?.endDocument ?? 0,
        sets: readSets(reader),
        documentSets: reader.documentSets.subarray(part?.firstDocument ?? 0, part?.endDocument ?? 0),
      });
    }
    this.segments = segments;
  }

  slotsOf(segment: number, document: number): readonly number[] {
    const effective = this.segments[segment];
    if (effective === undefined) return [];
    return effective.sets[effective.documentSets[document - effective.firstDocument] ?? 0] ?? [];
  }

  /** Finds every live document with exactly this path. */
  find(path: Uint8Array): FoundDocument[] {
    return this.segments.flatMap((effective, segment) => {
      if (effective === undefined) return [];
      const { reader, firstDocument, endDocument } = effective;
      return reader
        .findPath(path, firstDocument, endDocument)
        .map((document) => ({
          segment,
          document,
          blob: reader.blob(document),
          slots: this.slotsOf(segment, document),
        }))
        .filter((found) => found.slots.length > 0);
    });
  }

  /** Iterates over every live document. */
  *documents(): Generator<FoundDocument> {
    for (const [segment, effective] of this.segments.entries()) {
      if (effective === undefined) continue;
      for (let document = effective.firstDocument; document < effective.endDocument; document++) {
        const slots = this.slotsOf(segment, document);
        if (slots.length > 0) yield { segment, document, blob: effective.reader.blob(document), slots };
      }
    }
  }
}

function readSets(reader: ShardReader): number[][] {
  const starts = reader.setStarts;
  const slots = reader.setSlots;
  const sets: number[][] = [];
  for (let set = 0; set + 1 < starts.length; set++)
    sets.push([...slots.subarray(starts[set], starts[set + 1])]);
  return sets;
}

function applyDelta(older: readonly (EffectiveSegment | undefined)[], reader: ShardReader): void {
  for (const { slot, like: original } of reader.meta.likenesses) {
    for (const segment of older) {
      segment?.sets.forEach((set, index) => {
        if (set.includes(original) && !set.includes(slot)) {
          segment.sets[index] = [...set, slot].sort((left, right) => left - right);
        }
      });
    }
  }
  const overrides = reader.overrides;
  if (overrides.length === 0) return;
  const newSets = readSets(reader);
  const keys = new Map<EffectiveSegment, Map<string, number>>();
  for (let at = 0; at + 2 < overrides.length; at += 3) {
    const segment = older[overrides[at] ?? 0];
    const set = newSets[overrides[at + 2] ?? 0];
    if (segment === undefined || set === undefined) continue;
    let known = keys.get(segment);
    if (known === undefined) {
      known = new Map(segment.sets.map((each, index) => [each.join(), index]));
      keys.set(segment, known);
      // Other snapshots share the reader's column.
      segment.documentSets = segment.documentSets.slice();
    }
    const key = set.join();
    let index = known.get(key);
    if (index === undefined) {
      index = segment.sets.push(set) - 1;
      known.set(key, index);
    }
    segment.documentSets[(overrides[at + 1] ?? 0) - segment.firstDocument] = index;
  }
}
