/** Bitbucket Data Center, formerly Server. */
import * as z from "zod";
import { type Adapter, type ListedScope, type Page, scopeOf } from "./adapter";
import type { HostRepository } from "./codeHost";
import type { ConnectionOf } from "./connection";
import {
  basicAuthorization,
  cloneUrl,
  isTrue,
  numericId,
  optionalText,
  shortText,
  userAgent,
} from "./fields";
import type { ReaderApi } from "./readers";
import type { HostResponse } from "./requests";
import { encodePath } from "./urls";

type BitbucketConnection = ConnectionOf<"bitbucketServer">;

const Repository = z.object({
  id: numericId,
  slug: shortText,
  project: z.object({ key: shortText }),
  public: isTrue,
  /** `AVAILABLE`, or what the server does with the repository. */
  state: optionalText,
  /** Only since version 8. */
  archived: isTrue,
  /** The parent of a fork. */
  origin: z.unknown().optional(),
});

export function createBitbucketServer(connection: BitbucketConnection): Adapter {
  const { url, user } = connection;
  const api = `${url}/rest/api/latest`;
  const gitUser = connection.gitUser ?? user ?? "x-token-auth";
  return {
    api: {
      base: api,
      headers: userAgent,
      authorize: (token) => ({
        authorization: user === undefined ? `Bearer ${token}` : basicAuthorization(user, token),
      }),
    },
    scopes: scopesOf(connection, api),
    page: readPage,
    repository: (item) => readRepository(item, connection),
    lookUpUrl: ({ path }) => repositoryUrl(api, path),
    looksUpByPath: true,
    readers: readersOf(api),
    async identify(requests, signal) {
      const read = ({ headers }: HostResponse) => headers["x-ausername"];
      const account = await requests.get(`${api}/projects?limit=1`, read, signal);
      return account === undefined ? {} : { account };
    },
    gitUser,
  };
}

function scopesOf({ include }: BitbucketConnection, api: string): readonly ListedScope[] {
  return [
    ...(include.all ? [scopeOf("all", "list", `${api}/repos?limit=1000&archived=ALL`)] : []),
    ...include.projects.map((key) =>
      scopeOf(`project:${key}`, "list", `${api}/projects/${encodePath(key)}/repos?limit=1000`),
    ),
    ...include.repos.map((path) => scopeOf(`repo:${path}`, "one", repositoryUrl(api, path))),
  ];
}

function repositoryUrl(api: string, path: string): string {
  const [key = "", slug = ""] = path.split("/");
  return `${api}/projects/${encodeURIComponent(key)}/repos/${encodeURIComponent(slug)}`;
}

const PagedResponse = z.discriminatedUnion("isLastPage", [
  z.object({ isLastPage: z.literal(true), values: z.array(z.unknown()) }),
  z.object({ isLastPage: z.literal(false), values: z.array(z.unknown()), nextPageStart: z.int().min(0) }),
]);

/** The next page begins where the server says: it may have skipped repositories that are not visible. */
function readPage({ body, url }: HostResponse): Page {
  const page = PagedResponse.parse(body);
  if (page.isLastPage) return { items: page.values };
  const next = new URL(url);
  next.searchParams.set("start", String(page.nextPageStart));
  return { items: page.values, next: next.href };
}

const Users = z.object({ name: shortText, active: z.boolean() });

/** Lists the users with a license who may read the repository, directly, through a group or through its project. */
function readersOf(api: string): ReaderApi {
  const filter = "permission.1=LICENSED_USER&permission.2=REPO_READ";
  return {
    kind: "list",
    url: ({ hostId }) =>
      `${api}/users?${filter}&permission.2.repositoryId=${encodeURIComponent(hostId)}&limit=1000`,
    // For a repository that does not exist, or that the token cannot see.
    refusals: [400],
    page(response) {
      const { items, next } = readPage(response);
      const users = z.array(Users).parse(items);
      return { logins: users.flatMap(({ name, active }) => (active ? [name] : [])), next };
    },
  };
}

function readRepository(item: unknown, connection: BitbucketConnection): HostRepository {
  const read = Repository.parse(item);
  const path = `${read.project.key}/${read.slug}`;
  return {
    hostId: read.id,
    path,
    cloneUrl: cloneUrl(connection, `scm/${path}.git`),
    webUrl: `${connection.url}/projects/${encodeURIComponent(read.project.key)}/repos/${encodeURIComponent(read.slug)}`,
    visibility: read.public ? "public" : "private",
    isFork: typeof read.origin === "object" && read.origin !== null,
    isArchived: read.archived,
    isDisabled: read.state !== undefined && read.state !== "AVAILABLE",
  };
}
