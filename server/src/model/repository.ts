import type { Brand } from "#base/brand";

/** A number from 1, assigned by the catalog and never reused. */
export type RepositoryId = Brand<number, "RepositoryId">;
/** A full commit SHA, lower-case hexadecimal. */
export type CommitHash = Brand<string, "CommitHash">;

export const codeHostTypes = [
  "github",
  "gitlab",
  "gitea",
  "gerrit",
  "bitbucketServer",
  "bitbucketCloud",
  "genericGitHost",
  "azuredevops",
] as const;
export type CodeHostType = (typeof codeHostTypes)[number];

/** A ref and the commit that it pointed to when it was read. */
export interface Revision {
  /** Full ref name (`refs/heads/main`, `refs/tags/v1`), or `HEAD` if it is detached. */
  readonly name: string;
  readonly commit: CommitHash;
}

/** Where the files of a repository come from. */
export type RepositoryKind = "clone" | "bare" | "folder";

export type RepositoryState = "queued" | "cloning" | "indexing" | "ready" | "stale" | "failed";

/** A repository as the catalog describes it. */
export interface Repository {
  readonly id: RepositoryId;
  /** Fully-qualified: host and path of the origin URL, or the directory's name; unique. */
  readonly name: string;
  readonly displayName?: string;
  readonly kind: RepositoryKind;
  /** Absolute: the working tree of a clone, the git directory of a bare repository, the folder. */
  readonly path: string;
  /** Absolute: the common git directory; absent for a folder. */
  readonly gitDir?: string;
  readonly codeHostType: CodeHostType;
  /** The code host's page, without credentials; absent without a known host. */
  readonly hostUrl?: string;
  readonly isFork: boolean;
  readonly isArchived: boolean;
  readonly isPublic: boolean;
  /** Full name of the default revision; absent before the first commit. */
  readonly defaultRevision?: string;
  readonly revisions: readonly Revision[];
  readonly state: RepositoryState;
  /** 0 to 1 while indexing. */
  readonly progress?: number;
  readonly lastError?: string;
  /** Milliseconds since 1970. */
  readonly indexedAt?: number;
  /** Commit date of the default revision, milliseconds since 1970. */
  readonly pushedAt?: number;
  readonly documentCount: number;
  readonly skippedCount: number;
  readonly contentBytes: number;
  readonly indexBytes: number;
  /**
   * Files of the working tree that the default revision does not contain, and the size of their text; absent if none.
   */
  readonly addedCount?: number;
  readonly addedBytes?: number;
}
