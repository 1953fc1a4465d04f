/** What crosses between the engine and its search workers: plain objects, paths, and bytes in shared memory. */
import type {
  CountRequest,
  DocumentRequest,
  FoundSymbol,
  IndexedDocument,
  SymbolRequest,
} from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { FlushReason, SearchStats } from "#model/stats";
import type { Thread } from "#platform/workers";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import type { IndexedRevision } from "#shard/directory";
import type { KnownSymbols } from "#shard/symbols";

/** The shards of one repository, oldest first. */
export interface RepositoryShards {
  readonly id: number;
  readonly isFolder: boolean;
  readonly revisions: readonly IndexedRevision[];
  readonly defaultRevision?: string;
  readonly segments: readonly SegmentFiles[];
}

/** A shard, and its companion if there is one. */
export interface SegmentFiles {
  readonly file: string;
  readonly path: string;
  readonly symbols?: { readonly file: string; readonly path: string };
}

/** The working tree over the default revision: a shard in memory, and what it hides. */
export interface RepositoryOverlay {
  /** A whole shard file in shared memory. */
  readonly bytes: Uint8Array;
  /** Its companion, in shared memory too; absent until its documents have been parsed. */
  readonly symbols?: Uint8Array;
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
  /** What was found in it; absent as long as it is not parsed. */
  readonly symbols?: KnownSymbols;
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

/**
 * Asks for the files of some hits of a search that has answered, which come in pieces, the last one with the answer. The
 * worker forgets the others.
 */
export interface PresentCall {
  readonly kind: "present";
  readonly token: number;
  readonly picks: readonly Pick[];
}

export interface Pick {
  /** Index in the answer's `hits`. */
  readonly shard: number;
  readonly hit: number;
  /** Only the first so many ranges are wanted. */
  readonly maxRanges: number;
}

/** `CountRequest`, for the shards that the worker owns. */
export interface CountCall {
  readonly kind: "count";
  readonly by: CountRequest["by"];
  readonly repositories: readonly number[] | "all";
  readonly revisions: readonly string[];
}

export interface CountAnswer {
  readonly kind: "counted";
  readonly counts: ReadonlyMap<string, number>;
}

/** `SymbolRequest`, for the shards that the worker owns. */
export interface SymbolsCall extends Omit<SymbolRequest, "repositories" | "unsaved" | "preferred"> {
  readonly kind: "symbols";
  readonly repositories: readonly number[] | "all";
  readonly preferred: readonly number[];
  readonly unsaved: readonly UnsavedText[];
  readonly searchesUnsaved: boolean;
}

/** A symbol, and where it stands among those that are as good. */
export interface PlacedSymbol {
  readonly symbol: FoundSymbol;
  readonly order: ShardOrder;
  /** Its number in the shard. */
  readonly definition: number;
}

export interface SymbolsAnswer {
  readonly kind: "symbols";
  /** Best first. */
  readonly symbols: readonly PlacedSymbol[];
  /** Why there may be more. */
  readonly reasons: readonly FlushReason[];
  readonly damagedFiles: readonly string[];
}

export interface ReadCall {
  readonly kind: "read";
  readonly requests: readonly DocumentRequest[];
}

export interface ReadAnswer {
  readonly kind: "read";
  /** In the order of the requests; absent for what this worker has not. */
  readonly documents: readonly (IndexedDocument | undefined)[];
  readonly damagedFiles: readonly string[];
}

export type WorkerCall = ShardUpdate | SearchCall | PresentCall | CountCall | SymbolsCall | ReadCall;

/** Where a shard stands in the order in which all are searched: compared from left to right. */
export type ShardOrder = readonly [layer: number, repositoryId: number, fileNumber: number];

/**
 * Unsaved documents stand before working trees, those before what defines a name that is asked for (`definers.ts`), that
 * before repositories in use, those before the rest; and what defines a name in a repository in use before the others.
 */
export const layers = {
  unsaved: 0,
  overlay: 1,
  preferredDefiners: 2,
  definers: 3,
  preferred: 4,
  other: 5,
} as const;

/** Few documents, which are all looked at, whether or not the limit is reached before. */
export function areDefiners([layer]: ShardOrder): boolean {
  return layer === layers.preferredDefiners || layer === layers.definers;
}

/** What one shard gave, hit by hit in columns. */
export interface ShardHits {
  readonly order: ShardOrder;
  readonly matchCount: number;
  readonly fileCount: number;
  readonly documents: Uint32Array;
  readonly scores: Float64Array;
  readonly matchCounts: Uint32Array;
}

export interface SearchAnswer {
  readonly kind: "answer";
  /** For `PresentCall`; 0 where there is nothing to present. */
  readonly token: number;
  /** By shard, in the order in which they were searched. The columns are empty where files were streamed. */
  readonly hits: readonly ShardHits[];
  readonly stats: SearchStats;
  /** Something was not looked at, because the limit was reached before. */
  readonly wasCut: boolean;
  /** Files that do not hold what they should. */
  readonly damagedFiles: readonly string[];
}

/** A piece, as it is emitted, in the order of the picks; absent for one that can no longer be read. */
export type PresentedFiles = readonly (PresentedFile | undefined)[];

export interface PresentAnswer {
  readonly kind: "presented";
  /** Those that were not emitted. */
  readonly files: PresentedFiles;
  /** The time was over before the last pick. */
  readonly isLate: boolean;
  readonly damagedFiles: readonly string[];
}

export interface PresentedFile {
  readonly file: FileMatch;
  /** Roughly, of text. */
  readonly byteCount: number;
}

/** An expression ran too long here; the whole search belongs into the slow lane. */
export interface TooSlow {
  readonly kind: "tooSlow";
}

export interface UpdateAnswer {
  readonly kind: "updated";
  readonly damagedFiles: readonly string[];
  /** Why files could not be opened that are tried again. */
  readonly unreadable: readonly string[];
}

export type WorkerAnswer =
  | UpdateAnswer
  | TooSlow
  | SearchAnswer
  | PresentAnswer
  | CountAnswer
  | SymbolsAnswer
  | ReadAnswer;

export function compareOrder(left: ShardOrder, right: ShardOrder): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

export type SearchThread = Thread<WorkerCall, WorkerAnswer>;
