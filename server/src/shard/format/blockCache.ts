/** Blocks end with the line that reaches 4 KiB, so almost all are shorter than this. Longer ones are not cached. */
const slotBytes = 4352;
const slotCount = 1024;

/** The slot of each block of a shard in the cache, or -1. */
export type CachedBlocks = Int32Array<ArrayBuffer>;

export function newCachedBlocks(blockCount: number): CachedBlocks {
  return new Int32Array(blockCount).fill(-1);
}

/**
 * Caches the text of the 1,024 blocks that were decompressed last (4.3 MB), of all shards. A search evaluates blocks and
 * presents some of them later, and the next one often needs the same.
 */
export class BlockCache {
  /** Allocated when the first block is added. */
  bytes = new Uint8Array();
  readonly #owners: CachedBlocks[] = [];
  readonly #blocks = new Uint32Array(slotCount);
  #next = 0;

  /** Adds `bytes[start … end)`, the text of a block. */
  add(owner: CachedBlocks, block: number, bytes: Uint8Array, start: number, end: number): void {
    if (end - start > slotBytes) return;
    if (this.bytes.length === 0) this.bytes = new Uint8Array(slotCount * slotBytes);
    const slot = this.#next;
    this.#next = (slot + 1) % slotCount;
    const evicted = this.#owners[slot];
    if (evicted !== undefined) evicted[this.#blocks[slot] ?? 0] = -1;
    this.bytes.set(bytes.subarray(start, end), this.startOf(slot));
    this.#owners[slot] = owner;
    this.#blocks[slot] = block;
    owner[block] = slot;
  }

  /** Returns where the text in a slot starts in `bytes`. */
  startOf(slot: number): number {
    return slot * slotBytes;
  }
}
