/** Messages between the engine and its threads: plain objects, and the responses of nodes as they arrived. */
import type {
  FilesCall,
  FilesResponse,
  SearchCall,
  SearchResponse,
  TooSlow,
} from "#engine/embedded/searchMessages";

/** A repository as a node lists it, mapped to the catalog. */
export interface IndexedRepository {
  readonly id: number;
  /** Zoekt's name. */
  readonly name: string;
  /** The node that is asked for it first. */
  readonly node: string;
  /** In Zoekt's order. The first one is its `HEAD`. */
  readonly branches: readonly IndexedBranch[];
  /** The full name of the revision that is searched without a `rev:` filter. */
  readonly defaultRevision: string;
}

export interface IndexedBranch {
  /** Zoekt's name. */
  readonly name: string;
  /** The full name of the ref. */
  readonly revision: string;
  readonly commit: string;
}

/** Replaces the repositories that the thread knows. */
interface RepositoriesCall {
  readonly kind: "repositories";
  readonly repositories: readonly IndexedRepository[];
}

/** Builds shards in memory from the responses of nodes. */
export interface CandidatesCall {
  readonly kind: "candidates";
  readonly replies: readonly NodeReply[];
  /** Repositories that the search covers even if no node returned any of their documents: those of unsaved documents. */
  readonly others: readonly number[];
}

export interface NodeReply {
  readonly node: string;
  readonly body: Uint8Array;
  /** The repositories whose files count. Absent: those that this node is asked for first. */
  readonly repositories?: readonly number[];
}

export interface CandidatesResponse {
  readonly kind: "candidates";
  /** For `VerifyCall`. */
  readonly token: number;
  /** In the order of the replies. */
  readonly nodes: readonly NodeCandidates[];
}

export type NodeCandidates =
  | { readonly kind: "malformed" }
  | {
      readonly kind: "documents";
      readonly documentCount: number;
      /** Documents that match but were not returned. */
      readonly omittedCount: number;
      /** Documents that the node did not evaluate, because it reached a limit. */
      readonly skippedCount: number;
      /** Shards that the node could not search, or had not loaded yet. */
      readonly crashCount: number;
      readonly contentBytesLoaded: number;
      readonly indexBytesLoaded: number;
    };

/** Runs a search on the candidates, and drops them. */
interface VerifyCall {
  readonly kind: "verify";
  readonly token: number;
  readonly search: SearchCall;
}

export type ZoektCall = RepositoriesCall | CandidatesCall | VerifyCall | FilesCall;
export type ZoektResponse =
  | { readonly kind: "ready" }
  | CandidatesResponse
  | SearchResponse
  | TooSlow
  | FilesResponse;
