import type { RepositoryState } from "./repositories";

/** LSP notification from the server: the state of repositories has changed. Sent at most a few times a second. */
export const indexingMethod = "trawl/indexing";

export interface IndexingProgress {
  /** Those whose state changed since the last notification. */
  readonly repositories: readonly {
    readonly repositoryId: number;
    readonly repository: string;
    readonly state: RepositoryState;
    /** 0 to 1. */
    readonly progress: number;
    readonly error?: string;
  }[];
  /** Repositories known, and those of them that are up to date. */
  readonly total: number;
  readonly ready: number;
}
