/**
 * From the lines of an editor to those that git counts, and from one version of a text to another. Pure: knows no VS
 * Code.
 */
import { lineChanges } from "#client/search/textChange";
import type { Stretch } from "./blamedLines";

/** A committed text, by the lines that an editor makes of it. */
export interface CommittedLines {
  readonly lines: readonly string[];
  /** For each of them the line that git counts it to, from 1: a lone CR ends a line for an editor only. */
  readonly numbers: readonly number[];
}

export function committedLines(text: string): CommittedLines {
  const lines: string[] = [];
  const numbers: number[] = [];
  let number = 1;
  for (const [, line = "", end] of withoutMark(text).matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)) {
    lines.push(line);
    numbers.push(number);
    if (end === "") break;
    if (end !== "\r") number++;
  }
  return { lines, numbers };
}

/** Editors keep the byte order mark out of the text. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** For each line of `after` its index in `before`, -1 for one that is new: ascending, and each index once. */
export function lineOrigins(before: readonly string[], after: readonly string[]): readonly number[] {
  const [old, fresh] = readableLines(before, after);
  const origins: number[] = [];
  let at = 0;
  for (const { start, end, lines } of lineChanges(old, fresh)) {
    for (; at < start; at++) origins.push(at);
    for (const _ of lines) origins.push(-1);
    at = end;
  }
  for (; at < before.length; at++) origins.push(at);
  return origins;
}

/**
 * From which lines of the committed text, as git counts them, lines of another text come; `undefined` where all of those
 * are new. `origins` are the other text's, and its lines from `first` to `last` are meant, from 0.
 */
export function committedStretch(
  { lines, numbers }: CommittedLines,
  origins: readonly number[],
  { first, last }: { readonly first: number; readonly last: number },
): Stretch | undefined {
  // Git does not count what follows the last line end.
  const counted = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const found = origins.slice(first, last + 1).filter((index) => index >= 0 && index < counted);
  const [start, end] = [numbers[found[0] ?? -1], numbers[found.at(-1) ?? -1]];
  return start === undefined || end === undefined ? undefined : { first: start, last: end };
}

/**
 * Where a line of one text stands in another, both from 0. A line that is not there any more is looked for where what
 * replaced it begins.
 */
export function sameLine(line: number, from: readonly string[], to: readonly string[]): number {
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

/** What is no UTF-8 reached us as U+FFFD, while the editor may know its encoding: then only ASCII is compared. */
function readableLines(
  before: readonly string[],
  after: readonly string[],
): readonly [readonly string[], readonly string[]] {
  if (!before.some((line) => line.includes("\uFFFD"))) return [before, after];
  return [before.map(asciiOf), after.map(asciiOf)];
}

function asciiOf(line: string): string {
  return line.replace(/\P{ASCII}+/gu, "?");
}
