import type { FileMatch } from "#contract/search";

interface MatchedLine {
  readonly number: number;
  readonly text: string;
  /** Defaults to 1. */
  readonly matches?: number;
}

/** A file of a result with one chunk per line; without lines, the file name matched. */
export function fileMatch(repository: string, path: string, ...lines: readonly MatchedLine[]): FileMatch {
  const at = (lineNumber: number) => ({ byteOffset: 0, lineNumber, column: 1 });
  return {
    fileName: { text: path, matchRanges: [] },
    repository,
    repositoryId: repository.length,
    webUrl: "",
    externalWebUrl: "",
    language: "",
    branches: [],
    content: "",
    origin: "commit",
    commit: "c",
    blobSha: "b",
    chunks: lines.map(({ number, text, matches = 1 }) => ({
      content: `${text}\n`,
      contentStart: at(number),
      symbols: [],
      matchRanges: Array.from({ length: matches }, () => ({ start: at(number), end: at(number) })),
    })),
  };
}
