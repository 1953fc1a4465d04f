const initialBytes = 16 * 1024;
const maxKeptBytes = 1024 * 1024;
/** Up to this many bytes, a loop is faster than `set`. */
const maxLoopBytes = 64;

const hexDigits = Buffer.from("0123456789abcdef");

/** Collects JSON as UTF-8. */
export class JsonWriter {
  #bytes = new Uint8Array(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Writes the first `length` bytes of encoded JSON. */
  raw(json: Uint8Array, length = json.length): void {
    const at = this.#reserve(length);
    const bytes = this.#bytes;
    if (length > maxLoopBytes) bytes.set(json.subarray(0, length), at);
    else for (let from = 0; from < length; from++) bytes[at + from] = json[from] ?? 0;
  }

  /** Writes bytes as hexadecimal digits, without quotes. */
  hex(source: Uint8Array): void {
    const from = this.#reserve(2 * source.length);
    for (let at = 0; at < source.length; at++) {
      const byte = source[at] ?? 0;
      this.#bytes[from + 2 * at] = hexDigits[byte >> 4] ?? 0;
      this.#bytes[from + 2 * at + 1] = hexDigits[byte & 15] ?? 0;
    }
  }

  /** Writes any plain value. */
  value(value: unknown): void {
    this.raw(Buffer.from(JSON.stringify(value)));
  }

  /** Drops what was written after the first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Returns a copy of what was written since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    return this.takeInto((bytes) => bytes.slice());
  }

  /** Returns what `copy` makes of what was written since the last call. */
  takeInto<Copy>(copy: (bytes: Uint8Array<ArrayBuffer>) => Copy): Copy {
    const taken = copy(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    if (this.#bytes.length > maxKeptBytes) this.#bytes = new Uint8Array(initialBytes);
    return taken;
  }

  /** Makes room for `count` more bytes, and returns where they start. The caller writes all of them. */
  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
    }
    return at;
  }
}
