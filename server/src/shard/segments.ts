import type { ShardReader } from "./reader";

/** A document of a repository as its newest segments see it. */
export interface FoundDocument {
  /** Index in the manifest's segments. */
  readonly segment: number;
  readonly document: number;
  readonly blob: string;
  /** Ascending, never empty. */
  readonly slots: readonly number[];
}

/** One segment after the likenesses and overrides of those behind it. */
interface EffectiveSegment {
  readonly reader: ShardReader;
  readonly firstDocument: number;
  readonly endDocument: number;
  /** Sets of slots; grows by what overrides bring. */
  readonly sets: number[][];
  /** Index into `sets` for each document from `firstDocument` on. */
  documentSets: Uint32Array;
}

/**
 * The segments of one repository, oldest first, and which slots each document has now: what its own segment says,
 * changed by the likenesses and overrides of all later ones. Rules: shard.ts, "Delta shards".
 */
export class RepositorySegments {
  /** As the manifest lists them; one whose file cannot be read is absent, as are those before it. */
  readonly segments: readonly (EffectiveSegment | undefined)[];

  constructor(repositoryId: number, readers: readonly (ShardReader | undefined)[]) {
    const segments: (EffectiveSegment | undefined)[] = [];
    for (const reader of readers) {
      if (reader === undefined) {
        // What it says of older documents is not known, so none of them is believed.
        segments.fill(undefined).push(undefined);
        continue;
      }
      const part = reader.repository(repositoryId);
      applyLater(segments, reader);
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

  /** Every live document at exactly this path, whatever its slots. */
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

  /** Every live document. */
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

function applyLater(older: readonly (EffectiveSegment | undefined)[], reader: ShardReader): void {
  for (const { slot, like } of reader.meta.likenesses) {
    for (const segment of older) {
      segment?.sets.forEach((set, index) => {
        if (set.includes(like) && !set.includes(slot)) {
          segment.sets[index] = [...set, slot].sort((left, right) => left - right);
        }
      });
    }
  }
  const overrides = reader.overrides;
  if (overrides.length === 0) return;
  const brought = readSets(reader);
  const keys = new Map<EffectiveSegment, Map<string, number>>();
  for (let at = 0; at + 2 < overrides.length; at += 3) {
    const segment = older[overrides[at] ?? 0];
    const set = brought[overrides[at + 2] ?? 0];
    if (segment === undefined || set === undefined) continue;
    let known = keys.get(segment);
    if (known === undefined) {
      known = new Map(segment.sets.map((each, index) => [each.join(), index]));
      keys.set(segment, known);
      // The column belongs to the reader, which other snapshots share.
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
