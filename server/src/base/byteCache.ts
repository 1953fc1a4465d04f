/** The caches of this thread. */
const caches = new Set<WeakRef<{ clear(): void }>>();
const collected = new FinalizationRegistry<WeakRef<{ clear(): void }>>((cache) => caches.delete(cache));

/** Clears all caches of this thread. */
export function clearCaches(): void {
  for (const cache of caches) cache.deref()?.clear();
}

/** An LRU cache limited by the total size of its values. */
export class ByteCache<Value> {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    const reference = new WeakRef(this);
    caches.add(reference);
    collected.register(this, reference);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Whether values of this size are cached: up to a quarter of the limit. */
  accepts(bytes: number): boolean {
    return bytes <= this.#maxBytes / 4;
  }

  /** `bytes` is the size of `value`. A value that is not accepted only removes the older one. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    if (!this.accepts(bytes)) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

/** What an object, and each of its strings, takes in addition to the characters. */
const overheadBytes = 50;

/** Estimates the memory that an object takes whose strings are `texts`. */
export function objectBytes(texts: readonly string[]): number {
  // UTF-16, because one character outside of Latin-1 is enough to store a whole text that way.
  return texts.reduce((sum, { length }) => sum + 2 * length + overheadBytes, overheadBytes);
}
