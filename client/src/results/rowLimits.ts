/** Limits how many rows a set of results has. Pure: does not use VS Code. */
import type { FileMatch } from "#contract/search";
import type { Group } from "./resultGroups";
import { lineCountOf } from "./resultLines";

/** Rows created at first, and added by each "Show More". */
export const rowBatch = 2000;
/** Maximum number of line rows of a file once all files are expanded. */
export const lineBatch = 100;
/** A file with more lines first shows only some of them. */
const maxInitialLines = 12;
/** How many lines of such a file have rows at first. */
const firstLines = 10;

export class RowLimits {
  #rows = rowBatch;
  /** How many files of each group have rows; groups beyond the array have no row. */
  #shown: readonly number[] = [];
  readonly #lines = new Map<string, number>();
  #expandsFiles = false;

  /** How many groups have rows. */
  get groupCount(): number {
    return this.#shown.length;
  }

  /** How many files of the group at this index have rows. */
  fileCount(group: number): number {
    return this.#shown[group] ?? 0;
  }

  /** How many of the lines of the file with this id have rows; at first `initial` or `firstLines`. */
  lineCount(file: string, lines: number, initial = firstLines): number {
    const isLong = lines > maxInitialLines && !this.#expandsFiles;
    return this.#lines.get(file) ?? Math.min(isLong ? initial : lineBatch, lineBatch);
  }

  /** Allows rows for the lines of all files, up to `lineBatch`. */
  expandFiles(): void {
    this.#expandsFiles = true;
  }

  addRows(): void {
    this.#rows += rowBatch;
  }

  /** Allows rows for this many lines of a file. */
  setLineCount(file: string, count: number): void {
    this.#lines.set(file, count);
  }

  /** Distributes the allowed rows over groups and files. Folders are not counted: they are fewer than twice the files. */
  allocate(groups: readonly Group[], hasCopies: (file: FileMatch) => boolean): void {
    const shown: number[] = [];
    let left = this.#rows;
    for (const { files } of groups) {
      if (left <= 0) break;
      left--;
      let count = 0;
      for (const file of files) {
        const lines = lineCountOf(file);
        const lineRows = lines > maxInitialLines ? firstLines + 1 : lines;
        const rows = 1 + lineRows + (hasCopies(file) ? 1 : 0);
        if (rows > left && count > 0) {
          left = 0;
          break;
        }
        left -= rows;
        count++;
      }
      shown.push(count);
    }
    this.#shown = shown;
  }
}
