/** The lines of a search result, with the matches marked and the syntax highlighted. */
import { characterStart, utf16Offset } from "#base/utf16Offset";
import type { Range } from "#contract/position";
import type { Chunk } from "#contract/search";
import { escapeText, Html } from "./html";

/** A line as it is shown. */
export interface ResultLine {
  readonly number: number;
  readonly isMatch: boolean;
  /** The number of matches that begin in it. */
  readonly matchCount: number;
  /** The text, or the part of a long line around its first match. */
  readonly text: string;
  /** The matches in `text`, in UTF-16 units. */
  readonly spans: readonly Span[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Longer lines, as in minified code, are cut. */
const maxLineLength = 300;
const lengthBeforeMatch = 80;

/** Returns the first lines of a chunk, at most `maxLines`. */
export function linesOf(
  { content, contentStart, matchRanges }: Chunk,
  maxLines: number,
): readonly ResultLine[] {
  const lines: ResultLine[] = [];
  let first = 0;
  for (let at = 0; at < content.length && lines.length < maxLines; ) {
    const newline = content.indexOf("\n", at);
    const end = newline < 0 ? content.length : newline;
    const text = content.slice(at, end).replace(/\r$/, "");
    at = end + 1;
    const number = contentStart.lineNumber + lines.length;
    while (first < matchRanges.length && lastLineOf(matchRanges[first]) < number) first++;
    let last = first;
    while ((matchRanges[last]?.start.lineNumber ?? Number.POSITIVE_INFINITY) <= number) last++;
    lines.push(lineOf(number, text, matchRanges.slice(first, last)));
  }
  return lines;
}

/** A match that ends with a newline does not touch the line after it. */
function lastLineOf(range: Range | undefined): number {
  if (range === undefined) return Number.POSITIVE_INFINITY;
  const { start, end } = range;
  return end.column > 1 ? end.lineNumber : Math.max(start.lineNumber, end.lineNumber - 1);
}

/** `ranges` are those that touch the line. */
function lineOf(number: number, text: string, ranges: readonly Range[]): ResultLine {
  const startOf = ({ start }: Range) => (start.lineNumber < number ? 1 : start.column);
  const [range] = ranges;
  const firstColumn = range === undefined ? 1 : startOf(range);
  const match = utf16Offset(text, firstColumn);
  const isCut = text.length > maxLineLength;
  const start = isCut ? Math.max(0, Math.min(match - lengthBeforeMatch, text.length - maxLineLength)) : 0;
  const from = characterStart(text, start);
  const to = characterStart(text, from + maxLineLength);
  const shown = text.slice(from, to);
  const before = from > 0 ? "…" : "";
  const offsetOf = (column: number) =>
    before.length + match - from + utf16Offset(text.slice(match, to), column - firstColumn + 1);
  const spans: Span[] = [];
  for (const each of ranges) {
    const first = offsetOf(startOf(each));
    if (first >= before.length + shown.length) break;
    const isLast = each.end.lineNumber === number;
    spans.push({ start: first, end: isLast ? offsetOf(each.end.column) : before.length + shown.length });
  }
  return {
    number,
    isMatch: ranges.length > 0,
    matchCount: ranges.filter(({ start }) => start.lineNumber === number).length,
    text: `${before}${shown}${to < text.length ? "…" : ""}`,
    spans,
  };
}

/** Renders lines with their matches marked and, within limits of time and of size, with their syntax highlighted. */
export class LineRenderer {
  #remainingMs: number;
  #remainingBytes: number;

  constructor(timeMs: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.#remainingMs = timeMs;
    this.#remainingBytes = maxBytes;
  }

  /** Returns the markup of each line of several pieces of a file. */
  async render(
    pieces: readonly (readonly ResultLine[])[],
    language: string,
  ): Promise<readonly (readonly Html[])[]> {
    const highlighted =
      language === "" || this.#remainingMs <= 0 || this.#remainingBytes <= 0
        ? []
        : await this.#highlight(pieces, language);
    return pieces.map((lines, at) => {
      const markup = highlighted[at] ?? [];
      const isUsable = markup.length === lines.length;
      return lines.map(({ text, spans }, index) =>
        markSpans(isUsable ? (markup[index]?.text ?? "") : escapeText(text), spans),
      );
    });
  }

  async #highlight(pieces: readonly (readonly ResultLine[])[], language: string) {
    // Loaded on demand, because the library is slow to load.
    const { highlightedPieces } = await import("./highlight");
    const texts = pieces.map((lines) => lines.map(({ text }) => text).join("\n"));
    const startedAt = performance.now();
    const highlighted = highlightedPieces(texts, language, this.#remainingMs);
    this.#remainingMs -= performance.now() - startedAt;
    for (const { text } of highlighted.flat()) this.#remainingBytes -= text.length;
    return highlighted;
  }
}

/** Marks ranges of the text of `markup`, which contains tags and one entity or UTF-16 unit for each unit of the text. */
export function markSpans(markup: string, spans: readonly Span[]): Html {
  if (spans.length === 0) return new Html(markup);
  let result = "";
  let offset = 0;
  let next = 0;
  let isOpen = false;
  for (const [token] of markup.matchAll(/<[^>]*>|&[^;]*;|[\s\S]/g)) {
    const isTag = token.length > 1 && token.startsWith("<");
    while ((spans[next]?.end ?? Number.POSITIVE_INFINITY) <= offset) next++;
    const isInside = !isTag && (spans[next]?.start ?? Number.POSITIVE_INFINITY) <= offset;
    if (isInside !== isOpen) result += isInside ? "<mark>" : "</mark>";
    isOpen = isInside;
    result += token;
    if (!isTag) offset++;
  }
  return new Html(isOpen ? `${result}</mark>` : result);
}
