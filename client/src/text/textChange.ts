/** The line changes between two texts. Pure: does not use VS Code. */
import { matchLines } from "#base/lineDiff";

export interface LineChange {
  /** Lines `[start, end)` of the old text, from 0. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Returns the changes that turn `before` into `after`, from top to bottom; they are never adjacent. */
export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const changes: LineChange[] = [];
  let start = 0;
  let newStart = 0;
  const replace = (end: number, newEnd: number) => {
    if (end > start || newEnd > newStart) changes.push({ start, end, lines: after.slice(newStart, newEnd) });
    start = end + 1;
    newStart = newEnd + 1;
  };
  for (const [line, match] of matchLines(before, after).entries()) if (match >= 0) replace(line, match);
  replace(before.length, after.length);
  return changes;
}
