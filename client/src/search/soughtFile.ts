/** A place in a file as if a search had found it, so that it is opened by the same rules. Pure: knows no VS Code. */
import type { FileMatch } from "#contract/search";

export interface SoughtPlace extends Pick<FileMatch, "repository" | "commit" | "origin" | "blobSha"> {
  readonly path: string;
  /** Absent for the file as a whole. */
  readonly line?: { readonly lineNumber: number; readonly text: string };
}

export function soughtFile({ repository, commit, origin, blobSha, path, line }: SoughtPlace): FileMatch {
  const start = { byteOffset: 0, lineNumber: line?.lineNumber ?? 1, column: 1 };
  const matchRanges = [{ start, end: start }];
  return {
    fileName: { text: path, matchRanges: [] },
    webUrl: "",
    repository,
    // What it is is known by its name.
    repositoryId: 0,
    language: "",
    chunks: line === undefined ? [] : [{ content: line.text, contentStart: start, matchRanges, symbols: [] }],
    externalWebUrl: "",
    branches: [],
    content: "",
    origin,
    commit,
    blobSha,
  };
}
