/** A search and its results so far. Pure: does not use VS Code. */
import type { RepositoryInfo } from "#contract/repositories";
import type { FileMatch, FoundCommit, SearchEnd } from "#contract/search";
import type { RequestInput } from "#contract/service";
import type { SearchState } from "./searchState";

export interface ResultSet {
  /** Unique in a window. */
  readonly id: number;
  readonly state: SearchState;
  /** The request as sent, for "Copy as API Call". */
  readonly request: RequestInput<"streamSearch">;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The words of the query as one phrase, if they form one. */
  readonly phrase?: string;
  /** Best first. Grows while the search runs. */
  readonly files: readonly FileMatch[];
  /** Newest first; instead of files if the query searches for commits. Grows while the search runs. */
  readonly commits?: readonly FoundCommit[];
  readonly repositories: ReadonlyMap<number, RepositoryInfo>;
  /** Absent while the search runs, and if it failed or was canceled. */
  readonly end?: SearchEnd;
  readonly outcome: "running" | "done" | "failed" | "canceled";
  /** What the same search found before it was narrowed, if known. */
  readonly beforeNarrowing?: { readonly files: number; readonly repositories: number };
  /** Set if the search failed. */
  readonly problem?: { readonly errorCode: string; readonly message: string };
}

/** Returns the number of matches in a file; a file found by its path counts as one. */
export function matchCountOf(file: FileMatch): number {
  return file.chunks.reduce((count, { matchRanges }) => count + matchRanges.length, 0) || 1;
}

/** Returns what the search found before it was narrowed, if the previous search was the same otherwise. */
export function countsBeforeNarrowing(
  { narrowed, ...search }: SearchState,
  previous: ResultSet | undefined,
): ResultSet["beforeNarrowing"] {
  if (previous === undefined || narrowed.length === 0) return undefined;
  const names = Object.keys(search) as (keyof typeof search)[];
  if (names.some((name) => search[name] !== previous.state[name])) return undefined;
  const { state, end, files, repositories, beforeNarrowing } = previous;
  if (state.narrowed.length > 0) return beforeNarrowing;
  if (end?.isSearchExhaustive !== true || files.length === 0) return undefined;
  return { files: Math.max(end.stats.fileCount, files.length), repositories: repositories.size };
}

/** Identifies a file among results: the same path may have different contents at two revisions. */
export function keyOf(file: FileMatch): string {
  return `${file.repositoryId}\0${file.fileName.text}\0${file.blobSha}\0${file.origin}`;
}
