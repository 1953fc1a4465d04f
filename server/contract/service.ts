/**
 * What the service is, whoever gives it.
 *
 * `Service` answers checked requests; `Caller` is the one way in for a transport, and takes what the outside sent as
 * it came. The service's own dispatch is a `Caller`, and so is another Trawl that is reached over its socket.
 */
import type * as z from "zod";
import type { OperationName, operations } from "./operations";
import type { Role } from "./organisation";

// Every environment has an AbortSignal; none of their libraries is loaded here. Elsewhere this merges with theirs.
declare global {
  interface AbortSignal {
    readonly aborted: boolean;
  }
}

type Rows = typeof operations;

/** What a caller may send: fields with a default may be left out. */
export type SentOf<Name extends OperationName> = z.input<Rows[Name]["request"]>;
/** What a handler sees: every default is filled in. */
export type RequestOf<Name extends OperationName> = z.output<Rows[Name]["request"]>;

/** One page, and how many items all pages hold. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Of a paged row its page; HTTP sends the bare array and headers, LSP the pair. */
export type AnswerOf<Name extends OperationName> = Rows[Name] extends { readonly paged: true }
  ? Page<z.output<Rows[Name]["response"]> extends readonly (infer Item)[] ? Item : never>
  : z.output<Rows[Name]["response"]>;

/** What is emitted before the answer; `never` for a row without events. */
export type EventOf<Name extends OperationName> = Rows[Name] extends { readonly event: infer Event }
  ? z.output<Event & z.ZodType>
  : never;

/** What a caller showed to be let in. `local`: the person whose process this is. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "local" }
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "apiKey"; readonly token: string }
  /** Of a browser that was signed in; accepted for pages alone. */
  | { readonly kind: "session"; readonly token: string };

/** Whether calls without credentials are answered: yes, no, or for as long as there are no API keys. */
export type AnonymousRule = "on" | "off" | "untilKeys";

/** Who calls. */
export type Actor =
  | { readonly kind: "anonymous" }
  | { readonly kind: "local" }
  | {
      readonly kind: "member";
      readonly id: string;
      readonly role: Role;
      readonly keyId?: string;
      /** Of the browser that was signed in with the key. */
      readonly sessionId?: string;
    };

/** A document as it stands in the caller's editor. */
export interface OpenDocument {
  /** Absolute path of the file. */
  readonly path: string;
  readonly text: string;
  /** Changes whenever `text` does, for the same path. */
  readonly version: string;
}

/** What a medium knows of a call besides the request. */
export interface Call<Name extends OperationName = OperationName> {
  readonly credentials: Credentials;
  /** Of the listener through which the call came; absent: off. */
  readonly anonymous?: AnonymousRule;
  /** Network address of the caller; absent for one on this computer. */
  readonly address?: string;
  /** Which program calls, in its own words. */
  readonly source?: string;
  /** Fires when the caller has gone or has given up. */
  readonly signal: AbortSignal;
  /** The same for all calls of one caller: callers are served by turns. */
  readonly client?: string;
  /** Address that the caller used, without a trailing slash; absent where there is no listener. */
  readonly baseUrl?: string;
  /** Searched in place of what is on disk. */
  readonly unsaved?: readonly OpenDocument[];
  /** Absolute paths of the folders that the caller has open: their repositories rank a little higher. */
  readonly folders?: readonly string[];
  /** Takes events as they happen; without it they are not made. A promise holds up the next one until it is kept. */
  readonly emit?: (event: EventOf<Name>) => void | Promise<void>;
}

/** A call whose caller is known. */
export interface CallContext<Name extends OperationName = OperationName>
  extends Omit<Call<Name>, "credentials" | "anonymous"> {
  readonly actor: Actor;
}

export type Handler<Name extends OperationName> = (
  request: RequestOf<Name>,
  context: CallContext<Name>,
) => Promise<AnswerOf<Name>>;

/** A handler for every row: a row without one does not compile. */
export type Service = { readonly [Name in OperationName]: Handler<Name> };

/**
 * Carries out a call. `request` is unchecked.
 *
 * Rejects with a `ServiceError`, `CANCELLED` where the signal fired, or with a defect.
 */
export type Caller = <Name extends OperationName>(
  name: Name,
  request: unknown,
  call: Call<Name>,
) => Promise<AnswerOf<Name>>;
