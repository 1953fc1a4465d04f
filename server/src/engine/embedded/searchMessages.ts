/** Messages between the engine and its search workers: plain objects, paths, and bytes in shared memory. */
import type {
  CountRequest,
  DocumentRequest,
  FoundSymbol,
  Grouping,
  IndexedDocument,
  SearchPlan,
  SymbolRequest,
} from "#engine/engine";
import type { PackedFiles } from "#model/packedFile";
import type { FlushReason, SearchStats } from "#model/stats";
import type { Thread } from "#platform/workerThread";
import type { Description } from "#query/description";
import type { Limits } from "#query/limits";
import type { Pattern, Query } from "#query/query";
import type { IndexedRevision } from "#shard/directory/manifest";
import type { KnownSymbols } from "#shard/symbolFile/symbolFile";
import type { ShardOrder } from "./searchOrder";

/** The shards of one repository, oldest first. */
export interface RepositoryShards {
  readonly id: number;
  readonly isFolder: boolean;
  readonly revisions: readonly IndexedRevision[];
  readonly defaultRevision?: string;
  readonly segments: readonly SegmentFiles[];
}

/** A shard and its symbol file, if there is one. */
export interface SegmentFiles {
  readonly file: string;
  readonly path: string;
  readonly symbols?: { readonly file: string; readonly path: string };
}

/** The overlay of a working tree over the default revision: a shard in memory, and the paths that it hides. */
export interface RepositoryOverlay {
  /** A whole shard file in shared memory. */
  readonly bytes: Uint8Array;
  /** Its symbol file, also in shared memory; absent until its documents have been parsed. */
  readonly symbols?: Uint8Array;
  /** Changed and deleted paths. */
  readonly hiddenPaths: readonly Uint8Array[];
}

/** A change of the shards that a worker has open. */
export interface ShardUpdate {
  readonly kind: "update";
  readonly repositories: readonly RepositoryShards[];
  /** Ids of removed repositories. */
  readonly removed: readonly number[];
  readonly overlays: readonly {
    readonly repositoryId: number;
    readonly overlay: RepositoryOverlay | undefined;
  }[];
  /** Files that this worker searches. It may open others to read their overrides. */
  readonly ownedFiles: readonly string[];
  /** Repositories whose overlays this worker searches. */
  readonly ownedRepositories: readonly number[];
}

export interface UnsavedText {
  readonly repositoryId: number;
  readonly path: string;
  /** Empty for workers that do not search the text, but hide the saved document. */
  readonly text: string;
  readonly language: string;
  readonly version: string;
  /** Absent until the document has been parsed. */
  readonly symbols?: KnownSymbols;
}

export interface SearchCall {
  readonly kind: "search";
  readonly query: Query;
  readonly phrase: Pattern | undefined;
  readonly repositories: readonly number[] | "all";
  readonly limits: Limits;
  readonly unsaved: readonly UnsavedText[];
  /** Whether this worker searches the unsaved documents. */
  readonly searchesUnsaved: boolean;
  readonly preferred: readonly number[];
  /** Shared with the workers, not copied. */
  readonly starLevels: SearchPlan["starLevels"];
  /** Whether files are emitted as they are found; the response then contains only counts. */
  readonly isStreamed: boolean;
  /** An expression that takes too long moves the search from the fast lane to the slow one, with higher limits. */
  readonly lane: "fast" | "slow";
  /**
   * Files are loaded during evaluation, while their text is in memory, unless this worker is likely to find more matches than
   * this. Default: 0.
   */
  readonly maxEarlyMatches?: number;
  /** Counts by group. */
  readonly grouping?: Grouping | undefined;
  /** Whether the receiver releases the bytes of files (`releaseBytes`), so that they may be in shared memory. */
  readonly acceptsPacked?: boolean;
  /** See `FoundMatches`. Absent if only one worker searches, if there is no limit, or if matches are grouped. */
  readonly foundMatches?: SharedArrayBuffer | undefined;
}

/**
 * Requests how often the words of a description occur. Then follow an `EstimateCall` with the sums of all workers, and a
 * `RankCall` for the documents that have the best estimates of all workers.
 */
export interface DescriptionCall {
  readonly kind: "describe";
  readonly description: Description;
  /** What the search covers, and its limits. */
  readonly search: SearchCall;
  /** When counting stops, even if shards are left, in milliseconds of `monotonicNow`. */
  readonly until: number;
}

export interface FrequenciesResponse {
  readonly kind: "frequencies";
  /** For `EstimateCall`. */
  readonly token: number;
  /** Blocks that the search covers, and how many of them may contain each stem of the description. */
  readonly blockCount: number;
  readonly counts: readonly number[];
}

/** Requests an estimate of how well each document fits the description. */
export interface EstimateCall {
  readonly kind: "estimate";
  readonly token: number;
  readonly blockCount: number;
  readonly counts: readonly number[];
  /** When estimating stops, even if documents are left, in milliseconds of `monotonicNow`. */
  readonly until: number;
}

export interface EstimatesResponse {
  readonly kind: "estimates";
  /** For `RankCall`. */
  readonly token: number;
  /** Of the best documents, highest first. */
  readonly scores: Float64Array;
}

/** Requests the documents that fit the description best, of those with a good estimate. */
export interface RankCall {
  readonly kind: "rank";
  readonly token: number;
  /** How many documents to read, those with the best estimates. */
  readonly documentCount: number;
}

/**
 * Requests the files of some hits of a completed search. The files are emitted in pieces, except for the last piece,
 * which is in the response. The worker then drops the search.
 */
export interface FilesCall {
  readonly kind: "files";
  readonly token: number;
  readonly picks: FilePicks;
  /** When loading stops, even if files are left, in milliseconds of `monotonicNow`. */
  readonly until: number;
}

/** Hits whose files are requested, in columns. */
export interface FilePicks {
  /** Indexes in `SearchResponse.hits`. */
  readonly shards: Uint32Array;
  /** Indexes in the columns of these shards. */
  readonly hits: Uint32Array;
  /** The maximum numbers of match ranges to include. */
  readonly maxRanges: Uint32Array;
}

/** `CountRequest`, for the shards that the worker owns. */
export interface CountCall {
  readonly kind: "count";
  readonly by: CountRequest["by"];
  readonly repositories: readonly number[] | "all";
  readonly revisions: readonly string[];
}

export interface CountResponse {
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

/** A symbol, and its position among symbols with the same score. */
export interface RankedSymbol {
  readonly symbol: FoundSymbol;
  readonly order: ShardOrder;
  /** The number of the definition in the shard. */
  readonly definition: number;
}

export interface SymbolsResponse {
  readonly kind: "symbols";
  /** Best first. */
  readonly symbols: readonly RankedSymbol[];
  /** Why there may be more. */
  readonly reasons: readonly FlushReason[];
  /** The number of documents that may define such a name, but whose text is missing. */
  readonly filesMissing: number;
  readonly damagedFiles: readonly string[];
}

export interface ReadCall {
  readonly kind: "read";
  readonly requests: readonly DocumentRequest[];
}

export interface ReadResponse {
  readonly kind: "read";
  /** In the order of the requests; undefined for documents that this worker does not own. */
  readonly documents: readonly (IndexedDocument | undefined)[];
  readonly damagedFiles: readonly string[];
}

export type WorkerCall =
  | ShardUpdate
  | SearchCall
  | DescriptionCall
  | EstimateCall
  | RankCall
  | FilesCall
  | CountCall
  | SymbolsCall
  | ReadCall;

/** The hits of one shard, in columns. */
export interface ShardHits {
  readonly order: ShardOrder;
  readonly matchCount: number;
  /** `matchCount`, but of each document at most `maxMatchesPerFile`. */
  readonly limitedMatchCount: number;
  readonly fileCount: number;
  readonly phraseMatchCount: number;
  readonly documents: Uint32Array;
  readonly scores: Float64Array;
  readonly matchCounts: Uint32Array;
}

/** The groups of one worker, in columns. See `CountedGroups`. */
export interface GroupColumns {
  readonly keys: readonly string[];
  readonly matchCounts: Float64Array;
  readonly fileCounts: Float64Array;
  readonly repositories: readonly number[];
  readonly lines: ReadonlyMap<string, readonly number[]>;
  /** Whether there are more groups than a worker keeps. */
  readonly isTruncated: boolean;
}

export interface SearchResponse {
  readonly kind: "hits";
  /** For `FilesCall`; 0 if there are no files to load. */
  readonly token: number;
  /** By shard, in the order in which they were searched. The columns are empty where files were streamed. */
  readonly hits: readonly ShardHits[];
  /**
   * How many hits, in the order of `hits`, came with their files: in emitted pieces, or in `attached`, the last piece. If 0,
   * emitted pieces are void.
   */
  readonly loadedCount: number;
  readonly attached?: PackedFiles | undefined;
  readonly stats: SearchStats;
  /** Whether some documents were not evaluated, because a limit was reached. */
  readonly isTruncated: boolean;
  readonly groups?: GroupColumns | undefined;
  /** Names of damaged shard and symbol files; `""` for a shard in memory. */
  readonly damagedFiles: readonly string[];
}

/** Whether the files of all hits are in `attached`, so that the worker soon drops the search by itself. */
export function attachesAllFiles({ attached, hits }: SearchResponse): boolean {
  return attached?.scores.length === hits.reduce((sum, { documents }) => sum + documents.length, 0);
}

export interface FilesResponse {
  readonly kind: "files";
  /** The last piece, which is not emitted. */
  readonly last: PackedFiles;
  /** Whether loading stopped at its time limit, before the last pick. */
  readonly isLate: boolean;
  readonly damagedFiles: readonly string[];
}

/** An expression took too long; the whole search must run in the slow lane. */
export interface TooSlow {
  readonly kind: "tooSlow";
}

export interface UpdateResponse {
  readonly kind: "updated";
  readonly damagedFiles: readonly string[];
  /** Why files could not be opened; they are tried again. */
  readonly unreadable: readonly string[];
}

export type WorkerResponse =
  | UpdateResponse
  | TooSlow
  | SearchResponse
  | FrequenciesResponse
  | EstimatesResponse
  | FilesResponse
  | CountResponse
  | SymbolsResponse
  | ReadResponse;

export type SearchThread = Thread<WorkerCall, WorkerResponse>;
