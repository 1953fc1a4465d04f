/** Finds the next or previous result. Pure: does not use VS Code. */

import { keyOf } from "#client/search/resultSet";
import type { FileMatch } from "#contract/search";
import { linesOf, type ResultLine } from "./resultLines";

export interface ResultPosition {
  readonly file: FileMatch;
  /** Absent if the path matched, not a line. */
  readonly line: ResultLine | undefined;
}

type Step = 1 | -1;

/**
 * Returns the result `step` away from `from`, wrapping around at the ends. If `from` belongs to an earlier search and is
 * not among `files`, returns the first or last result.
 */
export function nextResult(
  files: readonly FileMatch[],
  from: ResultPosition | undefined,
  step: Step,
): ResultPosition | undefined {
  const end = step === 1 ? 0 : files.length - 1;
  return adjacentResult(files, from, step) ?? firstInStep(files[end], step);
}

/** Whether `from` is among `files` and a step from it would wrap around. */
export function isLastResult(
  files: readonly FileMatch[],
  from: ResultPosition | undefined,
  step: Step,
): boolean {
  const isIncluded = from !== undefined && files.some((file) => keyOf(file) === keyOf(from.file));
  return isIncluded && adjacentResult(files, from, step) === undefined;
}

function adjacentResult(
  files: readonly FileMatch[],
  from: ResultPosition | undefined,
  step: Step,
): ResultPosition | undefined {
  const key = from && keyOf(from.file);
  const index = files.findIndex((file) => keyOf(file) === key);
  const current = files[index];
  if (from === undefined || current === undefined) return undefined;
  const lines = linesOf(current);
  const lineIndex = lines.findIndex(({ lineNumber }) => lineNumber === from.line?.lineNumber);
  const line = lineIndex < 0 ? undefined : lines[lineIndex + step];
  return line === undefined ? firstInStep(files[index + step], step) : { file: current, line };
}

/** Returns the first result of a file in the direction of `step`. */
function firstInStep(file: FileMatch | undefined, step: Step): ResultPosition | undefined {
  return file && { file, line: linesOf(file).at(step === 1 ? 0 : -1) };
}
