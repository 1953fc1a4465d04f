/** Values that are already encoded as JSON, inside of values that are not. */

/** Stands for a `JsonText` while the value around it is encoded. It is random, so that no text can contain it. */
const placeholder = crypto.randomUUID();
const encodedPlaceholder = Buffer.from(JSON.stringify(placeholder));
/** The texts in the value that is being encoded, in order. */
let found: JsonText[] | undefined;

/** JSON in UTF-8. `toJsonBytes` inserts it as it is; `JSON.stringify` encodes the value that it contains. */
export class JsonText {
  /** One after the other, they are the text. */
  readonly parts: readonly Uint8Array[];
  readonly length: number;

  constructor(...parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }

  toJSON(): unknown {
    if (found === undefined) return JSON.parse(Buffer.concat(this.parts).toString());
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
  const insertedLength = texts.reduce((sum, text) => sum + text.length - encodedPlaceholder.length, 0);
  const result = Buffer.allocUnsafe(around.length + insertedLength);
  let from = 0;
  let length = 0;
  for (const { parts } of texts) {
    const at = around.indexOf(encodedPlaceholder, from);
    length += around.copy(result, length, from, at);
    for (const part of parts) {
      result.set(part, length);
      length += part.length;
    }
    from = at + encodedPlaceholder.length;
  }
  around.copy(result, length, from);
  return result;
}
