/**
 * The interface of search engines. An engine executes a plan in which every decision is already made; it knows neither
 * the caller nor git.
 *
 * The embedded engine is in `engine/embedded`. Only the wiring and tests import it.
 */
import type { Origin } from "#model/document";
import type { FileMatch, Range } from "#model/match";
import type { PackedList } from "#model/packedFile";
import type { RepositoryId } from "#model/repository";
import type { FlushReason, SearchStats } from "#model/stats";
import type { DocumentSymbols, SymbolKind } from "#model/symbol";
import type { Description } from "#query/description";
import type { Limits } from "#query/limits";
import type { GroupProperty } from "#query/parser/prefixes";
import { printQuery } from "#query/print";
import type { Pattern, Query } from "#query/query";

/** An unsaved document in an editor. It hides the saved one, except in searches with a `rev:` filter. */
export interface UnsavedDocument {
  readonly repositoryId: RepositoryId;
  /** Relative to the repository's root, `/`-separated. */
  readonly path: string;
  readonly text: string;
  /** Linguist's name, or `""` if unknown. */
  readonly language: string;
  /** Differs for each `text` of the same path. */
  readonly version: string;
}

/** What a count is grouped by. */
export interface Grouping {
  readonly by: GroupProperty | "none";
  /** For folders: the number of their levels to keep. Absent: all. */
  readonly depth?: number | undefined;
}

export interface SearchPlan {
  /** Only nodes of kind `repositoryIds` select repositories; they have replaced all other filters that do. */
  readonly query: Query;
  /** Files that match the query and also contain this phrase come first. */
  readonly phrase?: Pattern | undefined;
  /** Ranks the files that match the query by how well they fit this description, and returns only the best. */
  readonly description?: Description | undefined;
  /** Ids of repositories that the caller may see. */
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  readonly limits: Limits;
  readonly unsaved: readonly UnsavedDocument[];
  /** Repositories that are open in the editor or recently used; their results rank somewhat higher. */
  readonly preferred: readonly RepositoryId[];
  /** By repository id: how often its stars on the code host have doubled, 0 to 20. Absent if none has stars. */
  readonly starLevels?: Uint8Array | undefined;
  /** Counts by group. Requires limits that only count. */
  readonly grouping?: Grouping | undefined;
  /** Whether the result may have `packed` instead of `files`. */
  readonly acceptsPacked?: boolean | undefined;
}

/** Prints a plan in one line, for debugging. */
export function printPlan(plan: SearchPlan): string {
  const { query, description, repositories, limits, unsaved, preferred } = plan;
  return [
    printQuery(query),
    ...(description === undefined ? [] : [`words=${description.stems.join(",")}`]),
    `repositories=${repositories === "all" ? "all" : [...repositories].join(",")}`,
    `maxMatches=${limits.maxMatches}`,
    `maxDisplayedMatches=${limits.maxDisplayedMatches}`,
    `unsaved=${unsaved.length}`,
    `preferred=${preferred.join(",")}`,
  ].join(" ");
}

export interface EngineResult {
  /** Best first. Empty if there is `packed`. */
  readonly files: readonly FileMatch[];
  /** The files as bytes, best first. */
  readonly packed?: PackedList;
  /** If there is `packed`: call this when the bytes will not be read anymore, so that their memory is used again. */
  readonly release?: () => void;
  readonly stats: SearchStats;
  /** False when a limit, a damaged shard or a missing symbol index may have hidden a match. */
  readonly isExhaustive: boolean;
  /** Occurrences of the plan's phrase in the files that match; fewer if the search stopped early. */
  readonly phraseMatchCount?: number;
  /** If the plan has a grouping. */
  readonly groups?: CountedGroups;
  /** Parts of a cluster that did not take part in the search; absent if all did. The result is then not exhaustive. */
  readonly unavailable?: readonly UnavailablePart[];
}

/** A part of a cluster that could not be searched, or only in part. */
export interface UnavailablePart {
  /** The name of the node in the configuration. */
  readonly node: string;
  /** Why, as a predicate: `cannot be reached`. */
  readonly reason: string;
  /** How many repositories of the search may lack matches; absent if that is unknown. */
  readonly repositoryCount?: number;
}

/**
 * Longer texts are cut, to one byte more, and those that differ only after the cut are one group.
 */
export const maxGroupTextBytes = 1000;

/**
 * Matches per group. The parts of a key are separated by NUL: the id of the repository and the folder; the id, path,
 * name, kind and parent of a definition; the id, commit and path of a file (for authors). All but ids are bytes, as
 * `latin1`.
 */
export interface CountedGroups {
  readonly counts: ReadonlyMap<string, { readonly matchCount: number; readonly fileCount: number }>;
  readonly repositories: ReadonlySet<number>;
  /** For authors: the lines with matches of some files, by key. Each line is followed by its number of matches. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
}

/** A request to count documents by a property. */
export interface CountRequest {
  /**
   * The property, which is the key of the result:
   *
   * - `language`: Linguist's name. If there are `names`, only these are needed.
   * - `name`: the entry of `folder` that contains the document; names of subfolders end in `/`. `folder` is empty or
   *   ends in `/`. Only names that contain `part`, ignoring case, are needed.
   * - `path`: the path, for documents in subfolders of `folder` whose base names start with `start`, ignoring ASCII
   *   case. Returns at most a few hundred paths.
   */
  readonly by:
    | { readonly kind: "language"; readonly names?: readonly string[] }
    | { readonly kind: "name"; readonly folder: string; readonly part: string }
    | { readonly kind: "path"; readonly folder: string; readonly start: string };
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  /** As in a `rev:` filter. Empty: counts what a search without such a filter covers, except for unsaved documents. */
  readonly revisions: readonly string[];
}

/** Numbers of documents by key. */
export interface DocumentCounts {
  readonly counts: ReadonlyMap<string, number>;
  /** False if keys may be missing, and numbers too small. */
  readonly isComplete: boolean;
}

/** A pattern for names. `fuzzy` matches names that contain the letters in this order, with gaps and in any case. */
export interface SymbolName {
  readonly kind: "exact" | "prefix" | "fuzzy";
  /** The empty text matches any name, up to a limit. */
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** A request for definitions. Absent filters match everything. */
export interface SymbolRequest {
  readonly name: SymbolName;
  readonly kinds?: readonly SymbolKind[];
  /** Linguist's names. */
  readonly languages?: readonly string[];
  /** Includes definitions that are local to their enclosing definition. */
  readonly withLocals: boolean;
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  /** As in a `rev:` filter. Empty: covers the same as a search without such a filter. */
  readonly revisions: readonly string[];
  readonly unsaved: readonly UnsavedDocument[];
  readonly preferred: readonly RepositoryId[];
  /** The maximum number of definitions in the result. */
  readonly limit: number;
}

/** Identifies a document of the index, and lists its revisions. */
export interface DocumentInfo {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly language: string;
  /**
   * Full names of the refs that the request covers and that contain this document. For an uncommitted document, the
   * default revision.
   */
  readonly branches: readonly string[];
  readonly origin: Origin;
  /** The commit of the first of `branches`, or `""` in a plain folder. */
  readonly commit: string;
  /** Git's hash of the content, or `""` if it is in no commit. */
  readonly blobSha: string;
}

/** A definition in the index. */
export interface FoundSymbol {
  readonly document: DocumentInfo;
  readonly name: string;
  readonly kind: SymbolKind;
  readonly isLocal: boolean;
  /** The enclosing definition, or (with an empty kind) the name of its owner. Both are empty if there is neither. */
  readonly parent: { readonly name: string; readonly kind: SymbolKind | "" };
  /** The range of the name. */
  readonly range: Range;
  /** Byte offsets of the whole definition, `end` exclusive. */
  readonly start: number;
  readonly end: number;
  /** The line where the name starts, without its newline; truncated if it is very long. */
  readonly line: string;
  /** Higher is better. Comparable across shards. */
  readonly score: number;
}

export interface SymbolsResult {
  /** Best first. */
  readonly symbols: readonly FoundSymbol[];
  /**
   * Why there may be more: `MATCH_LIMIT`, `INDEXING` (documents are yet to be parsed), `SHARD_DAMAGED`, …; else `NONE`.
   */
  readonly flushReason: FlushReason;
  /** The number of documents that may define such a name, but whose text the repository lacks. */
  readonly filesMissing: number;
}

/** A request for one document of the index. */
export interface DocumentRequest {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  /**
   * `blob`: Git's hash of the content, which is found on any revision. `revision`: as in a `rev:` filter. Without
   * either: the document that a search without a `rev:` filter covers, never an unsaved one.
   */
  readonly blob?: string;
  readonly revision?: string;
  /** Includes the symbols, which take longer to read than the text. */
  readonly withSymbols?: boolean;
}

/** A document of the index with its text. */
export interface IndexedDocument extends DocumentInfo {
  readonly content: Uint8Array;
  /** Absent if not requested, not known yet, or the document could not be parsed. */
  readonly symbols?: DocumentSymbols;
}

/** Receives files of a search as they are found. */
export type FilesHandler = (files: readonly FileMatch[]) => Promise<void> | void;

export interface Engine {
  /**
   * Runs a search. If `onFiles` is given, calls it with files as they are found, and returns no files. If `onFiles`
   * returns a promise, the search pauses until that is fulfilled. Rejects with CANCELLED when `signal` fires.
   */
  search(plan: SearchPlan, signal: AbortSignal, onFiles?: FilesHandler): Promise<EngineResult>;
  /**
   * Counts documents for each value of a property. Fast enough for every keystroke. Omits damaged shards and nodes that
   * fail.
   */
  count(request: CountRequest, signal: AbortSignal): Promise<DocumentCounts>;
  /** Finds definitions by name. Fast enough for every keystroke. */
  findSymbols(request: SymbolRequest, signal: AbortSignal): Promise<SymbolsResult>;
  /**
   * Returns documents in the order of the requests; undefined if the index has no such text. Ignores unsaved documents.
   */
  readDocuments(
    requests: readonly DocumentRequest[],
    signal: AbortSignal,
  ): Promise<readonly (IndexedDocument | undefined)[]>;
  close(): Promise<void>;
}
