import { shardDamaged } from "#shard/format/checksum";
import { type GroupReader, GroupWriter, groupCountOf, groupOf, groupSize, unzigzag, zigzag } from "./groups";

/** Groups definitions by name with a counting sort, and encodes them as `namesakes`. */
export function encodeNamesakes(nameNumbers: Uint32Array, nameCount: number): GroupWriter {
  const starts = new Uint32Array(nameCount + 1);
  for (const name of nameNumbers) starts[name + 1] = (starts[name + 1] ?? 0) + 1;
  for (let name = 0; name < nameCount; name++)
    starts[name + 1] = (starts[name + 1] ?? 0) + (starts[name] ?? 0);
  const next = starts.slice();
  const definitions = new Uint32Array(nameNumbers.length);
  for (const [definition, name] of nameNumbers.entries()) {
    const position = next[name] ?? 0;
    definitions[position] = definition;
    next[name] = position + 1;
  }
  const groups = new GroupWriter();
  let previousFirst = 0;
  for (let name = 0; name < nameCount; name++) {
    if (groups.startEntry()) previousFirst = 0;
    const start = starts[name] ?? 0;
    const end = starts[name + 1] ?? 0;
    const first = definitions[start] ?? 0;
    const others = end - start - 1;
    groups.write(zigzag(first - previousFirst) * 2 + (others > 0 ? 1 : 0));
    if (others > 0) groups.write(others);
    for (let at = start + 1; at < end; at++)
      groups.write((definitions[at] ?? 0) - (definitions[at - 1] ?? 0) - 1);
    previousFirst = first;
  }
  return groups;
}

/** The definitions of consecutive names, and where those of each name start; one start more than names. */
interface Decoded {
  readonly definitions: Uint32Array;
  readonly starts: Uint32Array;
}

/** Reads the definitions of names, ascending. Methods throw `SHARD_DAMAGED`. */
export class Namesakes {
  readonly #groups: GroupReader;
  readonly #nameCount: number;
  readonly #definitionCount: number;
  /** The group that was read last, because the names that match a query are often close to each other. */
  #cached: Decoded | undefined;
  #cachedGroup = -1;

  constructor(groups: GroupReader, nameCount: number, definitionCount: number) {
    this.#groups = groups;
    this.#nameCount = nameCount;
    this.#definitionCount = definitionCount;
  }

  /** The definitions of the names `[from, to)`: those of the first name, then those of the next. */
  of(from: number, to: number): Uint32Array {
    const { definitions, starts } = this.#read(from, to);
    const base = firstOfGroup(from);
    return definitions.subarray(starts[from - base], starts[to - base]);
  }

  /** The definitions of each of the names `[from, to)`. */
  ofEach(from: number, to: number): Uint32Array[] {
    const { definitions, starts } = this.#read(from, to);
    const base = firstOfGroup(from);
    return Array.from({ length: Math.max(0, to - from) }, (_, at) =>
      definitions.subarray(starts[from + at - base], starts[from + at + 1 - base]),
    );
  }

  /** Returns the definitions of all names in the groups of `[from, to)`. */
  #read(from: number, to: number): Decoded {
    if (from >= to) return nothing;
    if (to > this.#nameCount) throw shardDamaged(`There is no name ${to - 1}`);
    const group = groupOf(from);
    const end = groupCountOf(to);
    if (end > group + 1) return this.#decode(group, end);
    if (this.#cached === undefined || group !== this.#cachedGroup) {
      const { definitions, starts } = this.#decode(group, end);
      this.#cached = { definitions: definitions.slice(), starts };
      this.#cachedGroup = group;
    }
    return this.#cached;
  }

  #decode(group: number, endGroup: number): Decoded {
    const numbers = this.#groups.decode(group, endGroup);
    const numberCount = this.#groups.count;
    const count = Math.min(endGroup * groupSize, this.#nameCount) - group * groupSize;
    const starts = new Uint32Array(count + 1);
    const definitions = new Uint32Array(numberCount);
    let length = 0;
    let first = 0;
    let at = 0;
    for (let name = 0; name < count; name++) {
      if (name % groupSize === 0) first = 0;
      const head = numbers[at++] ?? 0;
      first += unzigzag(head >>> 1);
      let definition = first;
      definitions[length++] = definition;
      const others = head & 1 ? (numbers[at++] ?? 0) : 0;
      const end = at + others;
      if (end > numberCount) throw shardDamaged("Definitions of a name are missing");
      while (at < end) {
        definition += 1 + (numbers[at++] ?? 0);
        definitions[length++] = definition;
      }
      if (first < 0 || definition >= this.#definitionCount)
        throw shardDamaged("A name has a definition that does not exist");
      starts[name + 1] = length;
    }
    if (at !== numberCount) throw shardDamaged("A group of names has too many definitions");
    return { definitions: definitions.subarray(0, length), starts };
  }
}

const nothing: Decoded = { definitions: new Uint32Array(0), starts: new Uint32Array(1) };

function firstOfGroup(entry: number): number {
  return groupOf(entry) * groupSize;
}
