/** The lines of a file that were found, and how a row shows one. Pure: knows no VS Code. */
import type { FileMatch } from "#contract/search";

/** `[start, end)` in UTF-16 units from 0. */
export type Stretch = readonly [start: number, end: number];

export interface ResultLine {
  /** From 1. */
  readonly lineNumber: number;
  /** The whole line without its end. */
  readonly text: string;
  /** What was found in it, in order; a match over several lines is cut at the line's end. */
  readonly matches: readonly Stretch[];
}

/** Text that fits a row, and what is marked in it. */
export interface MarkedText {
  readonly text: string;
  readonly marks: [number, number][];
}

/** Lines in which a match begins, in the order of the file. */
export function linesOf(file: FileMatch): readonly ResultLine[] {
  const lines: ResultLine[] = [];
  for (const { content, contentStart, matchRanges } of file.chunks) {
    const texts = content.split(/\r?\n/);
    let present: { lineNumber: number; text: string; matches: Stretch[]; at: Places } | undefined;
    for (const { start, end } of matchRanges) {
      if (present?.lineNumber !== start.lineNumber) {
        const text = texts[start.lineNumber - contentStart.lineNumber] ?? "";
        present = { lineNumber: start.lineNumber, text, matches: [], at: new Places(text) };
        lines.push(present);
      }
      const from = present.at.offsetOf(start.column);
      const to = end.lineNumber > start.lineNumber ? present.text.length : present.at.offsetOf(end.column);
      present.matches.push([from, Math.max(from, to)]);
    }
  }
  return lines;
}

const lineCounts = new WeakMap<FileMatch, number>();

/** How many `linesOf` gives, without reading the text. */
export function lineCountOf(file: FileMatch): number {
  const known = lineCounts.get(file);
  if (known !== undefined) return known;
  let count = 0;
  for (const { matchRanges } of file.chunks) {
    let last = 0;
    for (const { start } of matchRanges) {
      if (start.lineNumber !== last) count++;
      last = start.lineNumber;
    }
  }
  lineCounts.set(file, count);
  return count;
}

/** Goes from columns (code points from 1) to UTF-16 units; cheap as long as columns ascend. */
class Places {
  readonly #text: string;
  #column = 1;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  offsetOf(column: number): number {
    if (column < this.#column) {
      this.#column = 1;
      this.#offset = 0;
    }
    while (this.#column < column && this.#offset < this.#text.length) {
      this.#offset += (this.#text.codePointAt(this.#offset) ?? 0) > 0xffff ? 2 : 1;
      this.#column++;
    }
    return this.#offset;
  }
}

/** A column (code points from 1) as UTF-16 units from 0. */
export function utf16Offset(text: string, column: number): number {
  return new Places(text).offsetOf(column);
}

const unitsBeforeMatch = 26;
const unitsInRow = 250;
const marksInRow = 100;

/** The part of a line around its first match, without indentation and without what a row cannot show. */
export function rowText({ text, matches }: Pick<ResultLine, "text" | "matches">): MarkedText {
  const first = matches[0]?.[0] ?? 0;
  const indentation = text.length - text.trimStart().length;
  const start = Math.min(indentation, first);
  const from =
    first - start > 2 * unitsBeforeMatch ? wordStart(text, first - unitsBeforeMatch, first) : start;
  const to = Math.min(text.length, from + unitsInRow);
  const before = from > start ? "…" : "";
  const shown = `${before}${text.slice(from, to).trimEnd()}${to < text.length ? "…" : ""}`;
  const shift = before.length - from;
  const marks = matches
    .slice(0, marksInRow)
    .map(([begin, end]): [number, number] => [begin + shift, Math.min(end, to) + shift])
    .filter(([begin, end]) => begin < end && begin >= 0);
  return { text: visible(shown), marks };
}

/** Not in the middle of a word or of a surrogate pair, where that is to be had before `latest`. */
function wordStart(text: string, from: number, latest: number): number {
  const space = text.slice(from, latest).search(/(?<=\s)\S/);
  if (space >= 0) return from + space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}

/**
 * The same text, unit for unit, without characters that could break a row or turn its direction: what a repository
 * holds is not to change how the rest of a row reads.
 */
export function visible(text: string): string {
  return text
    .replace(/\t/g, " ")
    .replace(/[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu, "\uFFFD")
    .replace(/\p{Surrogate}/gu, "\uFFFD");
}

/** Text as a code block of Markdown from which nothing inside can break out. `language` may be anything. */
export function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const name = language.toLowerCase().replace(/[^a-z0-9+#-]/g, "");
  return `${fence}${name}\n${text.replace(/\r\n?|[\u2028\u2029]/g, "\n")}\n${fence}\n`;
}
