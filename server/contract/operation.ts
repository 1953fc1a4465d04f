/** What a row of the contract says: all that a transport needs to carry a call. */
import type * as z from "zod";
import type { ErrorCode } from "#base/error";
import type { LicensedFeature, targetTypes } from "./organisation";

export interface Operation {
  /** Absent for what only the person at this computer may ask: served over LSP and the socket. */
  readonly http?: { readonly method: "GET" | "POST" | "DELETE"; readonly path: `/api/${string}` };
  readonly tag: "Search & Navigation" | "Repositories" | "Git" | "System" | "Enterprise (EE)";
  /** One sentence. */
  readonly summary: string;
  /** `open` is answered to everyone, `anonymous` where the instance allows it. */
  readonly access: "open" | "anonymous" | "member" | "owner";
  /** Answered only where a licence opens it. */
  readonly licensed?: LicensedFeature;
  /** What is recorded of a call whose caller is known, and about what; rows that change something record it themselves. */
  readonly audit?: {
    readonly action: `${string}.${string}`;
    readonly target: (typeof targetTypes)[number];
    /** After the answer was made, so that it is not in it. */
    readonly afterwards?: true;
  };
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

/** A row that HTTP serves. */
export type HttpOperation = Operation & { readonly http: NonNullable<Operation["http"]> };

export function isServedOverHttp(row: Operation): row is HttpOperation {
  return row.http !== undefined;
}

/** Whether its request is a query string rather than a body. */
export function isAskedByQuery({ http }: Operation): boolean {
  return http !== undefined && http.method !== "POST";
}

/** Whether commits determine its answers, so that whoever has one need not be sent it again. */
export function isKept(row: HttpOperation): boolean {
  return row.tag === "Git" && row.http.method === "GET";
}
