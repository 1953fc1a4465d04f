import type { UnparsedDocument } from "#contract/repositories";
import type { SkipReason } from "#model/document";
import type { Repository, RepositoryId } from "#model/repository";

/** A document that is found by its name only. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: SkipReason;
  readonly sizeBytes?: number;
}

/** A document without symbols, although its language is parsed. */
export type UnparsedEntry = Omit<UnparsedDocument, "repoId" | "repoName">;

/** What became of a revision that was not indexed: `late` where it could not be brought in time. */
export type BroughtRevision = "indexed" | "absent" | "late";

/** What the service needs to know of the repositories, wherever that is kept. */
export interface RepositoryView {
  /** All, by name. The array is replaced, never changed. */
  all(): readonly Repository[];
  get(id: RepositoryId): Repository | undefined;
  /** By the exact fully-qualified name. */
  byName(name: string): Repository | undefined;
  /** The innermost repository that holds an absolute path. */
  containing(path: string): Repository | undefined;
  /** Whether places are still being looked through, so that `all` may not be all. */
  isScanning(): boolean;
  /** Whether not all of its folders can be watched. */
  isPolled(id: RepositoryId): boolean;
  /** Whether the definitions of all its documents are known. */
  hasSymbols(id: RepositoryId): boolean;
  /** In order of their paths; as many as `skippedCount` says. */
  skipped(id: RepositoryId, signal: AbortSignal): Promise<readonly SkippedEntry[]>;
  /** In order of their paths. */
  unparsed(id: RepositoryId, signal: AbortSignal): Promise<readonly UnparsedEntry[]>;
  /**
   * Indexes a revision for a while: a full ref name, a commit, or what git calculates (`main~2`). Goes on where it takes
   * longer than `timeMs`, and is given up where everybody gives it up who waits for it.
   */
  bringRevision(
    id: RepositoryId,
    name: string,
    timeMs: number,
    signal: AbortSignal,
  ): Promise<BroughtRevision>;
}
