import type { RepositoryScope } from "#contract/access";
import type { UnparsedDocument } from "#contract/repositories";
import type { SkipReason } from "#model/document";
import type { Repository, RepositoryId } from "#model/repository";

/** A document whose text is not indexed, so that it is found only by its path. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: SkipReason;
  readonly sizeBytes?: number;
}

/** A document without symbols, although its language has a parser. */
export type UnparsedEntry = Omit<UnparsedDocument, "repoId" | "repoName">;

/** Result of indexing a revision on request. `late`: the time ran out. `absent`: there is no such revision. */
export type RevisionResult = "indexed" | "absent" | "late";

/** What a request uses, so that it is evicted later than what nobody uses. */
export interface RepositoryUse {
  readonly ids: readonly RepositoryId[];
  readonly revisions?: readonly { readonly id: RepositoryId; readonly name: string }[];
  /** Repositories that an editor has open. */
  readonly open?: readonly RepositoryId[];
}

/** What the service knows about repositories. */
export interface RepositoryView {
  /** Whether a rule or an API key limits what this view contains. */
  readonly isLimited: boolean;
  /** All repositories except packages, sorted by name. The array is replaced, never modified. */
  all(): readonly Repository[];
  /** All packages, sorted by name. The array is replaced, never modified. */
  packages(): readonly Repository[];
  get(id: RepositoryId): Repository | undefined;
  /** Returns the repository that has this exact fully qualified name, or else had it before it was renamed. */
  byName(name: string): Repository | undefined;
  /** Returns the innermost repository that contains an absolute path. */
  containing(path: string): Repository | undefined;
  /** Whether paths are still being scanned, so that `all` may be incomplete. */
  isScanning(): boolean;
  /**
   * Whether code hosts have not said yet which of their repositories the caller may see, so that `all` may be incomplete.
   */
  hasUnknownRights(): boolean;
  /** Whether `packages` may be incomplete. */
  isScanningPackages(): boolean;
  /** Whether a repository is polled, because not all of its folders can be watched. */
  isPolled(id: RepositoryId): boolean;
  /** Whether the symbols of all documents of a repository are indexed. */
  hasSymbols(id: RepositoryId): boolean;
  /** Returns the skipped documents of a repository, sorted by path. Their number is its `skippedCount`. */
  skipped(id: RepositoryId, signal: AbortSignal): Promise<readonly SkippedEntry[]>;
  /** Returns the documents of a repository that could not be parsed, sorted by path. */
  unparsed(id: RepositoryId, signal: AbortSignal): Promise<readonly UnparsedEntry[]>;
  /**
   * Indexes a revision temporarily: a full ref name, a commit, or an expression such as `main~2`. Resolves with `late`
   * after `timeMs`, while indexing continues in the background. Cancels indexing when all waiting callers have
   * canceled.
   */
  indexRevision(id: RepositoryId, name: string, timeMs: number, signal: AbortSignal): Promise<RevisionResult>;
  /**
   * Indexes a repository that was evicted, and waits for it for at most `timeMs`; indexing then continues in the
   * background. Its state tells whether it is indexed.
   */
  restore(id: RepositoryId, timeMs: number, signal: AbortSignal): Promise<void>;
  /** Returns how many repositories and revisions have been evicted since the start. */
  evictionCount(): number;
  /** Whether a repository, or some of its revisions, was evicted since `evictionCount` returned `count`. */
  wasEvictedSince(id: RepositoryId, count: number): boolean;
  /** Records a use, in memory. */
  noteUse(use: RepositoryUse): void;
}

/** Returns why `all` may be incomplete. */
export function viewGaps(view: RepositoryView): ("INDEXING" | "RIGHTS_UNKNOWN")[] {
  return [
    ...(view.isScanning() ? ["INDEXING" as const] : []),
    ...(view.hasUnknownRights() ? ["RIGHTS_UNKNOWN" as const] : []),
  ];
}

/** What code hosts let callers see. */
export interface CodeHostRights {
  /** Increases whenever a decision may have changed. */
  readonly revision: number;
  /** `unknown`: the host has not said yet whether the user may see it, so it is hidden. */
  visibility(
    repository: Repository,
    user: NonNullable<RepositoryScope["codeHostUser"]>,
  ): "visible" | "hidden" | "unknown";
}
