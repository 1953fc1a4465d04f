import { clearCaches } from "#base/byteCache";

/** Reading the size of the process takes a system call. */
const minIntervalMs = 200;
/** Memory of emptied caches is freed by later garbage collections. */
const minClearingIntervalMs = 30_000;

/** A soft limit of the memory of the process. While it takes more, its caches are emptied, and callers should save memory. */
export class MemoryLimit {
  readonly maxBytes: number | undefined;
  readonly #readBytes: () => number;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #clearedAt = Number.NEGATIVE_INFINITY;
  #isExceeded = false;

  /** Without `maxBytes`, there is no limit. */
  constructor(maxBytes?: number, readBytes = () => process.memoryUsage.rss()) {
    this.maxBytes = maxBytes;
    this.#readBytes = readBytes;
  }

  get isExceeded(): boolean {
    const now = performance.now();
    if (this.maxBytes === undefined || now - this.#checkedAt < minIntervalMs) return this.#isExceeded;
    this.#checkedAt = now;
    this.#isExceeded = this.#readBytes() > this.maxBytes;
    if (this.#isExceeded && now - this.#clearedAt >= minClearingIntervalMs) {
      this.#clearedAt = now;
      clearCaches();
    }
    return this.#isExceeded;
  }
}
