/** Maps lines between an editor and git, and between versions of a text. Pure: does not use VS Code. */
import { lineChanges } from "./textChange";

/** Lines from 1, inclusive. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A committed text, split into lines as an editor does. */
export interface CommittedLines {
  readonly lines: readonly string[];
  /** Git's number of each line, from 1. They differ because a lone CR ends a line only for an editor. */
  readonly numbers: readonly number[];
}

export function committedLines(text: string): CommittedLines {
  const lines: string[] = [];
  const numbers: number[] = [];
  let number = 1;
  for (const [, line = "", end] of withoutByteOrderMark(text).matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)) {
    lines.push(line);
    numbers.push(number);
    if (end === "") break;
    if (end !== "\r") number++;
  }
  return { lines, numbers };
}

/** Removes the byte order mark, which is not part of an editor's text. */
function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Returns for each line of `after` its index in `before`, or -1 if it is new. Indexes ascend and are unique. */
export function lineOrigins(before: readonly string[], after: readonly string[]): readonly number[] {
  const [from, to] = comparableLines(before, after);
  const origins: number[] = [];
  let next = 0;
  for (const { start, end, lines } of lineChanges(from, to)) {
    for (; next < start; next++) origins.push(next);
    for (const _ of lines) origins.push(-1);
    next = end;
  }
  for (; next < before.length; next++) origins.push(next);
  return origins;
}

/**
 * Returns the range of committed lines (git's numbers) that the zero-based lines `first` to `last` of another text come
 * from; `undefined` if all are new. `origins` are those of the other text.
 */
export function committedLineRange(
  { lines, numbers }: CommittedLines,
  origins: readonly number[],
  { first, last }: { readonly first: number; readonly last: number },
): LineRange | undefined {
  // Git does not count an empty line after the last line break.
  const counted = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const found = origins.slice(first, last + 1).filter((index) => index >= 0 && index < counted);
  const [start, end] = [numbers[found[0] ?? -1], numbers[found.at(-1) ?? -1]];
  return start === undefined || end === undefined ? undefined : { first: start, last: end };
}

/** Maps a zero-based line from one text to another. A removed line maps to the start of what replaced it. */
export function mapLine(line: number, from: readonly string[], to: readonly string[]): number {
  const origins = lineOrigins(to, from);
  const origin = origins[line] ?? -1;
  if (origin >= 0) return origin;
  let above = line;
  while (above >= 0 && (origins[above] ?? -1) < 0) above--;
  const start = above < 0 ? 0 : (origins[above] ?? -1) + 1;
  let below = line;
  while (below < origins.length && (origins[below] ?? -1) < 0) below++;
  const end = below < origins.length ? (origins[below] ?? to.length) : to.length;
  const inside = Math.min(start + (line - above - 1), Math.max(start, end - 1));
  return Math.max(0, Math.min(inside, to.length - 1));
}

/**
 * Compares only ASCII if the text was not UTF-8: the service returns U+FFFD where the editor decoded another encoding.
 */
function comparableLines(
  before: readonly string[],
  after: readonly string[],
): readonly [readonly string[], readonly string[]] {
  if (!before.some((line) => line.includes("\uFFFD"))) return [before, after];
  return [before.map(asciiOf), after.map(asciiOf)];
}

function asciiOf(line: string): string {
  return line.replace(/\P{ASCII}+/gu, "?");
}
