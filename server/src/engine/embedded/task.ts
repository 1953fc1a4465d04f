/** What crosses between the engine and its search workers: plain objects, paths, and bytes in shared memory. */
import type { FileMatch } from "#model/match";
import type { SearchStats } from "#model/stats";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import type { IndexedRevision } from "#shard/directory";

/** The shards of one repository, oldest first. */
export interface RepositoryShards {
  readonly id: number;
  readonly isFolder: boolean;
  readonly revisions: readonly IndexedRevision[];
  readonly defaultRevision?: string;
  readonly segments: readonly { readonly file: string; readonly path: string }[];
}

/** The working tree over the default revision: a shard in memory, and what it hides. */
export interface RepositoryOverlay {
  /** A whole shard file in shared memory. */
  readonly bytes: Uint8Array;
  /** Paths that are changed or gone. */
  readonly hiddenPaths: readonly Uint8Array[];
}

export interface ShardUpdate {
  readonly kind: "update";
  readonly repositories: readonly RepositoryShards[];
  readonly removed: readonly number[];
  readonly overlays: readonly {
    readonly repositoryId: number;
    readonly overlay: RepositoryOverlay | undefined;
  }[];
  /** Files that this worker searches; it may open others to know what they override. */
  readonly ownedFiles: readonly string[];
  /** Whether this worker searches the overlays and unsaved documents of a repository. */
  readonly ownedRepositories: readonly number[];
}

export interface UnsavedText {
  readonly repositoryId: number;
  readonly path: string;
  /** Empty for a worker that only hides what is older. */
  readonly text: string;
  readonly language: string;
  readonly version: string;
}

export interface SearchCall {
  readonly kind: "search";
  readonly query: Query;
  readonly repositories: readonly number[] | "all";
  readonly limits: Limits;
  readonly unsaved: readonly UnsavedText[];
  /** This worker searches the unsaved documents. */
  readonly searchesUnsaved: boolean;
  readonly preferred: readonly number[];
  /** Files are emitted as they are found, and the answer has none. */
  readonly streams: boolean;
  /** In the slow lane an expression may take its time; in the fast one it is handed over. */
  readonly lane: "fast" | "slow";
}

export type WorkerCall = ShardUpdate | SearchCall;

/** Where a shard stands in the order in which all are searched: compared from left to right. */
export type ShardOrder = readonly [layer: number, repositoryId: number, fileNumber: number];

export interface FoundFile {
  readonly order: ShardOrder;
  readonly document: number;
  readonly file: FileMatch;
}

export interface SearchAnswer {
  readonly kind: "answer";
  /** Best first, as many as the limit on display wants. */
  readonly files: readonly FoundFile[];
  /** Matches in each shard that was searched, in order. */
  readonly shardCounts: readonly {
    readonly order: ShardOrder;
    readonly matchCount: number;
    readonly fileCount: number;
  }[];
  readonly stats: SearchStats;
  /** Shards that were not looked at, because the limit was reached before. */
  readonly wasCut: boolean;
  /** Files that do not hold what they should. */
  readonly damagedFiles: readonly string[];
}

export type WorkerAnswer =
  | { readonly kind: "updated"; readonly damagedFiles: readonly string[] }
  /** An expression ran too long here; the whole search belongs into the slow lane. */
  | { readonly kind: "tooSlow" }
  | SearchAnswer;

export function compareOrder(left: ShardOrder, right: ShardOrder): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}
