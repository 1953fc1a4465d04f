/** Which result is the next one. Pure: knows no VS Code. */
import type { FileMatch } from "#contract/search";
import { linesOf, type ResultLine } from "./resultLines";
import { keyOf } from "./resultSet";

export interface ResultPlace {
  readonly file: FileMatch;
  /** Absent where the path was found, not a line. */
  readonly line: ResultLine | undefined;
}

/**
 * The result `step` (1 or -1) away from `from`, which may be of an answer before; the first or the last one where it
 * is not there. Goes round at the ends.
 */
export function nextResult(
  files: readonly FileMatch[],
  from: ResultPlace | undefined,
  step: 1 | -1,
): ResultPlace | undefined {
  const key = from && keyOf(from.file);
  const index = files.findIndex((file) => keyOf(file) === key);
  const present = files[index];
  if (from !== undefined && present !== undefined) {
    const lines = linesOf(present);
    const at = lines.findIndex(({ lineNumber }) => lineNumber === from.line?.lineNumber);
    const line = at < 0 ? undefined : lines[at + step];
    if (line !== undefined) return { file: present, line };
  }
  const start = present === undefined ? (step === 1 ? 0 : files.length - 1) : index + step;
  const file = files[(start + files.length) % files.length];
  return file && { file, line: linesOf(file).at(step === 1 ? 0 : -1) };
}
