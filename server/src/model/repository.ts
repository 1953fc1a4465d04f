import type { Brand } from "#base/brand";

/** A number from 1, assigned by the catalog and never reused. */
export type RepositoryId = Brand<number, "RepositoryId">;
/** A full commit SHA, lower-case hexadecimal. */
export type CommitHash = Brand<string, "CommitHash">;

/** The file in a mirror that says what it is a mirror of. Git ignores it. */
export const mirrorDescription = "trawl.json";

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

/** Where the files of a repository come from. A package is an installed dependency, whose files never change. */
export type RepositoryKind = "clone" | "bare" | "folder" | "package";

/** Whether the files of a repository come from a folder without git. */
export function isPlainFolder(kind: RepositoryKind): boolean {
  return kind === "folder" || kind === "package";
}

export const repositoryStates = [
  "queued",
  "cloning",
  "indexing",
  "ready",
  "stale",
  "failed",
  "evicted",
] as const;
export type RepositoryState = (typeof repositoryStates)[number];

/** Why a repository has no index: others needed the disk space, or its index alone needs more than the limit. */
export interface Eviction {
  readonly reason: "space" | "tooLarge";
  /** The limit at that time. */
  readonly maxIndexBytes: number;
  /** The size of its index; absent if it never had a complete one. */
  readonly indexBytes?: number;
}

/** A repository as the catalog describes it. */
export interface Repository {
  readonly id: RepositoryId;
  /**
   * Fully-qualified: host and path of the origin URL, the directory's name, or ecosystem, name and version of a package
   * (`npm/zod@4.6.7`); unique.
   */
  readonly name: string;
  /** Names that its code host had for it before, which still lead to it; absent if none. */
  readonly formerNames?: readonly string[];
  readonly displayName?: string;
  readonly kind: RepositoryKind;
  /** Absolute: the working tree of a clone, the git directory of a bare repository, the folder. */
  readonly path: string;
  /** Names of the entries of the folder that belong to a package; absent if all do. */
  readonly entries?: readonly string[];
  /** Namespaces in which the code of a package defines names, such as `com.google.gson`, if imports do not name it. */
  readonly namespaces?: readonly string[];
  /** Absolute: the common git directory; absent for a folder. */
  readonly gitDir?: string;
  readonly codeHostType: CodeHostType;
  /** The code host's page, without credentials; absent without a known host. */
  readonly hostUrl?: string;
  readonly isFork: boolean;
  readonly isArchived: boolean;
  readonly isPublic: boolean;
  /** What its code host says; absent if it says nothing. */
  readonly stars?: number;
  readonly topics?: readonly string[];
  /** Full name of the default revision; absent before the first commit. */
  readonly defaultRevision?: string;
  readonly revisions: readonly Revision[];
  readonly state: RepositoryState;
  /** 0 to 1 while indexing. */
  readonly progress?: number;
  readonly lastError?: string;
  /** Present if the state is `evicted`. */
  readonly eviction?: Eviction;
  /** Revisions that are not indexed until a search names them, because others needed the disk space; absent if none. */
  readonly evictedRevisions?: readonly string[];
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
  /** Packages that its lock files name and that are on this computer, in ascending order; absent if none. */
  readonly dependencies?: readonly RepositoryId[];
  /** Why more packages of its lock files may be on this computer. */
  readonly dependencyProblem?: string;
}
