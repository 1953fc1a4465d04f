/**
 * The contract: one row an endpoint, and all that a transport needs to carry a call.
 *
 * Types, validation, defaults, both transports and the OpenAPI document follow from these rows. The LSP method is
 * no column (`methods.ts`), so that a client can name one without bundling the schemas.
 */
import * as z from "zod";
import type { ErrorCode } from "#base/error";
import {
  AddedPaths,
  IndexingEnd,
  IndexingProgress,
  IndexingRequest,
  PathsRequest,
  RemovedPaths,
} from "./local";
import { RepositoriesRequest, RepositoryItem, SkippedDocument, SkippedRequest } from "./repositories";
import { SearchEnd, SearchEvent, SearchRequest, SearchResult } from "./search";
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
    request: PathsRequest,
    response: AddedPaths,
  },
  removePaths: {
    tag: "Repositories",
    summary: "Forgets repositories and folders on this computer, and deletes their index.",
    access: "owner",
    errors: ["NOT_FOUND"],
    request: PathsRequest,
    response: RemovedPaths,
  },
  indexing: {
    tag: "Repositories",
    summary: "Tells how far indexing is, and answers when nothing is left to do.",
    access: "owner",
    errors: [],
    request: IndexingRequest,
    response: IndexingEnd,
    event: IndexingProgress,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** A row that HTTP serves. */
export type HttpOperation = Operation & { readonly http: NonNullable<Operation["http"]> };

export function isServedOverHttp(row: Operation): row is HttpOperation {
  return row.http !== undefined;
}

/** The row by its name, with its columns as wide as they are in `Operation`. */
export function operation(name: OperationName): Operation {
  return operations[name];
}

export const operationNames = Object.keys(operations) as readonly OperationName[];
