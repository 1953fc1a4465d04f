/**
 * Prints a listing within a budget.
 *
 * A token counts as three bytes of UTF-8. Tokenizers need about as many tokens for code, fewer for prose, and more only
 * for text such as hashes.
 */
import { byteLength, clean, clip } from "./cleanText";
import { StructuredPage } from "./structuredPage";
import type { Line, Listing } from "./tool";

const bytesPerToken = 3;
/** The cursor of a later page may be longer by as many characters. */
const maxOffsetDigits = 8;
/** The part of the budget that the summary and the notes may take. */
const headShare = 0.5;

export interface PrintedListing {
  readonly text: string;
  /** Number of lines that are printed. */
  readonly shown: number;
  /** What these lines stand for, if that is requested. */
  readonly structured?: object;
}

/**
 * `cursorAt` returns the cursor of the page that begins with a line, which is counted from the first page. Without it,
 * there are no pages. With `isStructured`, the structured content also keeps to the budget.
 */
export function printListing(
  listing: Listing,
  maxTokens: number,
  offset: number,
  cursorAt?: (offset: number) => string,
  isStructured = false,
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
  const pageOf = (next: number) => ({
    total,
    omitted: Math.max(0, total - next),
    ...(next < total && cursorAt !== undefined ? { cursor: cursorAt(next) } : {}),
  });
  const page = isStructured ? new StructuredPage(listing, clippedHead, maxBytes, pageOf(offset)) : undefined;
  const reserved = byteLength(footer(offset)) + maxOffsetDigits + 2;
  let available = maxBytes - byteLength(clippedHead) - reserved;
  let body = "";
  let shown = 0;
  let previous: readonly string[] = [];
  for (const line of lines.slice(Math.max(0, offset - skipped))) {
    const printed = printLine(line, previous);
    const bytes = byteLength(printed);
    // The first line is shown in any case, cut if necessary.
    if (shown > 0 && bytes > available) break;
    if (page?.add(line) === false) break;
    if (bytes > available) {
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
  const text = parts.join("\n\n");
  return page === undefined ? { text, shown } : { text, shown, structured: page.finish(pageOf(next)) };
}

/** Returns the line with the headings that differ from those of the previous line, each after a newline. */
function printLine({ text, headings = [] }: Line, previous: readonly string[]): string {
  const firstNew = headings.findIndex((heading, level) => heading !== previous[level]);
  const changed = firstNew < 0 ? [] : headings.slice(firstNew);
  const separator = firstNew === 0 || (headings.length === 0 && previous.length > 0) ? "\n" : "";
  return `${separator}${[...changed, text].map((each) => `\n${clean(each)}`).join("")}`;
}

/** Returns the start of a message within a budget. */
export function clipToTokens(text: string, maxTokens: number): string {
  return clip(text, maxTokens * bytesPerToken);
}

/** Estimates the tokens of a text, generously. */
export function estimateTokens(text: string): number {
  return Math.ceil(byteLength(text) / bytesPerToken);
}
