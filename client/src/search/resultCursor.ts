/** Which result is the next one. Pure: knows no VS Code. */
import type { FileMatch } from "#contract/search";
import { linesOf, type ResultLine } from "./resultLines";
import { keyOf } from "./resultSet";

export interface ResultPlace {
  readonly file: FileMatch;
  /** Absent where the path was found, not a line. */
  readonly line: ResultLine | undefined;
}

type Step = 1 | -1;

/**
 * The result `step` away from `from`, which may be of an answer before; the first or the last one where it is not there.
 * Goes round at the ends.
 */
export function nextResult(
  files: readonly FileMatch[],
  from: ResultPlace | undefined,
  step: Step,
): ResultPlace | undefined {
  return resultBehind(files, from, step) ?? endOf(files[step === 1 ? 0 : files.length - 1], step);
}

/** Whether a result is there, and the way would go round behind it. */
export function isLastResult(
  files: readonly FileMatch[],
  from: ResultPlace | undefined,
  step: Step,
): boolean {
  const isThere = from !== undefined && files.some((file) => keyOf(file) === keyOf(from.file));
  return isThere && resultBehind(files, from, step) === undefined;
}

function resultBehind(
  files: readonly FileMatch[],
  from: ResultPlace | undefined,
  step: Step,
): ResultPlace | undefined {
  const key = from && keyOf(from.file);
  const index = files.findIndex((file) => keyOf(file) === key);
  const present = files[index];
  if (from === undefined || present === undefined) return undefined;
  const lines = linesOf(present);
  const at = lines.findIndex(({ lineNumber }) => lineNumber === from.line?.lineNumber);
  const line = at < 0 ? undefined : lines[at + step];
  return line === undefined ? endOf(files[index + step], step) : { file: present, line };
}

/** What comes first in a file, on the way through. */
function endOf(file: FileMatch | undefined, step: Step): ResultPlace | undefined {
  return file && { file, line: linesOf(file).at(step === 1 ? 0 : -1) };
}
