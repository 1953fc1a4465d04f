/**
 * Prints a listing within a budget.
 *
 * A token counts as three bytes of UTF-8. Tokenizers need about as many tokens for code, fewer for prose, and more only
 * for text such as hashes.
 */
import { sanitize } from "#base/sanitize";
import { toWellFormed } from "#contract/snapshotUri";
import type { Line, Listing } from "./tool";

const bytesPerToken = 3;
/** Longer lines are cut, as in minified code. In UTF-16 units. */
const maxLineLength = 500;
/** The cursor of a later page may be longer by as many characters. */
const maxOffsetDigits = 8;
/** The part of the budget that the summary and the notes may take. */
const headShare = 0.5;

export interface PrintedListing {
  readonly text: string;
  /** Number of lines that are printed. */
  readonly shown: number;
}

/**
 * `cursorAt` returns the cursor of the page that begins with a line, which is counted from the first page. Without it,
 * there are no pages.
 */
export function printListing(
  listing: Listing,
  maxTokens: number,
  offset: number,
  cursorAt?: (offset: number) => string,
): PrintedListing {
  const { summary, lines, skipped = 0, notes = [], narrow } = listing;
  const total = listing.total ?? skipped + lines.length;
  const maxBytes = maxTokens * bytesPerToken;
  const head = [summary, ...notes]
    .flatMap((text) => text.split("\n"))
    .map(clean)
    .join("\n");
  const footer = (next: number) => {
    const rest = total - next;
    const nextPage = cursorAt === undefined ? "" : ` Next page: cursor "${cursorAt(next)}".`;
    return `(${rest} more ${rest === 1 ? "line" : "lines"}.${nextPage} For fewer, ${narrow}.)`;
  };
  const clippedHead = clip(head, Math.floor(maxBytes * headShare));
  const reserved = byteLength(footer(offset)) + maxOffsetDigits + 2;
  let available = maxBytes - byteLength(clippedHead) - reserved;
  let body = "";
  let shown = 0;
  let previous: readonly string[] = [];
  for (const line of lines.slice(Math.max(0, offset - skipped))) {
    const printed = printLine(line, previous);
    const bytes = byteLength(printed);
    if (bytes > available) {
      if (shown > 0) break;
      // Progress on every page, or following the cursor would never end.
      body = clip(printed, Math.max(0, available));
      shown = 1;
      break;
    }
    body += printed;
    available -= bytes;
    shown++;
    previous = line.headings ?? [];
  }
  const next = offset + shown;
  const parts = [`${clippedHead}${body}`, ...(next < total && shown > 0 ? [footer(next)] : [])];
  return { text: parts.join("\n\n"), shown };
}

/** Returns the line with the headings that differ from those of the previous line, each after a newline. */
function printLine({ text, headings = [] }: Line, previous: readonly string[]): string {
  const firstNew = headings.findIndex((heading, level) => heading !== previous[level]);
  const changed = firstNew < 0 ? [] : headings.slice(firstNew);
  const separator = firstNew === 0 || (headings.length === 0 && previous.length > 0) ? "\n" : "";
  return `${separator}${[...changed, text].map((each) => `\n${clean(each)}`).join("")}`;
}

function clean(line: string): string {
  const cut = line.length - maxLineLength;
  // A shorter line is not worth a note.
  const short = cut > 30 ? `${line.slice(0, maxLineLength)}… (${cut} more characters)` : line;
  return sanitize(toWellFormed(short));
}

/** Returns the start of a text, in at most `maxBytes` bytes of UTF-8. */
export function clip(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  const mark = "…";
  let bytes = byteLength(mark);
  let end = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return `${text.slice(0, end)}${maxBytes < byteLength(mark) ? "" : mark}`;
}

/** Returns the start of a message within a budget. */
export function clipToTokens(text: string, maxTokens: number): string {
  return clip(text, maxTokens * bytesPerToken);
}

/** Estimates the tokens of a text, generously. */
export function estimateTokens(text: string): number {
  return Math.ceil(byteLength(text) / bytesPerToken);
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
