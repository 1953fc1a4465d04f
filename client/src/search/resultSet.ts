/** One search and what it has found so far. Pure: knows no VS Code. */
import type { RepositoryInfo } from "#contract/repositories";
import type { FileMatch, FoundCommit, SearchEnd } from "#contract/search";
import type { SentOf } from "#contract/service";
import type { SearchState } from "./searchState";

export interface ResultSet {
  /** Different for each search of a window. */
  readonly id: number;
  readonly state: SearchState;
  /** What was sent: "Copy as API Call" shows it. */
  readonly request: SentOf<"streamSearch">;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Best first. Grows while the search runs. */
  readonly files: readonly FileMatch[];
  /** Newest first; in place of files, where the query asks for commits. Grows, too. */
  readonly commits?: readonly FoundCommit[];
  readonly repositories: ReadonlyMap<number, RepositoryInfo>;
  /** Absent while it runs, and where it failed or was cancelled. */
  readonly end?: SearchEnd;
  readonly outcome: "running" | "done" | "failed" | "cancelled";
  /** Of a failed search. */
  readonly problem?: { readonly errorCode: string; readonly message: string };
}

/** Ranges of a file's text or path that were found. */
export function matchCountOf(file: FileMatch): number {
  return file.chunks.reduce((count, { matchRanges }) => count + matchRanges.length, 0) || 1;
}

/** Identifies a file of an answer: the same path may hold different contents on two revisions. */
export function keyOf(file: FileMatch): string {
  return `${file.repositoryId}\0${file.fileName.text}\0${file.blobSha}\0${file.origin}`;
}
