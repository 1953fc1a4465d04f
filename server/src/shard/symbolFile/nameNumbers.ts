import { shardDamaged } from "#shard/format/checksum";
import { type GroupReader, GroupWriter, groupCountOf, groupOf, groupSize, unzigzag, zigzag } from "./groups";

/** Encodes `nameNumbers`. */
export function encodeNameNumbers(nameNumbers: Uint32Array): GroupWriter {
  const groups = new GroupWriter();
  let previous = 0;
  for (const number of nameNumbers) {
    if (groups.startEntry()) previous = 0;
    groups.write(zigzag(number - previous));
    previous = number;
  }
  return groups;
}

/** Reads the numbers of the names of definitions. */
export class NameNumbers {
  readonly #groups: GroupReader;
  readonly #definitionCount: number;
  readonly #nameCount: number;

  constructor(groups: GroupReader, definitionCount: number, nameCount: number) {
    this.#groups = groups;
    this.#definitionCount = definitionCount;
    this.#nameCount = nameCount;
  }

  /** Returns the numbers of the names of the definitions `[from, to)`. Throws `SHARD_DAMAGED`. */
  of(from: number, to: number): Uint32Array {
    if (from >= to) return new Uint32Array(0);
    if (to > this.#definitionCount) throw shardDamaged(`There is no definition ${to - 1}`);
    const [group, endGroup] = [groupOf(from), groupCountOf(to)];
    const first = group * groupSize;
    const count = Math.min(endGroup * groupSize, this.#definitionCount) - first;
    const differences = this.#groups.decode(group, endGroup);
    if (this.#groups.count !== count)
      throw shardDamaged(`Groups ${group}-${endGroup} of names have the wrong length`);
    const numbers = new Uint32Array(to - from);
    let number = 0;
    for (let at = 0; at < to - first; at++) {
      number = unzigzag(differences[at] ?? 0) + (at % groupSize === 0 ? 0 : number);
      if (number < 0 || number >= this.#nameCount)
        throw shardDamaged("A definition has a name that does not exist");
      if (at >= from - first) numbers[at - (from - first)] = number;
    }
    return numbers;
  }
}
