/** GitHub: github.com, GitHub Enterprise Server, and ghe.com. */
import * as z from "zod";
import { type Adapter, type Page, type Scope, scopeOf } from "./adapter";
import type { HostRepository } from "./codeHost";
import type { ConnectionOf } from "./connection";
import {
  cloneUrl,
  isTrue,
  numericId,
  optionalCount,
  optionalText,
  optionalTime,
  shortText,
  topicList,
  userAgent,
  withoutUndefined,
} from "./fields";
import type { ReaderApi } from "./readers";
import type { HostResponse, Requests } from "./requests";
import { encodePath, isFullLastPage, nextLink } from "./urls";

type GithubConnection = ConnectionOf<"github">;

const Repository = z.object({
  id: numericId,
  full_name: shortText,
  private: z.boolean(),
  visibility: z.enum(["public", "internal", "private"]).optional(),
  fork: z.boolean(),
  archived: isTrue,
  disabled: isTrue,
  mirror_url: optionalText,
  default_branch: optionalText,
  size: optionalCount,
  stargazers_count: optionalCount,
  topics: topicList,
  pushed_at: optionalTime,
});

const SearchResult = z.object({
  total_count: z.int(),
  incomplete_results: z.boolean(),
  items: z.array(z.unknown()),
});

const InstallationPage = z.object({ total_count: z.int(), repositories: z.array(z.unknown()) });

/** The search API returns no more results than this. */
const maxSearchResults = 1000;

export function createGithub(connection: GithubConnection, apiUrl = apiUrlOf(connection.url)): Adapter {
  return {
    api: {
      base: apiUrl,
      headers: { ...userAgent, accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
      authorize: (token) => ({ authorization: `Bearer ${token}` }),
      bucketOf: (url) => (url.startsWith(`${apiUrl}/search/`) ? "search" : "core"),
    },
    scopes: scopesOf(connection, apiUrl),
    page: readPage,
    repository: (item) => readRepository(item, connection),
    lookUpUrl: ({ hostId }) => `${apiUrl}/repositories/${encodeURIComponent(hostId)}`,
    readers: readersOf(apiUrl),
    identify: (requests, signal) => identify(requests, apiUrl, signal),
    gitUser,
  };
}

const gitUser = "x-access-token";

function apiUrlOf(url: string): string {
  const { hostname, origin } = new URL(url);
  const isHosted = hostname === "github.com" || hostname.endsWith(".ghe.com");
  return isHosted ? origin.replace("//", "//api.") : `${url}/api/v3`;
}

const pageSize = 100;
const listParameters = `sort=created&direction=asc&per_page=${pageSize}`;

function scopesOf({ include, token }: GithubConnection, api: string): readonly Scope[] {
  return [
    ...(include.installation
      ? [scopeOf("installation", "list", `${api}/installation/repositories?per_page=${pageSize}`)]
      : []),
    ...include.orgs.map((org) =>
      scopeOf(`org:${org}`, "list", `${api}/orgs/${encodePath(org)}/repos?type=all&${listParameters}`),
    ),
    ...include.users.map(
      (user): Scope => ({
        name: `user:${user}`,
        kind: "list",
        async firstUrl(requests, signal) {
          const isOwn = token !== undefined && (await ownLogin(requests, api, signal)) === user.toLowerCase();
          // The list of a user is public repositories only, also for that user.
          if (isOwn) return `${api}/user/repos?affiliation=owner&${listParameters}`;
          return `${api}/users/${encodePath(user)}/repos?type=owner&${listParameters}`;
        },
      }),
    ),
    ...include.queries.map((query) =>
      scopeOf(
        `query:${query}`,
        "list",
        `${api}/search/repositories?q=${encodeURIComponent(query)}&per_page=100`,
      ),
    ),
    ...include.repos.map((path) => scopeOf(`repo:${path}`, "one", `${api}/repos/${encodePath(path)}`)),
  ];
}

/** Returns the account of the token in lower case. Tokens of installations have none. */
async function ownLogin(requests: Requests, api: string, signal: AbortSignal): Promise<string | undefined> {
  const isInstallation = await requests.hasToken((token) => token.startsWith("ghs_"), signal);
  if (isInstallation) return undefined;
  const read = ({ body }: HostResponse) => z.object({ login: z.string() }).parse(body).login.toLowerCase();
  return await requests.get(`${api}/user`, read, signal);
}

function readPage(response: HostResponse): Page {
  const next = nextLink(response.headers, response.url);
  // Organizations may require single sign-on, which the token lacks; their repositories are omitted.
  const signOn = response.headers["x-github-sso"];
  const warning = signOn?.includes("partial-results")
    ? "GitHub omits organizations whose single sign-on the token is not authorized for."
    : undefined;
  if (Array.isArray(response.body)) {
    const { body: items } = response;
    return { items, next, warning, mayGrow: isFullLastPage(next, items.length, pageSize) };
  }
  const installed = InstallationPage.safeParse(response.body).data;
  if (installed !== undefined) {
    const { repositories: items, total_count: total } = installed;
    return { items, next, total, warning, mayGrow: isFullLastPage(next, items.length, pageSize) };
  }
  const { items, total_count: total, incomplete_results: isIncomplete } = SearchResult.parse(response.body);
  if (isIncomplete) return { items, next, warning: "GitHub did not finish the search." };
  if (total <= maxSearchResults) return { items, next, total, warning };
  return {
    items,
    next,
    warning: `The query finds ${total} repositories, of which GitHub lists ${maxSearchResults}. Split the query.`,
  };
}

const Collaborators = z.array(
  z.object({ login: shortText, permissions: z.object({ pull: z.boolean() }).optional() }),
);

/** Lists everyone with access: collaborators, teams, and members of the organization whom its settings let in. */
function readersOf(api: string): ReaderApi {
  return {
    kind: "list",
    url: ({ hostId }) =>
      `${api}/repositories/${encodeURIComponent(hostId)}/collaborators?affiliation=all&per_page=${pageSize}`,
    page({ body, headers, url }) {
      const people = Collaborators.parse(body);
      const next = nextLink(headers, url);
      const logins = people.flatMap(({ login, permissions }) => (permissions?.pull ? [login] : []));
      return { logins, next, mayGrow: isFullLastPage(next, people.length, pageSize) };
    },
  };
}

function readRepository(item: unknown, connection: GithubConnection): HostRepository {
  const read = Repository.parse(item);
  return withoutUndefined({
    hostId: read.id,
    path: read.full_name,
    cloneUrl: cloneUrl(connection, `${read.full_name}.git`),
    webUrl: `${connection.url}/${read.full_name}`,
    defaultBranch: read.default_branch,
    visibility: read.visibility ?? (read.private ? "private" : "public"),
    isFork: read.fork,
    isArchived: read.archived,
    isDisabled: read.disabled,
    isMirror: read.mirror_url !== undefined,
    sizeBytes: read.size === undefined ? undefined : read.size * 1024,
    stars: read.stargazers_count,
    topics: read.topics,
    pushedAt: read.pushed_at,
    fingerprint: read.pushed_at === undefined ? undefined : String(read.pushed_at),
  });
}

/** Works for tokens of every kind, and does not count against the limit. */
async function identify(requests: Requests, api: string, signal: AbortSignal) {
  const RateLimit = z.object({
    resources: z.object({ core: z.object({ limit: z.int(), remaining: z.int(), reset: z.int() }) }),
  });
  return await requests.get(
    `${api}/rate_limit`,
    ({ body, headers }) => {
      const { limit, remaining, reset } = RateLimit.parse(body).resources.core;
      const scopes = headers["x-oauth-scopes"]?.split(",").flatMap((scope) => scope.trim() || []);
      return withoutUndefined({ scopes, rateLimit: { limit, remaining, resetAt: reset * 1000 } });
    },
    signal,
  );
}
