/** An answer as lines for a list, those of a repository together. Knows no VS Code. */
import type { FileMatch } from "#contract/search";

export interface QuickLine {
  readonly file: FileMatch;
  /** Which of the file's ranges it is, over all chunks. */
  readonly range: number;
  /** The line without its indentation, or the path where that was found. */
  readonly text: string;
  /** Where the line stands: path and line number. */
  readonly place: string;
}

const charactersAtMost = 200;

/** Repositories in the order of their best file; one line for all matches on it. */
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
  if (file.chunks.length === 0) return [{ file, range: 0, text: plain(path), place: "" }];
  const lines: QuickLine[] = [];
  let range = 0;
  for (const { content, contentStart, matchRanges } of file.chunks) {
    const texts = content.split("\n");
    let last = 0;
    for (const { start } of matchRanges) {
      if (start.lineNumber !== last) {
        last = start.lineNumber;
        const text = plain(texts[start.lineNumber - contentStart.lineNumber] ?? "");
        lines.push({ file, range, text, place: `${plain(path)}:${start.lineNumber}` });
      }
      range++;
    }
  }
  return lines;
}

/** On one line, without what a list would draw as icons or not at all. */
function plain(text: string): string {
  const line = text.trim().replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ");
  const short = line.length > charactersAtMost ? `${line.slice(0, charactersAtMost)}…` : line;
  return short.replaceAll("$(", "$\u200b(");
}
