/** GitLab: gitlab.com and self-managed. */
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
import { encodePath, isFullLastPage, nextQuery } from "./urls";

type GitlabConnection = ConnectionOf<"gitlab">;

/** Without credentials, the optional fields are missing. */
const Project = z.object({
  id: numericId,
  path_with_namespace: shortText,
  visibility: z.enum(["public", "internal", "private"]).optional(),
  archived: isTrue,
  forked_from_project: z.unknown().optional(),
  mirror: isTrue,
  default_branch: optionalText,
  empty_repo: z.boolean().optional(),
  repository_access_level: optionalText,
  marked_for_deletion_on: optionalText,
  marked_for_deletion_at: optionalText,
  star_count: optionalCount,
  topics: topicList,
});

export function createGitlab(connection: GitlabConnection): Adapter {
  const api = `${connection.url}/api/v4`;
  return {
    api: {
      base: api,
      headers: userAgent,
      // GitLab accepts OAuth tokens and its own tokens in this header.
      authorize: (token) => ({ authorization: `Bearer ${token}` }),
    },
    scopes: scopesOf(connection, api),
    page: readPage,
    smallerPage,
    repository: (item) => readProject(item, connection),
    lookUpUrl: ({ hostId }) => `${api}/projects/${encodeURIComponent(hostId)}`,
    readers: readersOf(api),
    identify: (requests, signal) => identify(requests, connection, api, signal),
    gitUser,
  };
}

const gitUser = "oauth2";
const maxPageSize = 100;
const minPageSize = 20;
const listParameters = `per_page=${maxPageSize}&order_by=id&sort=asc`;

function scopesOf({ include, url }: GitlabConnection, api: string): readonly ListedScope[] {
  // Everything public on gitlab.com would be millions of projects.
  const membership = new URL(url).hostname === "gitlab.com" ? "&membership=true" : "";
  const group = "include_subgroups=true&with_shared=false";
  return [
    ...(include.all
      ? [scopeOf("all", "list", `${api}/projects?pagination=keyset&${listParameters}${membership}`)]
      : []),
    ...include.groups.map((path) =>
      scopeOf(
        `group:${path}`,
        "list",
        `${api}/groups/${encodeURIComponent(path)}/projects?${group}&${listParameters}`,
      ),
    ),
    ...include.users.map((user) =>
      scopeOf(`user:${user}`, "list", `${api}/users/${encodePath(user)}/projects?${listParameters}`),
    ),
    ...include.queries.map((query) =>
      scopeOf(`query:${query}`, "list", `${api}/${query.replace(/^\//, "")}`),
    ),
    ...include.repos.map((path) =>
      scopeOf(`repo:${path}`, "one", `${api}/projects/${encodeURIComponent(path)}`),
    ),
  ];
}

function readPage({ body, headers, url }: HostResponse): Page {
  const items = z.array(z.unknown()).parse(body);
  const next = nextQuery(headers, url);
  // The total is missing for long lists, and with keyset pagination.
  return {
    items,
    next,
    total: countIn(headers["x-total"]),
    mayGrow: isFullLastPage(next, items.length, pageSizeOf(new URL(url)) ?? maxPageSize),
  };
}

/** Large groups take GitLab longer than its time limit. */
function smallerPage(page: string, previousCount: number | undefined): string | undefined {
  const url = new URL(page);
  const size = pageSizeOf(url);
  if (size === undefined || size % 2 !== 0 || size / 2 < minPageSize) return undefined;
  url.searchParams.set("per_page", String(size / 2));
  const number = Number(url.searchParams.get("page") ?? 1);
  // With keyset pagination, the URL names the item before the page instead.
  if (number <= 1) return url.href;
  // A host with a lower limit also counts its pages by that.
  if (previousCount !== size) return undefined;
  url.searchParams.set("page", String(2 * number - 1));
  return url.href;
}

function pageSizeOf({ searchParams }: URL): number | undefined {
  const size = searchParams.get("per_page") ?? "";
  return /^\d{1,4}$/.test(size) ? Number(size) : undefined;
}

const Members = z.array(
  z.object({
    username: shortText,
    state: z.string(),
    /** Only editions that count seats have it: a member may still wait for one. */
    membership_state: z.string().nullish(),
    access_level: z.int(),
  }),
);

/** The access level of reporters, the lowest that can read the code of private projects. */
const minAccessLevel = 20;

/** Lists members of the project, of the groups around it, and of groups that were invited. */
function readersOf(api: string): ReaderApi {
  return {
    kind: "list",
    url: ({ hostId }) => `${api}/projects/${encodeURIComponent(hostId)}/members/all?per_page=${maxPageSize}`,
    page({ body, headers, url }) {
      const members = Members.parse(body);
      const next = nextQuery(headers, url);
      const active = members.filter(
        ({ state, membership_state: membership, access_level: level }) =>
          state === "active" && (membership ?? "active") === "active" && level >= minAccessLevel,
      );
      return {
        logins: active.map(({ username }) => username),
        next,
        mayGrow: isFullLastPage(next, members.length, maxPageSize),
      };
    },
  };
}

/** Skips a project that waits for its deletion, because the list contains it under a changed name. */
function readProject(item: unknown, connection: GitlabConnection): HostRepository | undefined {
  const read = Project.parse(item);
  if (read.marked_for_deletion_on !== undefined || read.marked_for_deletion_at !== undefined)
    return undefined;
  return withoutUndefined({
    hostId: read.id,
    path: read.path_with_namespace,
    cloneUrl: cloneUrl(connection, `${read.path_with_namespace}.git`),
    webUrl: `${connection.url}/${read.path_with_namespace}`,
    defaultBranch: read.default_branch,
    visibility: visibilityOf(read, connection),
    isFork: typeof read.forked_from_project === "object" && read.forked_from_project !== null,
    isArchived: read.archived,
    isDisabled: read.repository_access_level === "disabled",
    isEmpty: read.empty_repo,
    isMirror: read.mirror,
    stars: read.star_count,
    topics: read.topics,
  });
}

function visibilityOf(
  { visibility, repository_access_level: codeAccess }: z.output<typeof Project>,
  { token }: GitlabConnection,
): HostRepository["visibility"] {
  // Everyone sees the project, but only its members see the code.
  if (codeAccess === "private") return "private";
  return visibility ?? (token === undefined ? "public" : "private");
}

async function identify(requests: Requests, { token }: GitlabConnection, api: string, signal: AbortSignal) {
  if (token === undefined) {
    return await requests.get(`${api}/projects?per_page=1&order_by=id&sort=asc`, () => ({}), signal);
  }
  const read = ({ body }: HostResponse) => ({
    account: z.object({ username: shortText }).parse(body).username,
  });
  return await requests.get(`${api}/user`, read, signal);
}
