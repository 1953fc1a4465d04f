/** Prepares text from repositories for agents: sanitized, and cut to a length or a size. */
import { sanitize } from "#base/sanitize";
import { toWellFormed } from "#contract/snapshotUri";

/** Longer lines are cut, as in minified code. In UTF-16 units. */
const maxLineLength = 500;

/** Returns a line without deceptive characters, and cut if it is long. */
export function clean(line: string): string {
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

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
