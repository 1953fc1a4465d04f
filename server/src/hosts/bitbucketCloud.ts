/** Bitbucket Cloud: bitbucket.org. */
import * as z from "zod";
import { type Adapter, type ListedScope, type Page, scopeOf } from "./adapter";
import type { HostIdentity, HostRepository } from "./codeHost";
import type { ConnectionOf } from "./connection";
import {
  basicAuthorization,
  cloneUrl,
  optionalCount,
  optionalText,
  shortText,
  userAgent,
  withoutUndefined,
} from "./fields";
import type { HostResponse, Requests } from "./requests";
import { encodePath } from "./urls";

type BitbucketConnection = ConnectionOf<"bitbucketCloud">;

const url = "https://bitbucket.org";

const Repository = z.object({
  uuid: shortText,
  full_name: shortText,
  is_private: z.boolean(),
  /** The parent of a fork. */
  parent: z.unknown().optional(),
  mainbranch: z.object({ name: optionalText }).nullish(),
  /** Bytes. */
  size: optionalCount,
});

export function createBitbucketCloud(
  connection: BitbucketConnection,
  api = "https://api.bitbucket.org/2.0",
): Adapter {
  const { user } = connection;
  const gitUser = connection.gitUser ?? (user === undefined ? "x-token-auth" : "x-bitbucket-api-token-auth");
  return {
    api: {
      base: api,
      headers: userAgent,
      // API tokens go with an email address, access tokens with nothing.
      authorize: (token) => ({
        authorization: user === undefined ? `Bearer ${token}` : basicAuthorization(user, token),
      }),
    },
    scopes: scopesOf(connection, api),
    page: readPage,
    repository: (item) => readRepository(item, connection),
    lookUpUrl({ hostId, path }) {
      const [workspace = ""] = path.split("/");
      return `${api}/repositories/${encodePath(`${workspace}/${hostId}`)}`;
    },
    identify: (requests, signal) => identify(requests, connection, api, signal),
    gitUser,
  };
}

// Pages without an order may omit repositories.
const listParameters = "pagelen=100&sort=created_on";

function scopesOf({ include }: BitbucketConnection, api: string): readonly ListedScope[] {
  return [
    ...include.workspaces.map((workspace) =>
      scopeOf(
        `workspace:${workspace}`,
        "list",
        `${api}/repositories/${encodePath(workspace)}?${listParameters}`,
      ),
    ),
    ...include.projects.map((path) => {
      const [workspace = "", key = ""] = path.split("/");
      const query = encodeURIComponent(`project.key=${JSON.stringify(key)}`);
      return scopeOf(
        `project:${path}`,
        "list",
        `${api}/repositories/${encodeURIComponent(workspace)}?${listParameters}&q=${query}`,
      );
    }),
    ...include.repos.map((path) => scopeOf(`repo:${path}`, "one", `${api}/repositories/${encodePath(path)}`)),
  ];
}

function readPage({ body }: HostResponse): Page {
  const Paged = z.object({ values: z.array(z.unknown()), next: z.string().optional(), size: optionalCount });
  const { values, next, size } = Paged.parse(body);
  return { items: values, next, total: size };
}

function readRepository(item: unknown, connection: BitbucketConnection): HostRepository {
  const read = Repository.parse(item);
  return withoutUndefined({
    hostId: read.uuid,
    path: read.full_name,
    cloneUrl: cloneUrl({ url, cloneUrlBase: connection.cloneUrlBase }, `${read.full_name}.git`),
    webUrl: `${url}/${encodePath(read.full_name)}`,
    defaultBranch: read.mainbranch?.name,
    visibility: read.is_private ? "private" : "public",
    isFork: typeof read.parent === "object" && read.parent !== null,
    isArchived: false,
    isDisabled: false,
    isEmpty: read.mainbranch === null ? true : undefined,
    sizeBytes: read.size,
  } as const);
}

/** Asks for a repository of the first scope, because not every kind of token may ask who it is. */
async function identify(
  requests: Requests,
  { include }: BitbucketConnection,
  api: string,
  signal: AbortSignal,
): Promise<HostIdentity> {
  const first = include.workspaces[0] ?? include.projects[0] ?? include.repos[0] ?? "";
  const [workspace = ""] = first.split("/");
  const read = ({ headers }: HostResponse) => {
    const scopes = headers["x-oauth-scopes"]?.split(",").flatMap((scope) => scope.trim() || []);
    return withoutUndefined({ scopes });
  };
  return await requests.get(`${api}/repositories/${encodePath(workspace)}?pagelen=1`, read, signal);
}
