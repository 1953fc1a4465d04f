/** Why a result is incomplete; `NONE` if it is complete. */
export type FlushReason =
  | "NONE"
  | "MATCH_LIMIT"
  | "TIME_LIMIT"
  | "BYTE_LIMIT"
  | "INDEXING"
  | "RIGHTS_UNKNOWN"
  | "REPOSITORY_EVICTED"
  | "REVISION_NOT_INDEXED"
  | "SHARD_DAMAGED"
  | "ENGINE_PARTIAL";

/**
 * The size of a search's result, and its cost. Durations are whole nanoseconds; counts are summed over shards. The
 * contract (`server/contract/search.ts`) describes the fields.
 */
export interface SearchStats {
  readonly actualMatchCount: number;
  readonly totalMatchCount: number;
  readonly duration: number;
  readonly fileCount: number;
  /** Documents that could match but were not read: beyond a limit, or their text is not indexed. */
  readonly filesSkipped: number;
  /** Documents that could match if their repository, a partial or damaged clone, contained their text. */
  readonly filesMissing: number;
  /** Repositories that could match but have no index, because of the limit of disk space. */
  readonly repositoriesEvicted: number;
  readonly contentBytesLoaded: number;
  readonly indexBytesLoaded: number;
  readonly crashes: number;
  readonly shardFilesConsidered: number;
  readonly filesConsidered: number;
  readonly filesLoaded: number;
  readonly shardsScanned: number;
  readonly shardsSkipped: number;
  readonly shardsSkippedFilter: number;
  readonly ngramMatches: number;
  readonly ngramLookups: number;
  readonly wait: number;
  readonly matchTreeConstruction: number;
  readonly matchTreeSearch: number;
  readonly regexpsConsidered: number;
  readonly flushReason: FlushReason;
}

export const noStats: SearchStats = {
  actualMatchCount: 0,
  totalMatchCount: 0,
  duration: 0,
  fileCount: 0,
  filesSkipped: 0,
  filesMissing: 0,
  repositoriesEvicted: 0,
  contentBytesLoaded: 0,
  indexBytesLoaded: 0,
  crashes: 0,
  shardFilesConsidered: 0,
  filesConsidered: 0,
  filesLoaded: 0,
  shardsScanned: 0,
  shardsSkipped: 0,
  shardsSkippedFilter: 0,
  ngramMatches: 0,
  ngramLookups: 0,
  wait: 0,
  matchTreeConstruction: 0,
  matchTreeSearch: 0,
  regexpsConsidered: 0,
  flushReason: "NONE",
};

/** Most important first: damage, then limits, then incomplete indexing, unknown rights and evictions, then text that is missing or unreadable. */
const reasonOrder: readonly FlushReason[] = [
  "SHARD_DAMAGED",
  "TIME_LIMIT",
  "BYTE_LIMIT",
  "MATCH_LIMIT",
  "REVISION_NOT_INDEXED",
  "INDEXING",
  "RIGHTS_UNKNOWN",
  "REPOSITORY_EVICTED",
  "ENGINE_PARTIAL",
];

export function addStats(left: SearchStats, right: SearchStats): SearchStats {
  const sum: Record<string, number | string> = {};
  for (const [name, value] of Object.entries(left)) {
    const other = right[name as keyof SearchStats];
    if (typeof value === "number" && typeof other === "number") sum[name] = value + other;
  }
  return { ...left, ...sum, flushReason: addReason(left.flushReason, right.flushReason) };
}

/** Returns the more important of two reasons. */
export function addReason(left: FlushReason, right: FlushReason): FlushReason {
  return reasonOrder.find((reason) => left === reason || right === reason) ?? "NONE";
}
