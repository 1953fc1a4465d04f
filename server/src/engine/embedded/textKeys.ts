import { maxGroupTextBytes } from "#engine/engine";
import type { Query } from "#query/query";
import { type CaptureFinder, compileCaptureFinder } from "#query/regexp/re2";
import { decodeText } from "#shard/format/text";

/** Maximum number of matches whose captures are kept. */
const maxKnown = 50_000;
/** Maximum number of steps for the captures of one match. They take up to 0.2 s. */
const maxSteps = 400_000;
/** Stands for a character that is not ASCII, next to a match: no assertion tells them apart. */
const notAscii = "\u00e9";

/** Returns the texts by which matches are grouped, as bytes (`latin1`): what the first group captured, or the match. */
export class TextKeys {
  /** The steps that all captures have taken. */
  steps = 0;
  readonly #finders: readonly CaptureFinder[];
  /** By a match with the characters around it. */
  readonly #known = new Map<string, string>();

  constructor(query: Query) {
    this.#finders = findersOf(query);
  }

  /**
   * Returns the key of the range `[start, end)` of a text of `length` bytes, or undefined if its captures would take too
   * long. `bytes` contain it, and one byte before and after it if the text does, at `origin` plus their offset in the
   * text.
   */
  keyOf(bytes: Buffer, origin: number, start: number, end: number, length: number): string | undefined {
    const [low, high] = [origin + start, origin + end];
    if (this.#finders.length === 0) return cut(bytes, low, high);
    const hasBefore = start > 0;
    const hasNext = end < length;
    const isShort = end - start <= maxGroupTextBytes;
    const known = isShort
      ? `${hasBefore ? 1 : 0}${hasNext ? 1 : 0}${bytes.toString("latin1", hasBefore ? low - 1 : low, hasNext ? high + 1 : high)}`
      : "";
    const key = isShort ? this.#known.get(known) : undefined;
    if (key !== undefined) return key;
    const before = hasBefore ? asciiAt(bytes, low - 1) : "";
    const next = hasNext ? asciiAt(bytes, high) : "";
    const found = this.#captureIn(bytes, low, high, before, next);
    if (found === undefined || !isShort) return found;
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(known, found);
    return found;
  }

  #captureIn(bytes: Buffer, low: number, high: number, before: string, next: string): string | undefined {
    for (const { instructionCount } of this.#finders)
      if (instructionCount * (high - low) > maxSteps) return undefined;
    const match = decodeText(bytes, low, high, false);
    const text = before + match.text + next;
    for (const finder of this.#finders) {
      this.steps += finder.instructionCount * text.length;
      const captured = finder.find(text, before.length, next !== "");
      if (captured === undefined) continue;
      const first = low + match.byteAt(captured[0] - before.length);
      return cut(bytes, first, low + match.byteAt(captured[1] - before.length));
    }
    return cut(bytes, low, high);
  }
}

function cut(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, Math.min(end, start + maxGroupTextBytes + 1));
}

function asciiAt(bytes: Uint8Array, offset: number): string {
  const byte = bytes[offset] ?? 0;
  return byte < 0x80 ? String.fromCharCode(byte) : notAscii;
}

/** The expressions whose matches can be ranges of a document, if they have a group that captures. */
function findersOf(query: Query): CaptureFinder[] {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.flatMap(findersOf);
    case "type":
      return findersOf(query.child);
    case "text": {
      if (query.pattern.kind !== "regexp") return [];
      const finder = compileCaptureFinder(query.pattern.source, query.pattern.caseSensitive);
      return finder === undefined ? [] : [finder];
    }
    default:
      return [];
  }
}
