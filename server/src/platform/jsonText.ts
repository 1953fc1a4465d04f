/** Values that are already encoded as JSON, inside of values that are not. */

/** Stands for a `JsonText` while the value around it is encoded. It is random, so that no text can contain it. */
const placeholder = crypto.randomUUID();
const encodedPlaceholder = Buffer.from(JSON.stringify(placeholder));
/** The texts in the value that is being encoded, in order. */
let found: JsonText[] | undefined;

/** Reads a text in parts. They are allocated by `allocate`, unless the text already contains them. */
type ReadParts = (allocate: Allocate) => Iterable<Uint8Array>;
type Allocate = (byteCount: number) => Buffer;

/** JSON in UTF-8. `toJsonBytes` inserts it as it is; `JSON.stringify` encodes the value that it contains. */
export class JsonText {
  /** In bytes. */
  readonly length: number;
  #read: ReadParts | undefined;
  readonly #onRelease: (() => void) | undefined;

  /** `onRelease` is called once, when the text will not be read anymore. */
  constructor(read: ReadParts, length: number, onRelease?: () => void) {
    this.#read = read;
    this.length = length;
    this.#onRelease = onRelease;
  }

  static of(bytes: Uint8Array): JsonText {
    return new JsonText(() => [bytes], bytes.length);
  }

  /**
   * Returns parts that are the text, one after the other. Each is computed when it is requested. `allocate` may return the
   * same memory again once the next part has been requested.
   */
  parts(allocate: Allocate = (byteCount) => Buffer.allocUnsafe(byteCount)): Iterable<Uint8Array> {
    if (this.#read === undefined) throw new Error("The text has been released.");
    return this.#read(allocate);
  }

  bytes(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.parts();
    if (others.length > 0) return Buffer.concat([first, ...others]);
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }

  /** Call this when the text will not be read anymore. */
  release(): void {
    if (this.#onRelease === undefined || this.#read === undefined) return;
    this.#read = undefined;
    this.#onRelease();
  }

  toJSON(): unknown {
    if (found === undefined) return JSON.parse(this.bytes().toString());
    found.push(this);
    return placeholder;
  }
}

/** Returns the JSON of a value that may contain `JsonText`, which is released. */
export function toJsonBytes(value: unknown): Buffer {
  const texts: JsonText[] = [];
  found = texts;
  let around: Buffer;
  try {
    around = Buffer.from(JSON.stringify(value));
  } finally {
    found = undefined;
  }
  if (texts.length === 0) return around;
  const insertedLength = texts.reduce((sum, text) => sum + text.length - encodedPlaceholder.length, 0);
  const result = Buffer.allocUnsafe(around.length + insertedLength);
  let from = 0;
  let length = 0;
  for (const text of texts) {
    const at = around.indexOf(encodedPlaceholder, from);
    length += around.copy(result, length, from, at);
    for (const part of text.parts()) {
      result.set(part, length);
      length += part.length;
    }
    text.release();
    from = at + encodedPlaceholder.length;
  }
  around.copy(result, length, from);
  return result;
}
