/**
 * The types of the service.
 *
 * A `Service` handles validated requests. A `Caller` takes unvalidated requests and is what transports call: the
 * dispatcher of this process, or the leader, which is another process that is reached over its socket.
 */
import type * as z from "zod";
import type { RepositoryRules, RepositoryScope } from "./access";
import type { OperationName, operations } from "./operations";
import type { Role } from "./organization";

// Every runtime has `AbortSignal`, but the contract is compiled without the types of any. Elsewhere, this
// declaration merges with theirs.
declare global {
  interface AbortSignal {
    readonly aborted: boolean;
  }
}

type Operations = typeof operations;

/** A request as callers send it: fields with a default are optional. */
export type RequestInput<Name extends OperationName> = z.input<Operations[Name]["request"]>;
/** A request as handlers see it: defaults are filled in. */
export type RequestOf<Name extends OperationName> = z.output<Operations[Name]["request"]>;

/** One page, and the number of items on all pages. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** If items may be missing: why, and how to get them. */
  readonly incomplete?: string;
}

/** A response; for a paged operation, its page. HTTP sends an array and headers, LSP the object. */
export type ResponseOf<Name extends OperationName> = Operations[Name] extends { readonly isPaged: true }
  ? Page<z.output<Operations[Name]["response"]> extends readonly (infer Item)[] ? Item : never>
  : z.output<Operations[Name]["response"]>;

/** An event that precedes the response; `never` for an operation without events. */
export type EventOf<Name extends OperationName> = Operations[Name] extends { readonly event: infer Event }
  ? z.output<Event & z.ZodType>
  : never;

/** Credentials of a caller. `local`: the user who owns this process. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "local" }
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "apiKey"; readonly token: string }
  /** A browser session; accepted for pages, and for other requests that pages of this service send. */
  | { readonly kind: "session"; readonly token: string };

/** Whether anonymous access is allowed: always, never, or until the first API key exists. */
export type AnonymousRule = "on" | "off" | "untilKeys";

/** An authenticated or anonymous caller. */
export type Actor =
  | { readonly kind: "anonymous"; readonly sees?: RepositoryScope }
  | { readonly kind: "local" }
  | {
      readonly kind: "member";
      readonly id: string;
      /** The role in which the member acts: a key for some repositories never acts as an owner. */
      readonly role: Role;
      /** The repositories that the caller sees; absent: all. */
      readonly sees?: RepositoryScope;
      readonly keyId?: string;
      /** The browser session; absent if the member sent a key or a token. */
      readonly sessionId?: string;
    };

/** An unsaved document of the caller's editor. */
export interface OpenDocument {
  /** Absolute path of the file. */
  readonly path: string;
  readonly text: string;
  /** Changes whenever `text` does, for the same path. */
  readonly version: string;
}

/** Everything about a call but its request. */
export interface Call<Name extends OperationName = OperationName> {
  readonly credentials: Credentials;
  /** Anonymous access rule of the listener that received the call. Default: off. */
  readonly anonymous?: AnonymousRule;
  /** Rules of the listener that received the call. Default: those of the leader. */
  readonly repositoryRules?: RepositoryRules;
  /** Network address of the caller; absent for a caller on this computer. */
  readonly address?: string;
  /** The calling program, as it names itself. */
  readonly source?: string;
  /** Fires when the caller disconnects or cancels. */
  readonly signal: AbortSignal;
  /**
   * When the request arrived, on this process's monotonic clock (`performance.now()`). The time limit starts then and
   * thus includes queueing. Default: the time of dispatch.
   */
  readonly arrivedAt?: number;
  /** Identifies the caller: the same for all of its calls. Callers are served round-robin. */
  readonly client?: string;
  /** Identifies the request in logs; absent if it did not come over HTTP. */
  readonly requestId?: string;
  /** Base URL that the caller used, without a trailing slash; absent if there is no listener. */
  readonly baseUrl?: string;
  /** Unsaved documents, which are searched instead of the files on disk. */
  readonly unsaved?: readonly OpenDocument[];
  /** Absolute paths of the folders that the caller has open. Their repositories rank a little higher. */
  readonly folders?: readonly string[];
  /** Whether the response and the events may contain parts that are already JSON (`platform/jsonText.ts`). */
  readonly acceptsJsonText?: boolean;
  /** Receives events. The next event is not sent before the returned promise resolves. */
  readonly emit?: (event: EventOf<Name>) => void | Promise<void>;
}

/** A call after access control. */
export interface CallContext<Name extends OperationName = OperationName>
  extends Omit<Call<Name>, "credentials" | "anonymous" | "repositoryRules" | "arrivedAt"> {
  readonly actor: Actor;
  /** When the handler must have finished, in milliseconds of a monotonic clock with an arbitrary start. */
  readonly deadline: number;
}

export type Handler<Name extends OperationName> = (
  request: RequestOf<Name>,
  context: CallContext<Name>,
) => Promise<ResponseOf<Name>>;

/** One handler per operation. */
export type Service = { readonly [Name in OperationName]: Handler<Name> };

/**
 * Executes a call with an unvalidated request.
 *
 * Rejects with a `ServiceError` (`CANCELLED` if the signal fired), or with any other error, which is a defect.
 */
export type Caller = <Name extends OperationName>(
  name: Name,
  request: unknown,
  call: Call<Name>,
) => Promise<ResponseOf<Name>>;
