/**
 * The contract: one row an endpoint, and all that a transport needs to carry a call.
 *
 * Types, validation, defaults, both transports and the OpenAPI document follow from these rows. The LSP method is
 * no column (`methods.ts`), so that a client can name one without bundling the schemas.
 */
import * as z from "zod";
import type { ErrorCode } from "#base/error";
import {
  AuthorsRequest,
  CommitAuthor,
  CommitDetails,
  CommitItem,
  CommitRequest,
  CommitsRequest,
  Diff,
  DiffRequest,
} from "./commits";
import {
  Clones,
  Done,
  EndpointAddress,
  EndpointRequest,
  Examples,
  InstanceState,
  LocateRequest,
  Location,
  PauseRequest,
  RepositoriesNamed,
  Siblings,
} from "./editor";
import {
  Blame,
  BlameRequest,
  Branch,
  BranchesRequest,
  FileSource,
  FileTree,
  SourceRequest,
  TreeRequest,
} from "./history";
import {
  AddedPaths,
  AddPathsRequest,
  IndexingEnd,
  IndexingProgress,
  IndexingRequest,
  PathsRequest,
  RemovedPaths,
} from "./local";
import { CompleteQueryRequest, QueryCompletions, QueryReading, ReadQueryRequest } from "./queries";
import { RepositoriesRequest, RepositoryItem, SkippedDocument, SkippedRequest } from "./repositories";
import { SearchEnd, SearchEvent, SearchRequest, SearchResult } from "./search";
import { symbolRows } from "./symbolRows";
import { Health, NoParameters, Version } from "./system";

export interface Operation {
  /** Absent for what only the person at this computer may ask: served over LSP and the socket. */
  readonly http?: { readonly method: "GET" | "POST"; readonly path: `/api/${string}` };
  readonly tag: "Search & Navigation" | "Repositories" | "Git" | "System" | "Enterprise (EE)";
  /** One sentence. */
  readonly summary: string;
  /** `open` is answered to everyone, `anonymous` where the instance allows it. */
  readonly access: "open" | "anonymous" | "member" | "owner";
  /** The codes of its own failures; those that any call can have are added by `openapi.ts`. */
  readonly errors: readonly ErrorCode[];
  /** Its request is an object, because over HTTP it may be a query string. */
  readonly request: z.ZodObject;
  /** For a paged row an array, of which the handler gives one page and the total. */
  readonly response: z.ZodType;
  readonly paged?: true;
  /** Given one by one before the response, where the medium can carry that. */
  readonly event?: z.ZodType;
  /**
   * Whether a call is made once more when the process that was to answer it has ended: by default as long as no event
   * has come.
   */
  readonly again?: "always" | "never";
}

export const operations = {
  search: {
    http: { method: "POST", path: "/api/search" },
    tag: "Search & Navigation",
    summary: "Searches all repositories and answers with the matching chunks of their files.",
    access: "anonymous",
    errors: ["INVALID_REQUEST_BODY", "FAILED_TO_PARSE_QUERY", "ANSWER_TOO_LARGE", "ENGINE_UNAVAILABLE"],
    request: SearchRequest,
    response: SearchResult,
  },
  streamSearch: {
    http: { method: "POST", path: "/api/stream_search" },
    tag: "Search & Navigation",
    summary: "Searches all repositories and sends files as they are found.",
    access: "anonymous",
    errors: ["INVALID_REQUEST_BODY", "FAILED_TO_PARSE_QUERY", "ENGINE_UNAVAILABLE"],
    request: SearchRequest,
    response: SearchEnd,
    event: SearchEvent,
  },
  readQuery: {
    http: { method: "POST", path: "/api/read_query" },
    tag: "Search & Navigation",
    summary: "Says how a query is understood, what is wrong with it and how to mend it.",
    access: "anonymous",
    errors: ["INVALID_REQUEST_BODY"],
    request: ReadQueryRequest,
    response: QueryReading,
  },
  completeQuery: {
    http: { method: "POST", path: "/api/complete_query" },
    tag: "Search & Navigation",
    summary: "Proposes how a query goes on at a place in it.",
    access: "anonymous",
    errors: ["INVALID_REQUEST_BODY"],
    request: CompleteQueryRequest,
    response: QueryCompletions,
  },
  ...symbolRows,
  repos: {
    http: { method: "GET", path: "/api/repos" },
    tag: "Repositories",
    summary: "Lists the repositories and the state of their indexes.",
    access: "anonymous",
    errors: ["INVALID_QUERY_PARAMS"],
    request: RepositoriesRequest,
    response: z.array(RepositoryItem).describe("One page of the list."),
    paged: true,
  },
  skippedRepos: {
    http: { method: "GET", path: "/api/repos/skipped" },
    tag: "Repositories",
    summary: "Lists the documents whose text is not indexed, each with the reason.",
    access: "anonymous",
    errors: ["INVALID_QUERY_PARAMS", "NOT_FOUND"],
    request: SkippedRequest,
    response: z.array(SkippedDocument).describe("One page of the list."),
    paged: true,
  },
  branches: {
    http: { method: "GET", path: "/api/repos/branches" },
    tag: "Repositories",
    summary: "Lists the branches and tags of a repository, the default one first.",
    access: "anonymous",
    errors: ["INVALID_QUERY_PARAMS", "INVALID_GIT_REF", "REPOSITORY_NOT_TRUSTED", "NOT_FOUND", "TIMED_OUT"],
    request: BranchesRequest,
    response: z.array(Branch).describe("One page of the list."),
    paged: true,
  },
  tree: {
    http: { method: "POST", path: "/api/tree" },
    tag: "Git",
    summary: "Gives the file tree of a repository at a revision: the root, and each open folder.",
    access: "anonymous",
    errors: ["INVALID_REQUEST_BODY", "INVALID_GIT_REF", "REPOSITORY_NOT_TRUSTED", "NOT_FOUND", "TIMED_OUT"],
    request: TreeRequest,
    response: FileTree,
  },
  source: {
    http: { method: "GET", path: "/api/source" },
    tag: "Git",
    summary: "Gives the content of a file at a revision.",
    access: "anonymous",
    errors: [
      "INVALID_QUERY_PARAMS",
      "INVALID_GIT_REF",
      "REPOSITORY_NOT_TRUSTED",
      "NOT_FOUND",
      "FILE_NOT_FOUND",
      "ANSWER_TOO_LARGE",
      "TIMED_OUT",
    ],
    request: SourceRequest,
    response: FileSource,
  },
  diff: {
    http: { method: "GET", path: "/api/diff" },
    tag: "Git",
    summary: "Tells what differs between two revisions.",
    access: "anonymous",
    errors: [
      "INVALID_QUERY_PARAMS",
      "INVALID_GIT_REF",
      "REPOSITORY_NOT_TRUSTED",
      "NOT_FOUND",
      "ANSWER_TOO_LARGE",
      "TIMED_OUT",
    ],
    request: DiffRequest,
    response: Diff,
  },
  commit: {
    http: { method: "GET", path: "/api/commit" },
    tag: "Git",
    summary: "Describes a commit.",
    access: "anonymous",
    errors: [
      "INVALID_QUERY_PARAMS",
      "INVALID_GIT_REF",
      "REPOSITORY_NOT_TRUSTED",
      "NOT_FOUND",
      "ANSWER_TOO_LARGE",
      "TIMED_OUT",
    ],
    request: CommitRequest,
    response: CommitDetails,
  },
  commits: {
    http: { method: "GET", path: "/api/commits" },
    tag: "Git",
    summary: "Lists the commits that lead to a revision, newest first.",
    access: "anonymous",
    errors: [
      "INVALID_QUERY_PARAMS",
      "INVALID_GIT_REF",
      "REPOSITORY_NOT_TRUSTED",
      "NOT_FOUND",
      "FILE_NOT_FOUND",
      "ANSWER_TOO_LARGE",
      "TIMED_OUT",
    ],
    request: CommitsRequest,
    response: z.array(CommitItem).describe("One page of the list."),
    paged: true,
  },
  authors: {
    http: { method: "GET", path: "/api/commits/authors" },
    tag: "Git",
    summary: "Lists who wrote the commits that lead to a revision, most commits first.",
    access: "anonymous",
    errors: [
      "INVALID_QUERY_PARAMS",
      "INVALID_GIT_REF",
      "REPOSITORY_NOT_TRUSTED",
      "NOT_FOUND",
      "ANSWER_TOO_LARGE",
      "TIMED_OUT",
    ],
    request: AuthorsRequest,
    response: z.array(CommitAuthor).describe("One page of the list."),
    paged: true,
  },
  blame: {
    http: { method: "GET", path: "/api/blame" },
    tag: "Git",
    summary: "Tells for each line of a file which commit it comes from.",
    access: "anonymous",
    errors: [
      "INVALID_QUERY_PARAMS",
      "INVALID_GIT_REF",
      "REPOSITORY_NOT_TRUSTED",
      "NOT_FOUND",
      "FILE_NOT_FOUND",
      "ANSWER_TOO_LARGE",
      "TIMED_OUT",
    ],
    request: BlameRequest,
    response: Blame,
  },
  health: {
    http: { method: "GET", path: "/api/health" },
    tag: "System",
    summary: "Says that the service answers.",
    access: "open",
    errors: [],
    request: NoParameters,
    response: Health,
  },
  version: {
    http: { method: "GET", path: "/api/version" },
    tag: "System",
    summary: "Gives the version of the service.",
    access: "open",
    errors: [],
    request: NoParameters,
    response: Version,
  },
  addPaths: {
    tag: "Repositories",
    summary: "Adds repositories and folders on this computer, and remembers them.",
    access: "owner",
    errors: ["NOT_FOUND", "REPOSITORY_NOT_TRUSTED"],
    request: AddPathsRequest,
    response: AddedPaths,
  },
  removePaths: {
    tag: "Repositories",
    summary: "Forgets repositories and folders on this computer, and deletes their index.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: PathsRequest,
    response: RemovedPaths,
    again: "never",
  },
  indexing: {
    tag: "Repositories",
    summary: "Tells how far indexing is, and answers when nothing is left to do.",
    access: "owner",
    errors: [],
    request: IndexingRequest,
    response: IndexingEnd,
    event: IndexingProgress,
    again: "always",
  },
  removeRepositories: {
    tag: "Repositories",
    summary: "Forgets repositories by name and deletes their index; clones are not touched.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: RepositoriesNamed,
    response: Done,
    again: "never",
  },
  reindex: {
    tag: "Repositories",
    summary: "Builds the index of repositories anew.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: RepositoriesNamed,
    response: Done,
  },
  pauseIndexing: {
    tag: "Repositories",
    summary: "Lets indexing rest, or go on.",
    access: "owner",
    errors: [],
    request: PauseRequest,
    response: Done,
  },
  clones: {
    tag: "Repositories",
    summary: "Tells where repositories lie on this computer.",
    access: "owner",
    errors: [],
    request: NoParameters,
    response: Clones,
  },
  siblings: {
    tag: "Repositories",
    summary: "Finds clones next to the open folders that are not indexed.",
    access: "owner",
    errors: [],
    request: NoParameters,
    response: Siblings,
  },
  examples: {
    tag: "Search & Navigation",
    summary: "Proposes queries to begin with.",
    access: "owner",
    errors: [],
    request: NoParameters,
    response: Examples,
  },
  locate: {
    tag: "Search & Navigation",
    summary: "Finds the editable file behind an answer, and its lines in it.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: LocateRequest,
    response: Location,
  },
  instance: {
    tag: "System",
    summary: "Describes the Trawl that answers.",
    access: "owner",
    errors: [],
    request: NoParameters,
    response: InstanceState,
  },
  startEndpoint: {
    tag: "System",
    summary: "Serves the REST interface on a port of this computer from now on.",
    access: "owner",
    errors: ["INVALID_REQUEST_BODY"],
    request: EndpointRequest,
    response: EndpointAddress,
  },
  stopEndpoint: {
    tag: "System",
    summary: "Ends the REST interface on a port.",
    access: "owner",
    errors: [],
    request: NoParameters,
    response: Done,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** A row that HTTP serves. */
export type HttpOperation = Operation & { readonly http: NonNullable<Operation["http"]> };

export function isServedOverHttp(row: Operation): row is HttpOperation {
  return row.http !== undefined;
}

/** Whether commits determine its answers, so that whoever has one need not be sent it again. */
export function isKept(row: HttpOperation): boolean {
  return row.tag === "Git" && row.http.method === "GET";
}

/** The row by its name, with its columns as wide as they are in `Operation`. */
export function operation(name: OperationName): Operation {
  return operations[name];
}

export const operationNames = Object.keys(operations) as readonly OperationName[];
