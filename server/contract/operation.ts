/** An operation of the contract: everything that a transport needs to carry a call. */
import type * as z from "zod";
import type { ErrorCode } from "#base/error";
import type { LicensedFeature, targetTypes } from "./organization";

export interface Operation {
  /**
   * The REST endpoint; absent for operations that only LSP, the socket and the sign-in pages serve. Fields in braces are
   * part of the path; a POST with any has no others, and no body.
   */
  readonly http?: { readonly method: "GET" | "POST" | "DELETE"; readonly path: `/api/${string}` };
  readonly tag: "Search & Navigation" | "Repositories" | "Git" | "System" | "Enterprise (EE)";
  /** One sentence. */
  readonly summary: string;
  /** Who may call it. `open`: everyone. `anonymous`: everyone, if the instance allows anonymous access. */
  readonly access: "open" | "anonymous" | "member" | "owner";
  /** It changes something other than caches and the caller's own session, so that bounded API keys cannot call it. */
  readonly changes?: true;
  /** The licensed feature that it requires. */
  readonly licensed?: LicensedFeature;
  /** The audit record of a call by a known actor. Operations that change something write their own records. */
  readonly audit?: {
    readonly action: `${string}.${string}`;
    readonly target: (typeof targetTypes)[number];
    /** A call whose request has this field is not recorded. */
    readonly unless?: string;
    /** Fields of the request that the record contains. */
    readonly details?: readonly string[];
    /** Written after the response was computed, so that the response does not contain it. */
    readonly isRecordedAfterwards?: true;
  };
  /** Error codes that are specific to it. `openapi.ts` adds those that any call may have. */
  readonly errors: readonly ErrorCode[];
  /** Always an object, because over HTTP it may be a query string. */
  readonly request: z.ZodObject;
  /** If `isPaged`, an array: the items of one page, which the handler returns together with the total. */
  readonly response: z.ZodType;
  readonly isPaged?: true;
  /** At the deadline, the handler returns what it has found so far. Others fail with TIMED_OUT, but see `resend`. */
  readonly isPartialWhenLate?: true;
  /** It may take minutes. For the local user, it has no time limit, and takes no slot. */
  readonly isLong?: true;
  /** It waits for git, although its tag is not "Git". */
  readonly runsGit?: true;
  /** Emitted before the response, on transports that support events. */
  readonly event?: z.ZodType;
  /**
   * Whether a call is resent if the process that executed it has exited. Default: only if no event was received. With
   * `"never"`, a call that is running at its deadline is completed, because its caller could not know whether it took
   * effect.
   */
  readonly resend?: "always" | "never";
}

/** Schema metadata: a field that only the local user may send, and that the OpenAPI document omits. */
export const localOnly = "localOnly";
/** Schema metadata of an object: names of optional strings that are required over HTTP and must not be empty. */
export const requiredOverHttp = "requiredOverHttp";

/** An operation that is served over HTTP. */
export type HttpOperation = Operation & { readonly http: NonNullable<Operation["http"]> };

export function isServedOverHttp(row: Operation): row is HttpOperation {
  return row.http !== undefined;
}

/** Returns whether the request is a query string rather than a body. */
export function usesQueryString({ http }: Operation): boolean {
  return http !== undefined && http.method !== "POST";
}

/** Returns the names of the fields that are part of the path. */
export function pathFields({ http }: Operation): readonly string[] {
  return [...(http?.path ?? "").matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

export function waitsForGit({ tag, runsGit }: Operation): boolean {
  return tag === "Git" || runsGit === true;
}

/** Returns whether responses have an ETag: those about git objects do, because they rarely change. */
export function isCacheable(row: HttpOperation): boolean {
  return row.tag === "Git" && row.http.method === "GET";
}

/** Errors of operations that read a repository at a revision. */
export const gitErrors = [
  "INVALID_GIT_REF",
  "REPOSITORY_NOT_TRUSTED",
  "NOT_FOUND",
  "ANSWER_TOO_LARGE",
  "TIMED_OUT",
] as const satisfies readonly ErrorCode[];

/** Errors of operations that read a file at a revision. */
export const gitFileErrors = [
  "INVALID_GIT_REF",
  "REPOSITORY_NOT_TRUSTED",
  "NOT_FOUND",
  "FILE_NOT_FOUND",
  "ANSWER_TOO_LARGE",
  "TIMED_OUT",
] as const satisfies readonly ErrorCode[];
