/** Values that were costly to make, up to a number of bytes in all; the one that was not asked for longest goes first. */
export class ByteCache<Value> {
  readonly #maxBytes: number;
  /** The first is the one that was not asked for longest. */
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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

  /** `bytes` is what keeping `value` costs; what takes more than a quarter of everything is not kept. */
  set(key: string, value: Value, bytes: number): void {
    this.#remove(key);
    if (bytes > this.#maxBytes / 4) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
