import type { Eviction, Repository, RepositoryId } from "#model/repository";

/** The fields that may change after a repository was added. */
export type RepositoryChange = Partial<
  Pick<
    Repository,
    | "displayName"
    | "revisions"
    | "state"
    | "pushedAt"
    | "documentCount"
    | "skippedCount"
    | "contentBytes"
    | "indexBytes"
  >
> & {
  /** `undefined` removes the value. */
  readonly defaultRevision?: string | undefined;
  readonly progress?: number | undefined;
  readonly lastError?: string | undefined;
  readonly indexedAt?: number | undefined;
  readonly eviction?: Eviction | undefined;
  readonly evictedRevisions?: readonly string[] | undefined;
  readonly addedCount?: number | undefined;
  readonly addedBytes?: number | undefined;
  readonly dependencies?: readonly RepositoryId[] | undefined;
  readonly dependencyProblem?: string | undefined;
};
