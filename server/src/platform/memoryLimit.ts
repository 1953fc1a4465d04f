import { clearCaches } from "#base/byteCache";

/** Reading the size of the process takes a system call. */
const minIntervalMs = 200;
/** The memory of cleared caches is freed by later garbage collections. */
const minClearingIntervalMs = 30_000;

/** A soft limit on the memory of the process. */
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

  /** Returns whether the process uses more memory. If so, clears the caches of this thread, at most every 30 seconds. */
  check(): boolean {
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
