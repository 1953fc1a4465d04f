/** Encodes JSON of any length in chunks, so that a large response does not delay other requests. */
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { JsonText, toJsonBytes } from "#platform/jsonText";
import { TimeSlice } from "#platform/timeSlice";

/** Approximate number of characters that are encoded at once. */
const chunkLength = 256 * 1024;

/**
 * Large responses are encoded one after another: if encoded concurrently, all would finish as late as the last. `JsonText`
 * in them is already encoded.
 */
const largeValues = new Limiter(1);
/** Longer than other time slices, because only one large response is encoded at a time. */
const timeSliceMs = 10;

/**
 * Returns the JSON of `value`. Parts of `JsonText` in it are read only when they are sent, and released with the result.
 * Throws ANSWER_TOO_LARGE if it has more than `maxBytes`.
 */
export async function encodeJson(value: unknown, maxBytes: number): Promise<JsonText> {
  if (estimateLength(value) >= chunkLength) return await largeValues.run(() => encodeLarge(value, maxBytes));
  const bytes = toJsonBytes(value);
  checkLength(bytes.length, maxBytes);
  return JsonText.of(bytes);
}

async function encodeLarge(value: unknown, maxBytes: number): Promise<JsonText> {
  const slice = new TimeSlice(timeSliceMs);
  const chunks: (Uint8Array | JsonText)[] = [];
  const release = () => {
    for (const chunk of chunks) if (chunk instanceof JsonText) chunk.release();
  };
  let length = 0;
  let text = "";
  const push = (chunk: Uint8Array | JsonText) => {
    chunks.push(chunk);
    length += chunk.length;
    checkLength(length, maxBytes);
  };
  const flush = () => {
    if (text !== "") push(Buffer.from(text));
    text = "";
  };
  try {
    for (const part of chunksOf(value)) {
      if (typeof part === "string") text += part;
      if (typeof part !== "string" || text.length >= chunkLength) flush();
      if (typeof part !== "string") push(part);
      if (slice.isExpired) await slice.yieldToEventLoop();
    }
    flush();
  } catch (error) {
    release();
    throw error;
  }
  return new JsonText((allocate) => partsOf(chunks, allocate), length, release);
}

function* partsOf(
  chunks: readonly (Uint8Array | JsonText)[],
  allocate: (byteCount: number) => Buffer,
): Generator<Uint8Array> {
  for (const chunk of chunks) {
    if (chunk instanceof JsonText) yield* chunk.parts(allocate);
    else yield chunk;
  }
}

function checkLength(length: number, maxBytes: number): void {
  if (length <= maxBytes) return;
  throw new ServiceError(
    "ANSWER_TOO_LARGE",
    `The response would have more than ${maxBytes} bytes. Request less data.`,
  );
}

/** Yields the JSON of `value`, which must be plain data except for `JsonText`. */
function* chunksOf(value: unknown): Generator<string | Uint8Array | JsonText> {
  if (value instanceof JsonText) yield value;
  else if (estimateLength(value) < chunkLength) yield toJsonBytes(value);
  else if (typeof value === "string") yield* chunksOfText(value);
  else if (Array.isArray(value)) yield* chunksOfArray(value);
  else {
    let separator = "{";
    for (const [name, field] of Object.entries(value as object)) {
      if (field === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* chunksOf(field);
      separator = ",";
    }
    yield "}";
  }
}

/** Encodes runs of short items at once. */
function* chunksOfArray(items: readonly unknown[]): Generator<string | Uint8Array | JsonText> {
  let separator = "[";
  let from = 0;
  let runLength = 0;
  for (let at = 0; at <= items.length; at++) {
    const length = at < items.length ? estimateLength(items[at]) : 0;
    const isRunOver = at === items.length || length >= chunkLength || runLength >= chunkLength;
    if (isRunOver && at > from) {
      yield separator;
      yield toJsonBytes(items.slice(from, at)).subarray(1, -1);
      separator = ",";
      from = at;
      runLength = 0;
    }
    runLength += length;
    if (length < chunkLength) continue;
    yield separator;
    yield* chunksOf(items[at]);
    separator = ",";
    from = at + 1;
    runLength = 0;
  }
  yield "]";
}

function* chunksOfText(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    let end = at + chunkLength;
    // Does not split surrogate pairs.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Estimates the length of the JSON of `value`; stops counting at the length of a chunk. */
function estimateLength(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  if (value instanceof JsonText) return value.length;
  let length = 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && length < chunkLength; at++) length += estimateLength(value[at]) + 1;
    return length;
  }
  // `Object.entries` would allocate an array for each of a hundred thousand ranges.
  for (const name in value) {
    length += name.length + 4 + estimateLength(value[name as keyof typeof value]);
    if (length >= chunkLength) break;
  }
  return length;
}
