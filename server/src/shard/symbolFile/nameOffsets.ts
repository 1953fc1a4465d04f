import { shardDamaged } from "#shard/format/checksum";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import { type GroupReader, GroupWriter, groupCountOf, groupOf, groupSize } from "./groups";

/** Encodes `nameOffsets`. Offsets that descend, as at the start of a document, wrap around. */
export function encodeNameOffsets(offsets: Uint32Array): { groups: GroupWriter; firsts: Uint32Array } {
  const groups = new GroupWriter();
  const firsts = new Uint32Array(groupCountOf(offsets.length));
  let previous = 0;
  for (const [definition, offset] of offsets.entries()) {
    if (groups.startEntry()) firsts[groupOf(definition)] = offset;
    else groups.write((offset - previous) >>> 0);
    previous = offset;
  }
  return { groups, firsts };
}

/** A search reads the groups of a document more than once. */
const keptGroups = 8;

/** Reads the byte offsets of the names of definitions. Methods throw `SHARD_DAMAGED`. */
export class NameOffsets {
  readonly #groups: GroupReader;
  readonly #firsts: Uint32Array;
  readonly #count: number;
  /** By group modulo `keptGroups`: which of these groups was read last, or -1, and its offsets. */
  readonly #groupAt = new Int32Array(keptGroups).fill(-1);
  readonly #offsets: Uint32Array[] = [];

  /** `firsts` are the offsets of the first definition of each group. */
  constructor(groups: GroupReader, firsts: Uint32Array, count: number) {
    this.#groups = groups;
    this.#firsts = firsts;
    this.#count = count;
  }

  of(definition: number): number {
    if (definition >= this.#count) throw shardDamaged(`There is no definition ${definition}`);
    return this.#load(groupOf(definition))[definition & (groupSize - 1)] ?? 0;
  }

  /** Returns the last of the definitions `[first, end)` of a document whose offset is at most `wanted`, or `first - 1`. */
  lastAtOrBelow(first: number, end: number, wanted: number): number {
    if (first >= end) return first - 1;
    const group = lastAtOrBelow(this.#firsts, groupOf(first) + 1, groupCountOf(end), wanted);
    const base = group * groupSize;
    const [low, high] = [Math.max(0, first - base), Math.min(groupSize, end - base)];
    return base + lastAtOrBelow(this.#load(group), low, high, wanted);
  }

  #load(group: number): Uint32Array {
    const slot = group % keptGroups;
    const offsets = this.#offsets[slot] ?? new Uint32Array(groupSize);
    if (group === this.#groupAt[slot]) return offsets;
    this.#offsets[slot] = offsets;
    this.#groupAt[slot] = -1;
    const length = Math.min(groupSize, this.#count - group * groupSize);
    const differences = this.#groups.decode(group, group + 1);
    if (this.#groups.count !== length - 1)
      throw shardDamaged(`Group ${group} of offsets has the wrong length`);
    let offset = this.#firsts[group] ?? 0;
    offsets[0] = offset;
    for (let at = 1; at < length; at++) {
      offset += differences[at - 1] ?? 0;
      offsets[at] = offset;
    }
    this.#groupAt[slot] = group;
    return offsets;
  }
}
