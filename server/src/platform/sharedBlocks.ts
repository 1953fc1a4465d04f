/**
 * Blocks of shared memory in which a thread passes bytes to another one. It reuses a block once the receiver has released
 * it. New buffers would have to be collected instead, each time together with everything else on the heap.
 */

/** The state of a block: 0 if it is free, or the lease. Then follow the bytes. */
const headerBytes = 8;

interface Block {
  readonly state: Int32Array;
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  leasedAt: number;
}

/** Bytes in a block, which the receiver must release. */
export interface LeasedBytes {
  readonly bytes: Uint8Array<ArrayBufferLike>;
  /** Differs from that of earlier bytes in the same block. 0 if the bytes are in no block. */
  readonly lease: number;
}

export interface BlockLimits {
  /** The size of each block. */
  readonly blockBytes: number;
  readonly maxCount: number;
  /** Blocks that are not released within this time are abandoned; the receiver may still read them. */
  readonly maxLeaseMs: number;
  /** After this time without use, all blocks are dropped. */
  readonly idleMs: number;
}

/** The blocks of one thread. */
export class SharedBlocks {
  readonly #limits: BlockLimits;
  #blocks: Block[] = [];
  #lastLease = 0;
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: BlockLimits) {
    this.#limits = limits;
  }

  /** Copies bytes to a free block. Returns undefined if there is none, or if they are too long. */
  copy(bytes: Uint8Array): LeasedBytes | undefined {
    if (bytes.length > this.#limits.blockBytes - headerBytes) return undefined;
    const now = performance.now();
    const block = this.#freeBlock(now);
    if (block === undefined) return undefined;
    this.#lastLease = (this.#lastLease % 0x7fff_ffff) + 1;
    block.leasedAt = now;
    block.bytes.set(bytes);
    Atomics.store(block.state, 0, this.#lastLease);
    this.#usedAt = now;
    this.#timer ??= setTimeout(() => this.#trim(), this.#limits.idleMs).unref();
    return { bytes: block.bytes.subarray(0, bytes.length), lease: this.#lastLease };
  }

  #freeBlock(now: number): Block | undefined {
    const free = this.#blocks.find(({ state }) => Atomics.load(state, 0) === 0);
    if (free !== undefined) return free;
    const { blockBytes, maxCount, maxLeaseMs } = this.#limits;
    this.#blocks = this.#blocks.filter(({ leasedAt }) => now - leasedAt < maxLeaseMs);
    if (this.#blocks.length >= maxCount) return undefined;
    const buffer = new SharedArrayBuffer(blockBytes);
    const block = {
      state: new Int32Array(buffer, 0, 1),
      bytes: new Uint8Array(buffer, headerBytes),
      leasedAt: now,
    };
    this.#blocks.push(block);
    return block;
  }

  #trim(): void {
    const leftMs = this.#usedAt + this.#limits.idleMs - performance.now();
    this.#timer = leftMs > 0 ? setTimeout(() => this.#trim(), leftMs).unref() : undefined;
    if (leftMs <= 0) this.#blocks = [];
  }
}

/** Releases bytes, from any thread. They must not be read afterwards. Releasing them again does nothing. */
export function releaseBytes({ bytes: { buffer }, lease }: LeasedBytes): void {
  if (lease !== 0) Atomics.compareExchange(new Int32Array(buffer, 0, 1), 0, lease, 0);
}
