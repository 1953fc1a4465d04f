import type { FileMatch } from "#contract/search";

interface MatchedLine {
  readonly number: number;
  readonly text: string;
  /** One where it is left out. */
  readonly matches?: number;
}

/** A file of an answer, with a chunk for each line; found by its name where there is none. */
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
