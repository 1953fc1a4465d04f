/** Values that are already encoded as JSON, inside of values that are not. */

/** Stands for a `JsonText` while the value around it is encoded. It is random, so that no text can contain it. */
const placeholder = crypto.randomUUID();
const encodedPlaceholder = Buffer.from(JSON.stringify(placeholder));
/** The texts in the value that is being encoded, in order. */
let found: JsonText[] | undefined;

/** JSON in UTF-8. `toJsonBytes` inserts it as it is; `JSON.stringify` encodes the value that it contains. */
export class JsonText {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  toJSON(): unknown {
    if (found === undefined) return JSON.parse(Buffer.from(this.bytes).toString());
    found.push(this);
    return placeholder;
  }
}

/** Returns the JSON of a value that may contain `JsonText`. */
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
  const insertedLength = texts.reduce((sum, { bytes }) => sum + bytes.length - encodedPlaceholder.length, 0);
  const result = Buffer.allocUnsafe(around.length + insertedLength);
  let from = 0;
  let length = 0;
  for (const { bytes } of texts) {
    const at = around.indexOf(encodedPlaceholder, from);
    length += around.copy(result, length, from, at);
    result.set(bytes, length);
    length += bytes.length;
    from = at + encodedPlaceholder.length;
  }
  around.copy(result, length, from);
  return result;
}
