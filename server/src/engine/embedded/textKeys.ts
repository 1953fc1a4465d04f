import type { Query } from "#query/query";
import { type CaptureFind, compileCaptureFind } from "#query/regexp/re2";
import { decodeText } from "#shard/format/text";

/** Longer texts are cut, to one byte more, and those that differ only after the cut are one group. */
const maxTextBytes = 1000;
/** Maximum number of matches whose captures are kept. */
const maxKnown = 50_000;
/** Stands for a character that is not ASCII, next to a match: no assertion tells them apart. */
const notAscii = "\u00e9";

/** Returns the texts by which matches are grouped, as bytes (`latin1`): what the first group captured, or the match. */
export class TextKeys {
  readonly #captures: readonly CaptureFind[];
  /** By a match with the characters around it. */
  readonly #known = new Map<string, string>();

  constructor(query: Query) {
    this.#captures = capturesOf(query);
  }

  /**
   * Returns the key of the range `[start, end)` of a text of `length` bytes. `bytes` contain it, and one byte before and
   * after it if the text does, at `origin` plus their offset in the text. `readAll` returns the whole text.
   */
  keyOf(
    bytes: Buffer,
    origin: number,
    start: number,
    end: number,
    length: number,
    readAll: () => Uint8Array,
  ): string {
    const [low, high] = [origin + start, origin + end];
    if (this.#captures.length === 0)
      return bytes.toString("latin1", low, Math.min(high, low + maxTextBytes + 1));
    const hasBefore = start > 0;
    const hasAfter = end < length;
    const around = bytes.toString("latin1", hasBefore ? low - 1 : low, hasAfter ? high + 1 : high);
    const known = `${hasBefore ? 1 : 0}${hasAfter ? 1 : 0}${around}`;
    const key = this.#known.get(known);
    if (key !== undefined) return key;
    const before = hasBefore ? asciiAt(bytes, low - 1) : "";
    const after = hasAfter ? asciiAt(bytes, high) : "";
    const found = this.#captureIn(bytes, low, high, before, after);
    // The key depends on more of the text, so it is not kept.
    if (found === undefined) return this.#captureInAll(Buffer.from(readAll()), start, end);
    if (this.#known.size >= maxKnown) this.#known.clear();
    if (around.length <= maxTextBytes) this.#known.set(known, found);
    return found;
  }

  /**
   * Runs the expressions on a match and the characters next to it. Assertions look no further, so whatever matches up to
   * the end of the match also does so in the whole text, and nothing else. Returns undefined if an expression matches
   * beyond the end, where more text could prevent that.
   */
  #captureIn(bytes: Buffer, low: number, high: number, before: string, after: string): string | undefined {
    const match = decodeText(bytes, low, high, false);
    const text = before + match.text + after;
    const from = before.length;
    const to = from + match.text.length;
    for (const find of this.#captures) {
      const found = find(text, from);
      if (found === undefined || found.start !== from || found.end < to) continue;
      if (found.end > to) return undefined;
      const first = low + match.byteAt(found.captured[0] - from);
      const last = low + match.byteAt(found.captured[1] - from);
      return bytes.toString("latin1", first, Math.min(last, first + maxTextBytes + 1));
    }
    return bytes.toString("latin1", low, Math.min(high, low + maxTextBytes + 1));
  }

  #captureInAll(bytes: Buffer, start: number, end: number): string {
    const from = decodeText(bytes, 0, start, false).text.length;
    const match = decodeText(bytes, start, end, false);
    const to = from + match.text.length;
    const { text } = decodeText(bytes, 0, bytes.length, false);
    for (const find of this.#captures) {
      const found = find(text, from);
      if (found?.start !== from || found.end !== to) continue;
      const first = start + match.byteAt(found.captured[0] - from);
      const last = start + match.byteAt(found.captured[1] - from);
      return bytes.toString("latin1", first, Math.min(last, first + maxTextBytes + 1));
    }
    return bytes.toString("latin1", start, Math.min(end, start + maxTextBytes + 1));
  }
}

function asciiAt(bytes: Uint8Array, offset: number): string {
  const byte = bytes[offset] ?? 0;
  return byte < 0x80 ? String.fromCharCode(byte) : notAscii;
}

/** The expressions whose matches can be ranges of a document, if they have a group that captures. */
function capturesOf(query: Query): CaptureFind[] {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.flatMap(capturesOf);
    case "type":
      return capturesOf(query.child);
    case "text": {
      if (query.pattern.kind !== "regexp") return [];
      const capture = compileCaptureFind(query.pattern.source, query.pattern.caseSensitive);
      return capture === undefined ? [] : [capture];
    }
    default:
      return [];
  }
}
