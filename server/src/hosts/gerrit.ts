/** Gerrit. Projects have no id, so a renamed project is another one. */
import * as z from "zod";
import { type Adapter, type ListedScope, type Page, scopeOf } from "./adapter";
import type { HostRepository } from "./codeHost";
import type { ConnectionOf } from "./connection";
import { basicAuthorization, cloneUrl, itemsByName, shortText, userAgent, withoutUndefined } from "./fields";
import type { HostResponse, Requests } from "./requests";

type GerritConnection = ConnectionOf<"gerrit">;

const Project = z.object({
  name: shortText,
  state: z.enum(["ACTIVE", "READ_ONLY", "HIDDEN"]).default("ACTIVE"),
  web_links: z
    .array(z.object({ url: z.string().max(2000) }))
    .optional()
    .catch(undefined),
});

const pageSize = 500;

export function createGerrit(connection: GerritConnection): Adapter {
  // Below `/a/`, wrong credentials are refused. Elsewhere they are ignored, and only public projects are listed.
  const api = connection.token === undefined ? connection.url : `${connection.url}/a`;
  const gitUser = connection.user ?? "";
  return {
    api: {
      base: api,
      headers: { ...userAgent, accept: "application/json" },
      authorize: (token) => ({ authorization: basicAuthorization(gitUser, token) }),
      jsonPrefix: ")]}'",
    },
    scopes: scopesOf(connection, api),
    page: readPage,
    repository: (item) => readProject(item, connection),
    lookUpUrl: ({ path }) => `${api}/projects/${encodeURIComponent(path)}`,
    identify: (requests, signal) => identify(requests, connection, api, signal),
    gitUser,
  };
}

function scopesOf({ include }: GerritConnection, api: string): readonly ListedScope[] {
  return [
    ...(include.all ? [scopeOf("all", "list", `${api}/projects/?type=CODE&n=${pageSize}&S=0`)] : []),
    ...include.repos.map((name) =>
      scopeOf(`repo:${name}`, "one", `${api}/projects/${encodeURIComponent(name)}`),
    ),
  ];
}

/** A page maps names to projects; the last one says whether there are more. */
function readPage({ body, url }: HostResponse): Page {
  const items = itemsByName(body, "name");
  const { success: hasMore } = z.object({ _more_projects: z.literal(true) }).safeParse(items.at(-1));
  if (!hasMore) return { items };
  const next = new URL(url);
  next.searchParams.set("S", String(Number(next.searchParams.get("S") ?? 0) + items.length));
  return { items, next: next.href };
}

function readProject(item: unknown, connection: GerritConnection): HostRepository {
  const { name, state, web_links: [link] = [] } = Project.parse(item);
  const isAnonymous = connection.token === undefined;
  return withoutUndefined({
    hostId: name,
    path: name,
    cloneUrl: cloneUrl(connection, isAnonymous ? name : `a/${name}`),
    webUrl: webUrl(link?.url, connection.url),
    visibility: isAnonymous ? "public" : "private",
    isFork: false,
    isArchived: state === "READ_ONLY",
    isDisabled: state === "HIDDEN",
  } as const);
}

/** Resolves the link to the code browser, which may be relative. Accepts only links to the same host. */
function webUrl(link: string | undefined, hostUrl: string): string | undefined {
  if (link === undefined || !URL.canParse(link, `${hostUrl}/`)) return undefined;
  const url = new URL(link, `${hostUrl}/`);
  return url.origin === new URL(hostUrl).origin && url.username + url.password === "" ? url.href : undefined;
}

async function identify(requests: Requests, { token }: GerritConnection, api: string, signal: AbortSignal) {
  if (token === undefined) return await requests.get(`${api}/config/server/version`, () => ({}), signal);
  const Account = z.object({ username: shortText.optional(), email: shortText.optional() });
  const read = ({ body }: HostResponse) => {
    const { username, email } = Account.parse(body);
    return withoutUndefined({ account: username ?? email });
  };
  return await requests.get(`${api}/accounts/self`, read, signal);
}
