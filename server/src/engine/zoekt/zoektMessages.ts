/** Messages between the engine and its threads: plain objects, and the responses of nodes as they arrived. */
import type {
  FilesCall,
  FilesResponse,
  SearchCall,
  SearchResponse,
  SymbolsCall,
  SymbolsResponse,
  TooSlow,
} from "#engine/embedded/searchMessages";
import type { Description } from "#query/description";
import type { PackedSymbols } from "#symbols/parsing/packed";
import type { SourceText, Unparsed } from "#symbols/symbols";
import type { LineUse } from "./matchedLines";

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

/** The responses of nodes to one search. */
export interface NodeReplies {
  readonly replies: readonly NodeReply[];
  /** Responses with texts that others lack: those of a `MissingResponse`. */
  readonly texts?: readonly Uint8Array[];
  /** How the lines of listed documents are used instead of their texts, if the query allows it. */
  readonly lineUse?: LineUse | undefined;
  /** Repositories that the search covers even if no node returned any of their documents: those of unsaved documents. */
  readonly others: readonly number[];
}

export interface NodeReply {
  readonly node: string;
  readonly body: Uint8Array;
  /** Whether it contains the texts of its documents. Else they are in the cache of the thread, or requested then. */
  readonly hasTexts: boolean;
  /** The repositories whose files count. Absent: those that this node is asked for first. */
  readonly repositories?: readonly number[];
}

/** Collects the documents of responses, for a call that needs their symbols. */
interface PrepareCall {
  readonly kind: "prepare";
  readonly replies: NodeReplies;
}

interface PreparedResponse {
  readonly kind: "prepared";
  /** For `PreparedDocuments`. */
  readonly token: number;
  /** Texts that may have definitions, the best ones first, each content once. */
  readonly texts: readonly CandidateText[];
}

export interface CandidateText extends SourceText {
  /** Texts with the same key have the same symbols. */
  readonly key: string;
}

/** Documents that a `PrepareCall` has collected, with the symbols of their texts. The next call drops them. */
interface PreparedDocuments {
  readonly kind: "prepared";
  readonly token: number;
  readonly symbols: CandidateSymbols;
}

/** By the key of a text. Texts that have not been parsed are absent. */
export type CandidateSymbols = ReadonlyMap<string, PackedSymbols | Unparsed>;

export type CandidateSource = (NodeReplies & { readonly kind: "replies" }) | PreparedDocuments;

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

/** Runs a search on the documents that nodes returned. */
interface EvaluateCall {
  readonly kind: "evaluate";
  readonly source: CandidateSource;
  readonly search: SearchCall;
  /** Ranks the documents that match. */
  readonly description: Description | undefined;
}

export interface EvaluatedResponse {
  readonly kind: "evaluated";
  /** In the order of the replies. */
  readonly nodes: readonly NodeCandidates[];
  readonly response: SearchResponse | TooSlow;
  /** The share of documents whose texts were in the cache before. Absent without documents. */
  readonly cachedShare?: number | undefined;
  /** What the thread would respond to the `FilesCall` that follows, if the files are few: that saves the call. */
  readonly files?: LoadedFiles | undefined;
}

/** The result of an `EvaluateCall` contains documents whose hashes are not known. A `HashCall` follows. */
export interface UnhashedResponse {
  readonly kind: "unhashed";
  readonly token: number;
  /** The documents, the best ones first. */
  readonly documents: readonly MissingDocument[];
  /** The files of the result, once some hashes are known. Those that are not are empty. */
  readonly files: LoadedFiles | undefined;
}

/** Goes on after an `UnhashedResponse`. */
interface HashCall {
  readonly kind: "hash";
  readonly token: number;
  /** The texts of some of its documents, as nodes returned them. Absent: drops the search. */
  readonly texts?: readonly Uint8Array[];
}

/** Documents of an `EvaluateCall` whose texts neither the responses nor the cache contain. */
export interface MissingResponse {
  readonly kind: "missing";
  readonly documents: readonly MissingDocument[];
}

export interface MissingDocument {
  /** The index of the response that lists it. */
  readonly reply: number;
  /** Zoekt's name. */
  readonly repository: string;
  readonly path: string;
}

/** The pieces of the files of a search, in order. */
export interface LoadedFiles {
  readonly pieces: readonly unknown[];
  readonly response: FilesResponse;
}

/** Finds definitions in the documents that nodes returned. */
interface FindCall {
  readonly kind: "find";
  readonly source: CandidateSource;
  readonly request: SymbolsCall;
}

interface FoundResponse {
  readonly kind: "found";
  /** In the order of the replies. */
  readonly nodes: readonly NodeCandidates[];
  readonly response: SymbolsResponse;
}

export type ZoektCall = RepositoriesCall | PrepareCall | EvaluateCall | HashCall | FindCall | FilesCall;
export type ZoektResponse =
  | { readonly kind: "ready" }
  | PreparedResponse
  | EvaluatedResponse
  | UnhashedResponse
  | MissingResponse
  | FoundResponse
  | FilesResponse;
