/** What the adapters of code hosts share: the repositories that a host lists, and how complete the list is. */
import type { HostProxy } from "./proxy";
import type { Secret } from "./secret";

/** A repository as its code host describes it. Optional fields are those that not every host lists. */
export interface HostRepository {
  /** Stable over renames and transfers. Hosts without ids (Gerrit, generic hosts) use the path. */
  readonly hostId: string;
  /** Path on the host, as the host writes it, without `.git`: `org/repo`, `org/project/repo`. */
  readonly path: string;
  /** An `https:` or `http:` URL without user information, on the connection's origin or its `cloneUrlBase`. */
  readonly cloneUrl: string;
  readonly webUrl?: string;
  /** Short name of the default branch. */
  readonly defaultBranch?: string;
  readonly visibility: "public" | "internal" | "private";
  readonly isFork: boolean;
  readonly isArchived: boolean;
  readonly isDisabled: boolean;
  /** Whether the host itself copies the repository from elsewhere. */
  readonly isMirror?: boolean;
  readonly isEmpty?: boolean;
  readonly sizeBytes?: number;
  readonly stars?: number;
  readonly topics?: readonly string[];
  /** Milliseconds since 1970. */
  readonly pushedAt?: number;
  /** Changes whenever a branch may have moved: a commit, or a time. A fetch is skipped while it is the same. */
  readonly fingerprint?: string;
}

/**
 * How one scope (an organization, a group, ...) was listed. Only a `complete` scope proves that a repository which it
 * used to contain is missing.
 */
export interface ScopeListing {
  readonly scope: string;
  readonly outcome: "complete" | "partial" | "failed";
  readonly repositories: readonly HostRepository[];
  /** Why it is not complete, for people; without secrets. */
  readonly problems: readonly HostProblem[];
}

export interface HostProblem {
  readonly message: string;
  /** The HTTP status, if the host responded. */
  readonly status?: number;
  /** When to try again, milliseconds since 1970, if the host asked to wait or limits requests. */
  readonly retryAt?: number;
}

/**
 * `gone`: the host answered a request by stable id with 404, 410, 451 or another status that means the same there.
 * `unknown` never leads to a removal.
 */
export type LookUp =
  | { readonly kind: "present"; readonly repository: HostRepository }
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "unknown"; readonly problem: HostProblem };

/**
 * Which of some people may read a repository. `refused`: the host has decided that these credentials may not know it
 * (401, 403, 404). `unknown`: it has decided nothing, for example because it is down.
 */
export type Readers =
  | { readonly kind: "known"; readonly logins: readonly string[] }
  | { readonly kind: "refused"; readonly problem: HostProblem }
  | { readonly kind: "unknown"; readonly problem: HostProblem };

export interface HostIdentity {
  /** The account or kind of token; absent without credentials. */
  readonly account?: string;
  readonly scopes?: readonly string[];
  readonly rateLimit?: { readonly remaining: number; readonly limit: number; readonly resetAt: number };
}

export interface GitCredentials {
  readonly user: string;
  readonly password: Secret;
}

/** A connection to one code host. Methods with a signal reject with CANCELLED when it fires, and with nothing else. */
export interface CodeHost {
  /** Proves that the host is reachable and accepts the credentials. */
  identify(signal: AbortSignal): Promise<HostIdentity | HostProblem>;
  /** Lists each scope of the connection. Scopes are independent: one that fails does not end the others. */
  list(signal: AbortSignal): AsyncIterable<ScopeListing>;
  /** Asks for one repository by its stable id. */
  lookUp(repository: Pick<HostRepository, "hostId" | "path">, signal: AbortSignal): Promise<LookUp>;
  /** Asks which of these people, by their names on the host, may read a repository. */
  readers(repository: HostRepository, logins: readonly string[], signal: AbortSignal): Promise<Readers>;
  /**
   * For `git fetch`. Absent for anonymous access. Rejects with USAGE if the token cannot be read, and with GIT_FAILED if
   * the host does not issue one.
   */
  gitCredentials(signal?: AbortSignal): Promise<GitCredentials | undefined>;
  /** Whether the credentials are replaced every hour, so that they do not identify the account. */
  readonly hasTemporaryCredentials?: boolean;
  /** For `git fetch`. Absent or `undefined` without a proxy. Rejects with USAGE if its password cannot be read. */
  proxy?(): Promise<HostProxy | undefined>;
  /** How many requests were sent so far. */
  readonly requestCount: number;
  close(): Promise<void>;
}
