import type { ShardOrder } from "./searchOrder";

/** Shards beyond these are not recorded, so that workers may search more than necessary. */
const maxShards = 256;
/** The order of the shard, and its number of matches, which is stored last. */
const fieldCount = 4;

/**
 * How many matches the workers of a search have found, by shard, in shared memory. The result consists of the first shards
 * in search order that have enough matches together (`collect.ts`), so a worker need not search a shard if others have
 * found enough in earlier ones.
 */
export class FoundMatches {
  readonly buffer: SharedArrayBuffer;
  readonly #shardCount: Int32Array;
  readonly #fields: Int32Array;

  constructor(buffer = new SharedArrayBuffer(4 * (1 + maxShards * fieldCount))) {
    this.buffer = buffer;
    this.#shardCount = new Int32Array(buffer, 0, 1);
    this.#fields = new Int32Array(buffer, 4);
  }

  /** Records a shard that has been searched, or of which enough has been. */
  add(order: ShardOrder, matchCount: number): void {
    if (matchCount === 0) return;
    const index = Atomics.add(this.#shardCount, 0, 1);
    if (index >= maxShards) return;
    const start = index * fieldCount;
    this.#fields.set(order, start);
    Atomics.store(this.#fields, start + 3, matchCount);
  }

  /** Returns the number of matches in recorded shards that precede one in search order. */
  before([layer, repositoryId, fileNumber]: ShardOrder): number {
    const fields = this.#fields;
    const end = fieldCount * Math.min(maxShards, Atomics.load(this.#shardCount, 0));
    let sum = 0;
    for (let at = 0; at < end; at += fieldCount) {
      // It is 0 while a worker is recording the shard.
      const matchCount = Atomics.load(fields, at + 3);
      const difference =
        (fields[at] ?? 0) - layer ||
        (fields[at + 1] ?? 0) - repositoryId ||
        (fields[at + 2] ?? 0) - fileNumber;
      if (difference < 0) sum += matchCount;
    }
    return sum;
  }
}
