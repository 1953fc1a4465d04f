/** What an adapter knows about its code host: where lists are, and how to read them. */
import type { HostIdentity, HostRepository, LookUp } from "./codeHost";
import type { ReaderApi } from "./readers";
import type { Api, HostResponse, Requests } from "./requests";

/** A set of repositories that the host lists together, such as an organization. `name` is for people: `org:acme`. */
export type Scope = ListedScope | FixedScope;

export interface ListedScope {
  readonly name: string;
  /** `one`: the response is a single repository instead of a page. */
  readonly kind: "list" | "one";
  /** Returns the URL of the first page. May first ask the host, for example whether the organization exists. */
  firstUrl(requests: Requests, signal: AbortSignal): string | Promise<string>;
}

/** Repositories that are known without asking the host. */
export interface FixedScope {
  readonly name: string;
  readonly kind: "fixed";
  readonly repositories: readonly HostRepository[];
}

export interface Page {
  readonly items: readonly unknown[];
  /** URL of the next page; absent after the last one. */
  readonly next?: string | undefined;
  /**
   * Whether more pages could follow although the page itself does not change: it is full, and only a header links to the
   * next one. The host may not report that as a change.
   */
  readonly mayGrow?: boolean;
  /** How many repositories all pages together have. */
  readonly total?: number | undefined;
  /** Why the page may not contain everything. */
  readonly warning?: string | undefined;
}

export interface Adapter {
  readonly api: Api;
  readonly scopes: readonly Scope[];
  /** Throws if the response is not a page. */
  page(response: HostResponse): Page;
  /**
   * Returns the URL of a smaller page that begins with the same item, for hosts that fail with large ones; `undefined` if
   * the page is already small. `previousCount` is the number of items on the page before it, if there is one.
   */
  smallerPage?(url: string, previousCount: number | undefined): string | undefined;
  /** Throws if the item is malformed. Returns `undefined` for an item that is not a repository to list. */
  repository(item: unknown, responseUrl: string): HostRepository | undefined;
  /** Returns the URL that the host answers with the repository, or with 404, 410 or 451. */
  lookUpUrl(repository: RepositoryKey): string;
  /** Replaces a request to `lookUpUrl` if the host cannot be asked for a single repository. May reject. */
  lookUp?(repository: RepositoryKey, requests: Requests, signal: AbortSignal): Promise<LookUp>;
  /** Whether the host cannot be asked by id, so that another id at the path means that the repository is gone. */
  readonly looksUpByPath?: boolean;
  /** Absent if the host cannot be asked who may read a repository. */
  readonly readers?: ReaderApi;
  identify(requests: Requests, signal: AbortSignal): Promise<HostIdentity>;
  /** The user name for `git fetch`, next to the token. */
  readonly gitUser: string;
}

export type RepositoryKey = Pick<HostRepository, "hostId" | "path">;

/** Returns a scope whose URL is known. */
export function scopeOf(name: string, kind: ListedScope["kind"], url: string): ListedScope {
  return { name, kind, firstUrl: () => url };
}
