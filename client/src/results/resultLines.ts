/** The matching lines of a file, and the text that a row shows of one. Pure: does not use VS Code. */
import { ColumnOffsets } from "#client/text/columns";
import { visible } from "#client/text/visible";
import type { FileMatch } from "#contract/search";

/** `[start, end)` in UTF-16 units, zero-based. */
export type OffsetRange = readonly [start: number, end: number];

export interface ResultLine {
  /** One-based. */
  readonly lineNumber: number;
  /** The whole line without its line break. */
  readonly text: string;
  /** Its matches in order; a match over several lines is cut at the end of the line. */
  readonly matches: readonly OffsetRange[];
  /** Kind of the definition that the first match names, if every match around it names one. */
  readonly symbolKind?: string;
}

/** Text that fits into a row, and the ranges to highlight in it. */
export interface MarkedText {
  readonly text: string;
  readonly marks: [number, number][];
}

/** Returns the lines in which a match begins, in the order of the chunks. */
export function linesOf(file: FileMatch): readonly ResultLine[] {
  const lines: ResultLine[] = [];
  for (const { content, contentStart, matchRanges, symbols } of file.chunks) {
    const texts = content.split(/\r?\n/);
    let current:
      | (Omit<ResultLine, "matches"> & { matches: OffsetRange[]; offsets: ColumnOffsets })
      | undefined;
    for (const [index, { start, end }] of matchRanges.entries()) {
      if (current?.lineNumber !== start.lineNumber) {
        const text = texts[start.lineNumber - contentStart.lineNumber] ?? "";
        const symbolKind = symbols.length === matchRanges.length ? symbols[index]?.kind : undefined;
        current = {
          lineNumber: start.lineNumber,
          text,
          matches: [],
          offsets: new ColumnOffsets(text),
          ...(symbolKind === undefined ? {} : { symbolKind }),
        };
        lines.push(current);
      }
      const from = current.offsets.offsetOf(start.column);
      const to =
        end.lineNumber > start.lineNumber ? current.text.length : current.offsets.offsetOf(end.column);
      current.matches.push([from, Math.max(from, to)]);
    }
  }
  return lines;
}

/** Whether a match of the line begins the phrase. Whether case counts was decided when the match was found. */
export function hasPhrase({ text, matches }: ResultLine, phrase: string): boolean {
  const wanted = phrase.toLowerCase();
  return matches.some(([start]) => text.slice(start, start + phrase.length).toLowerCase() === wanted);
}

const lineCounts = new WeakMap<FileMatch, number>();

/** Returns how many lines `linesOf` returns, without reading the text. */
export function lineCountOf(file: FileMatch): number {
  const cached = lineCounts.get(file);
  if (cached !== undefined) return cached;
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

/** As in VS Code's Search. */
const unitsBeforeMatch = 26;
/** A row in a side bar of the default width shows about this many. */
const defaultColumns = 32;
const minUnitsBeforeMatch = 4;
/** Characters of code are wider than the average, and an ellipsis at each end takes space too. */
const codeScale = 0.9;
const ellipsisColumns = 2;
const unitsInRow = 250;
const marksInRow = 100;

/**
 * Returns the part of a line that a row of `columns` shows, without indentation and characters that it cannot show. If
 * the first match would not be visible, the line is cut before it.
 */
export function rowText(
  { text, matches }: Pick<ResultLine, "text" | "matches">,
  columns: number = defaultColumns,
): MarkedText {
  const [first, end] = matches[0] ?? [0, 0];
  const indentation = text.length - text.trimStart().length;
  const start = Math.min(indentation, first);
  const room = Math.floor(columns * codeScale) - ellipsisColumns;
  const before = Math.min(unitsBeforeMatch, Math.max(minUnitsBeforeMatch, room - (end - first)));
  const isCut = end - start > room && first - start > before;
  const from = isCut ? wordStart(text, first - before, first) : start;
  const to = Math.min(text.length, from + unitsInRow);
  const ellipsis = from > start ? "…" : "";
  const shown = `${ellipsis}${text.slice(from, to).trimEnd()}${to < text.length ? "…" : ""}`;
  const shift = ellipsis.length - from;
  const marks = matches
    .slice(0, marksInRow)
    .map(([begin, end]): [number, number] => [begin + shift, Math.min(end, to) + shift])
    .filter(([begin, end]) => begin < end && begin >= 0);
  return { text: visible(shown), marks };
}

/** Returns the start of the first word between `from` and `latest`, or else `from`, but never inside a surrogate pair. */
function wordStart(text: string, from: number, latest: number): number {
  const space = text.slice(from, latest).search(/(?<=\s)\S/);
  if (space >= 0) return from + space;
  return /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
}

export interface CommitSummary {
  readonly subject: string;
  readonly author: string;
  readonly age: string;
  readonly repository: string;
}

const minSubjectColumns = 12;
/** Descriptions have a smaller font than labels, and a gap before them. */
const descriptionScale = 0.95;
const descriptionGap = 2;

/** Returns the label and the description of a commit. The subject is cut, and the author shortened, so that both fit. */
export function commitText(
  { subject, author, age, repository }: CommitSummary,
  columns: number = defaultColumns,
): { label: string; description: string } {
  const describe = (name: string) => [name, age, repository].join(" · ");
  const available = (description: string) =>
    columns - Math.ceil(description.length * descriptionScale) - descriptionGap;
  const [firstName = author] = author.split(" ");
  const whole = describe(author);
  const isShort = available(whole) < Math.min(subject.length, 2 * minSubjectColumns);
  const description = isShort ? describe(firstName) : whole;
  const characters = [...subject];
  const limit = Math.max(minSubjectColumns, available(description));
  const label =
    characters.length > limit
      ? `${characters
          .slice(0, limit - 1)
          .join("")
          .trimEnd()}…`
      : subject;
  return { label, description };
}
