/**
 * An engine finds. It is given a plan in which every decision is already made, and knows neither who asks nor git.
 *
 * The embedded engine lives in `engine/embedded`; it is named in `entry` and in tests, nowhere else.
 */
import type { Origin } from "#model/document";
import type { FileMatch, Range } from "#model/match";
import type { RepositoryId } from "#model/repository";
import type { FlushReason, SearchStats } from "#model/stats";
import type { DocumentSymbols, SymbolKind } from "#model/symbol";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";

/** A document that lives in an editor: it stands over the working tree and over every revision that is no `rev:`. */
export interface UnsavedDocument {
  readonly repositoryId: RepositoryId;
  /** Relative to the repository's root, `/`-separated. */
  readonly path: string;
  readonly text: string;
  /** Linguist's name, `""` if unknown. */
  readonly language: string;
  /** Changes whenever `text` does, for the same path. */
  readonly version: string;
}

export interface SearchPlan {
  /** Of the kinds about repositories only `repositoryIds` is left. */
  readonly query: Query;
  /** Ids that the caller may see. */
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  readonly limits: Limits;
  readonly unsaved: readonly UnsavedDocument[];
  /** Repositories open in the editor or recently used: a little before the others. */
  readonly preferred: readonly RepositoryId[];
}

export interface EngineResult {
  /** Best first. */
  readonly files: readonly FileMatch[];
  readonly stats: SearchStats;
  /** False when a limit, a damaged shard or a missing symbol index may have hidden a match. */
  readonly exhaustive: boolean;
}

/** Asks how many documents there are of each kind. */
export interface CountRequest {
  /**
   * By Linguist's names; by what stands next in their paths behind `folder` (empty, or ending in `/`), which is a name,
   * with a `/` behind it if it is a folder's; or by whole paths, for files below `folder` whose own names begin with
   * `start`; ASCII letters in capitals or not, and
   * no more of them than some hundreds.
   */
  readonly by:
    | { readonly kind: "language" }
    | { readonly kind: "name"; readonly folder: string }
    | { readonly kind: "path"; readonly folder: string; readonly start: string };
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  /** As a `rev:` names them; without any, what a search without one sees, less what is not saved. */
  readonly revisions: readonly string[];
}

/** How a name is asked for. `fuzzy`: its letters in this order, whatever stands between them, in capitals or not. */
export interface SymbolName {
  readonly kind: "exact" | "prefix" | "fuzzy";
  /** Not empty. */
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** Asks for definitions. What is absent leaves none out. */
export interface SymbolRequest {
  readonly name: SymbolName;
  readonly kinds?: readonly SymbolKind[];
  /** Linguist's names. */
  readonly languages?: readonly string[];
  /** Also what cannot be named from outside the definition around it. */
  readonly withLocals: boolean;
  readonly repositories: ReadonlySet<RepositoryId> | "all";
  /** As a `rev:` names them; without any, what a search without one sees. */
  readonly revisions: readonly string[];
  readonly unsaved: readonly UnsavedDocument[];
  readonly preferred: readonly RepositoryId[];
  /** Definitions in the answer. */
  readonly limit: number;
}

/** Where a document of the index stands, and which content it has there. */
export interface DocumentPlace {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly language: string;
  /** Full ref names that the request covers and that hold this content; of what is in no commit, those of HEAD. */
  readonly branches: readonly string[];
  readonly origin: Origin;
  /** Commit of the first of `branches`, `""` for a plain folder. */
  readonly commit: string;
  /** Git's hash of the content, `""` where it is in no commit. */
  readonly blobSha: string;
}

/** A definition somewhere in the index. */
export interface FoundSymbol {
  readonly document: DocumentPlace;
  readonly name: string;
  readonly kind: SymbolKind;
  readonly isLocal: boolean;
  /** The definition around it, or (without a kind) the name of what it belongs to; empty strings where there is none. */
  readonly parent: { readonly name: string; readonly kind: SymbolKind | "" };
  /** Of the name. */
  readonly range: Range;
  /** Bytes of the whole definition, the end behind the last one. */
  readonly start: number;
  readonly end: number;
  /** The line where the name begins, without its newline; cut where it is very long. */
  readonly line: string;
  /** Higher is better; compares across shards. */
  readonly score: number;
}

export interface SymbolAnswer {
  /** Best first. */
  readonly symbols: readonly FoundSymbol[];
  /** Why there may be more: `MATCH_LIMIT`, `INDEXING` while documents are still to be parsed, `SHARD_DAMAGED`, …; else `NONE`. */
  readonly flushReason: FlushReason;
}

/** Asks for one document of the index. */
export interface DocumentRequest {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  /**
   * Git's hash of the content, wherever that stands at this path, or a revision as a `rev:` names it; absent: the
   * document that a search without a `rev:` sees, less what is not saved.
   */
  readonly blob?: string;
  readonly revision?: string;
  /** Also what was found in it, which takes longer than its text. */
  readonly withSymbols?: boolean;
}

/** A document with its text, as the index has it. */
export interface IndexedDocument extends DocumentPlace {
  readonly content: Uint8Array;
  /** What was found in it; absent where nobody asked for it, it is not known yet, or it could not be parsed. */
  readonly symbols?: DocumentSymbols;
}

export interface Engine {
  /**
   * With `onFiles`, files are handed over as they are found and the result carries none. Where it gives a promise, no
   * more are looked for until that is kept.
   */
  search(
    plan: SearchPlan,
    signal: AbortSignal,
    onFiles?: (files: readonly FileMatch[]) => Promise<void> | void,
  ): Promise<EngineResult>;
  /** Quick enough for every key that is pressed. What is lost with a damaged shard is not counted. */
  count(request: CountRequest, signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  /** Definitions by their names. Quick enough for every key that is pressed. */
  findSymbols(request: SymbolRequest, signal: AbortSignal): Promise<SymbolAnswer>;
  /** In the order of the requests; undefined where the index has no such text. Of what is not saved it knows nothing. */
  readDocuments(
    requests: readonly DocumentRequest[],
    signal: AbortSignal,
  ): Promise<readonly (IndexedDocument | undefined)[]>;
  close(): Promise<void>;
}
