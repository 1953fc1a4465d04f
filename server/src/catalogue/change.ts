import type { Repository } from "#model/repository";

/** What may change after a repository was found. */
export type RepositoryChange = Partial<
  Pick<
    Repository,
    | "displayName"
    | "revisions"
    | "state"
    | "indexedAt"
    | "pushedAt"
    | "documentCount"
    | "skippedCount"
    | "contentBytes"
    | "indexBytes"
  >
> & {
  /** `undefined` takes the value away. */
  readonly defaultRevision?: string | undefined;
  readonly progress?: number | undefined;
  readonly lastError?: string | undefined;
};
