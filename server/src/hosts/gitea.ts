/** Gitea and Forgejo, which have the same API. */
import * as z from "zod";
import { type Adapter, type ListedScope, type Page, scopeOf } from "./adapter";
import type { HostRepository } from "./codeHost";
import type { ConnectionOf } from "./connection";
import {
  cloneUrl,
  countIn,
  isTrue,
  numericId,
  optionalCount,
  optionalText,
  shortText,
  topicList,
  userAgent,
  withoutUndefined,
} from "./fields";
import type { ReaderApi } from "./readers";
import type { HostResponse, Requests } from "./requests";
import { encodePath, nextQuery } from "./urls";

type GiteaConnection = ConnectionOf<"gitea">;

const Repository = z.object({
  id: numericId,
  full_name: shortText,
  private: z.boolean(),
  internal: isTrue,
  fork: z.boolean(),
  mirror: isTrue,
  archived: isTrue,
  empty: z.boolean().optional(),
  default_branch: optionalText,
  size: optionalCount,
  stars_count: optionalCount,
  topics: topicList,
  updated_at: optionalText,
});

export function createGitea(connection: GiteaConnection): Adapter {
  const api = `${connection.url}/api/v1`;
  const gitUser = connection.gitUser ?? "git";
  const isAnonymous = connection.token === undefined;
  return {
    api: {
      base: api,
      headers: userAgent,
      authorize: (token) => ({ authorization: `token ${token}` }),
    },
    scopes: scopesOf(connection, api),
    page: readPage,
    repository: (item) => readRepository(item, connection),
    // Strangers may only ask by path. That of a repository that was moved redirects to the new one.
    lookUpUrl: ({ hostId, path }) =>
      isAnonymous ? `${api}/repos/${encodePath(path)}` : `${api}/repositories/${encodeURIComponent(hostId)}`,
    looksUpByPath: isAnonymous,
    readers: readersOf(api),
    identify: (requests, signal) => identify(requests, connection, api, signal),
    gitUser,
  };
}

function scopesOf({ include }: GiteaConnection, api: string): readonly ListedScope[] {
  return [
    ...(include.all ? [scopeOf("all", "list", searchUrl(api))] : []),
    ...include.orgs.map((org) => ownerScope(`org:${org}`, `${api}/orgs/${encodePath(org)}`, api)),
    ...include.users.map((user) => ownerScope(`user:${user}`, `${api}/users/${encodePath(user)}`, api)),
    ...include.repos.map((path) => scopeOf(`repo:${path}`, "one", `${api}/repos/${encodePath(path)}`)),
  ];
}

const Owner = z.object({ id: numericId });

/**
 * Asks for the owner first: the list of an owner that these credentials cannot see is empty instead of an error. Searches,
 * because the total of the owner's own list also counts repositories that these credentials cannot see.
 */
function ownerScope(name: string, ownerUrl: string, api: string): ListedScope {
  return {
    name,
    kind: "list",
    async firstUrl(requests, signal) {
      const id = await requests.get(ownerUrl, ({ body }) => Owner.parse(body).id, signal);
      return `${searchUrl(api)}&uid=${id}&exclusive=true`;
    },
  };
}

function searchUrl(api: string): string {
  return `${api}/repos/search?sort=id&order=asc&limit=50&page=1`;
}

/** Does not compare the length of a page with the limit: the server may return fewer than were asked for. */
function readPage({ body, headers, url }: HostResponse): Page {
  const SearchResult = z.object({ ok: z.literal(true), data: z.array(z.unknown()) });
  const items = Array.isArray(body) ? body : SearchResult.parse(body).data;
  const total = countIn(headers["x-total-count"]);
  const warning = total === undefined ? "The host does not say how many repositories it has." : undefined;
  return { items, next: nextQuery(headers, url), total, warning };
}

function readRepository(item: unknown, connection: GiteaConnection): HostRepository {
  const read = Repository.parse(item);
  return withoutUndefined({
    hostId: read.id,
    path: read.full_name,
    cloneUrl: cloneUrl(connection, `${read.full_name}.git`),
    webUrl: `${connection.url}/${read.full_name}`,
    defaultBranch: read.default_branch,
    visibility: read.private ? "private" : read.internal ? "internal" : "public",
    isFork: read.fork,
    isArchived: read.archived,
    isDisabled: false,
    isEmpty: read.empty,
    isMirror: read.mirror,
    sizeBytes: read.size === undefined ? undefined : read.size * 1024,
    stars: read.stars_count,
    topics: read.topics,
    // Every push changes it, as do other updates. Updates of mirrors may not.
    fingerprint: read.mirror ? undefined : read.updated_at,
  } as const);
}

/** Needs a token of an administrator of the repository. Lists of collaborators lack the members of teams. */
function readersOf(api: string): ReaderApi {
  const Access = z.object({ permission: z.string() });
  const reading = ["read", "write", "admin", "owner"];
  return {
    kind: "each",
    url: ({ path }, login) =>
      `${api}/repos/${encodePath(path)}/collaborators/${encodeURIComponent(login)}/permission`,
    mayRead: ({ body }) => reading.includes(Access.parse(body).permission),
  };
}

async function identify(requests: Requests, { token }: GiteaConnection, api: string, signal: AbortSignal) {
  if (token === undefined) return await requests.get(`${api}/version`, () => ({}), signal);
  const read = ({ body }: HostResponse) => ({ account: z.object({ login: shortText }).parse(body).login });
  return await requests.get(`${api}/user`, read, signal);
}
