/** Wraps a known location as a search result, so that it opens by the same rules. Pure: does not use VS Code. */
import type { FileMatch } from "#contract/search";

export interface KnownLocation extends Pick<FileMatch, "repository" | "commit" | "origin" | "blobSha"> {
  readonly path: string;
  /** Absent for the file as a whole. */
  readonly line?: { readonly lineNumber: number; readonly text: string };
}

export function matchAtLocation({
  repository,
  commit,
  origin,
  blobSha,
  path,
  line,
}: KnownLocation): FileMatch {
  const start = { byteOffset: 0, lineNumber: line?.lineNumber ?? 1, column: 1 };
  const matchRanges = [{ start, end: start }];
  return {
    fileName: { text: path, matchRanges: [] },
    webUrl: "",
    repository,
    // Unknown; consumers use the repository's name.
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
