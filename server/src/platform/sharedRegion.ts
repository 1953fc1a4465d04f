/**
 * Regions of shared memory in which a thread passes bytes to another one. It reuses space once the receiver has released
 * it. New buffers would have to be collected instead, each time together with everything else on the heap, and would
 * fragment the memory of the process.
 *
 * A region starts with a table of slots. A slot contains the lease of an allocation, or 0 if it is free.
 */

const slotBits = 10;
const slotCount = 1 << slotBits;
const tableBytes = slotCount * Int32Array.BYTES_PER_ELEMENT;
const maxGeneration = 0x7fff_ffff >>> slotBits;
const growthBytes = 1 << 20;

interface Allocation {
  readonly slot: number;
  readonly start: number;
  readonly end: number;
  readonly leasedAt: number;
}

/** Bytes in a region, which the receiver must release. */
export interface LeasedBytes {
  readonly bytes: Uint8Array<ArrayBufferLike>;
  /** The generation and slot of the allocation, which are not repeated for a long time. 0 if the bytes are in no region. */
  readonly lease: number;
}

export interface RegionLimits {
  readonly maxBytes: number;
  /** A full region is abandoned if some bytes are not released within this time. The receiver may still read them. */
  readonly maxLeaseMs: number;
  /** After this time without use, the region is dropped. */
  readonly idleMs: number;
}

export class SharedRegion {
  readonly #limits: RegionLimits;
  #buffer: SharedArrayBuffer | undefined;
  /** In the order of their positions. */
  #allocations: Allocation[] = [];
  #generation = 0;
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: RegionLimits) {
    this.#limits = limits;
  }

  /** Copies bytes to free space. Returns undefined if there is none. */
  copy(bytes: Uint8Array): LeasedBytes | undefined {
    const now = performance.now();
    const leased = this.#copy(bytes, now);
    if (leased !== undefined || !this.#hasLostBytes(now)) return leased;
    this.#drop();
    return this.#copy(bytes, now);
  }

  #copy(bytes: Uint8Array, now: number): LeasedBytes | undefined {
    this.#buffer ??= new SharedArrayBuffer(tableBytes, { maxByteLength: tableBytes + this.#limits.maxBytes });
    const slots = slotsOf(this.#buffer);
    this.#allocations = this.#allocations.filter(({ slot }) => Atomics.load(slots, slot) !== 0);
    const slot = slots.indexOf(0);
    const { start, index } = this.#findSpace(bytes.length);
    const end = start + bytes.length;
    const { byteLength, maxByteLength } = this.#buffer;
    if (slot < 0 || end > maxByteLength) return undefined;
    if (end > byteLength) this.#buffer.grow(Math.min(maxByteLength, end + growthBytes));
    const copied = new Uint8Array(this.#buffer, start, bytes.length);
    copied.set(bytes);
    this.#generation = (this.#generation % maxGeneration) + 1;
    const lease = (this.#generation << slotBits) | slot;
    Atomics.store(slots, slot, lease);
    this.#allocations.splice(index, 0, { slot, start, end, leasedAt: now });
    this.#usedAt = now;
    this.#timer ??= setTimeout(() => this.#dropIfIdle(), this.#limits.idleMs).unref();
    return { bytes: copied, lease };
  }

  /** Returns the start of the first free space of this size, and the index of the next allocation. */
  #findSpace(size: number): { readonly start: number; readonly index: number } {
    let start = tableBytes;
    for (const [index, next] of this.#allocations.entries()) {
      if (next.start - start >= size) return { start, index };
      start = next.end;
    }
    return { start, index: this.#allocations.length };
  }

  #hasLostBytes(now: number): boolean {
    return this.#allocations.some(({ leasedAt }) => now - leasedAt >= this.#limits.maxLeaseMs);
  }

  #dropIfIdle(): void {
    const leftMs = this.#usedAt + this.#limits.idleMs - performance.now();
    this.#timer = leftMs > 0 ? setTimeout(() => this.#dropIfIdle(), leftMs).unref() : undefined;
    if (leftMs <= 0) this.#drop();
  }

  #drop(): void {
    this.#buffer = undefined;
    this.#allocations = [];
  }
}

/**
 * The regions of one thread. Of several small ones, those that are not needed anymore are dropped, and one that is abandoned
 * takes little memory.
 */
export class SharedRegions {
  readonly #regions: SharedRegion[] = [];
  readonly #limits: RegionLimits;
  readonly #maxCount: number;

  constructor(maxCount: number, limits: RegionLimits) {
    this.#maxCount = maxCount;
    this.#limits = limits;
  }

  /** Copies bytes to the first region with enough free space. Returns undefined if there is none. */
  copy(bytes: Uint8Array): LeasedBytes | undefined {
    for (const region of this.#regions) {
      const leased = region.copy(bytes);
      if (leased !== undefined) return leased;
    }
    if (this.#regions.length >= this.#maxCount) return undefined;
    const region = new SharedRegion(this.#limits);
    this.#regions.push(region);
    return region.copy(bytes);
  }
}

/** Releases bytes, from any thread. They must not be read afterwards. Releasing them again does nothing. */
export function releaseBytes({ bytes: { buffer }, lease }: LeasedBytes): void {
  if (lease !== 0) Atomics.compareExchange(slotsOf(buffer), lease & (slotCount - 1), lease, 0);
}

function slotsOf(buffer: ArrayBufferLike): Int32Array {
  return new Int32Array(buffer, 0, slotCount);
}
