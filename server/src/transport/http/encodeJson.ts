/** JSON of any length, written in pieces, so that a large answer does not keep others waiting. */
import { ServiceError } from "#base/error";
import { Pace } from "#platform/pace";

/** What is written at once, in characters, about. */
const pieceLength = 256 * 1024;

/** The bytes of `JSON.stringify(answer)`. Throws ANSWER_TOO_LARGE. */
export async function encodeJson(answer: unknown, maxBytes: number): Promise<Buffer> {
  const pace = new Pace();
  const pieces: Buffer[] = [];
  let length = 0;
  for (const text of piecesOf(answer)) {
    const piece = Buffer.from(text);
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) {
      throw new ServiceError(
        "ANSWER_TOO_LARGE",
        `The answer would have more than ${maxBytes} bytes. Ask for less.`,
      );
    }
    if (pace.isOver) await pace.rest();
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, length);
}

/** `value` is what JSON can say. */
function* piecesOf(value: unknown): Generator<string> {
  if (lengthOf(value) < pieceLength) yield JSON.stringify(value);
  else if (typeof value === "string") yield* piecesOfText(value);
  else if (Array.isArray(value)) {
    let separator = "[";
    for (const item of value) {
      yield separator;
      yield* piecesOf(item ?? null);
      separator = ",";
    }
    yield "]";
  } else {
    let separator = "{";
    for (const [name, field] of Object.entries(value as object)) {
      if (field === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* piecesOf(field);
      separator = ",";
    }
    yield "}";
  }
}

function* piecesOfText(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    let end = at + pieceLength;
    // Both halves of a character beyond U+FFFF stay together.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** About how long it is when it is written; not counted further than a piece. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      length += lengthOf(item) + 1;
      if (length >= pieceLength) break;
    }
    return length;
  }
  for (const [name, field] of Object.entries(value)) {
    length += name.length + 4 + lengthOf(field);
    if (length >= pieceLength) break;
  }
  return length;
}
