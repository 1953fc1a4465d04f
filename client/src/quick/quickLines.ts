/** Formats results as lines for a list, grouped by repository. Does not use VS Code. */
import type { FileMatch } from "#contract/search";

export interface QuickLine {
  readonly file: FileMatch;
  /** Index of its first match among the ranges of all chunks of the file. */
  readonly range: number;
  /** The line without its indentation, or the path if that matched. */
  readonly text: string;
  /** Path and line number. */
  readonly location: string;
}

const maxCharacters = 200;

/** Returns one line for all matches on it, with repositories in the order of their best file. */
export function quickLines(files: readonly FileMatch[]): readonly QuickLine[] {
  const byRepository = new Map<number, FileMatch[]>();
  for (const file of files) {
    const group = byRepository.get(file.repositoryId);
    if (group === undefined) byRepository.set(file.repositoryId, [file]);
    else group.push(file);
  }
  return [...byRepository.values()].flatMap((group) => group.flatMap(linesOf));
}

function linesOf(file: FileMatch): QuickLine[] {
  const path = file.fileName.text;
  if (file.chunks.length === 0) return [{ file, range: 0, text: plain(path), location: "" }];
  const lines: QuickLine[] = [];
  let range = 0;
  for (const { content, contentStart, matchRanges } of file.chunks) {
    const texts = content.split("\n");
    let last = 0;
    for (const { start } of matchRanges) {
      if (start.lineNumber !== last) {
        last = start.lineNumber;
        const text = plain(texts[start.lineNumber - contentStart.lineNumber] ?? "");
        lines.push({ file, range, text, location: `${plain(path)}:${start.lineNumber}` });
      }
      range++;
    }
  }
  return lines;
}

/** Joins and shortens text to one line, without icons and invisible characters. */
function plain(text: string): string {
  const line = text.trim().replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ");
  const short = line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line;
  return short.replaceAll("$(", "$\u200b(");
}
