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

const MoreProjects = z.object({ _more_projects: z.literal(true) });

const pageSize = 500;
/** A hidden project responds so to users who do not own it. Nobody may fetch it. */
const hiddenStatus = 409;

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
      absenceStatuses: [hiddenStatus],
    },
    scopes: scopesOf(connection, api),
    page: readPage,
    repository: (item) => readProject(item, connection),
    lookUpUrl: ({ path }) => projectUrl(api, path),
    identify: (requests, signal) => identify(requests, connection, api, signal),
    gitUser,
  };
}

function scopesOf({ include }: GerritConnection, api: string): readonly ListedScope[] {
  return [
    ...(include.all ? [scopeOf("all", "list", `${api}/projects/?type=CODE&n=${pageSize}&S=0`)] : []),
    ...include.repos.map((name) => scopeOf(`repo:${name}`, "one", projectUrl(api, name))),
  ];
}

function projectUrl(api: string, name: string): string {
  return `${api}/projects/${encodeURIComponent(name)}`;
}

/**
 * A page maps names to projects; the last one says whether there are more.
 *
 * The server takes `n` projects from the offset `S`, and then drops those without code. So a page may be empty although
 * there are more. Then the same page of all types says how far to go.
 */
function readPage({ body, url }: HostResponse): Page {
  const entries = itemsByName(body, "name");
  const hasMore = MoreProjects.safeParse(entries.at(-1)).success;
  const next = new URL(url);
  const parameters = next.searchParams;
  const isCode = parameters.get("type") === "CODE";
  if (isCode && entries.length === 0) {
    parameters.set("type", "ALL");
    return { items: [], next: next.href };
  }
  const items = isCode ? entries : [];
  if (!hasMore) return { items };
  parameters.set("type", "CODE");
  // Projects that were dropped are part of the offset, so the next page may repeat some, but skips none.
  parameters.set("S", String(Number(parameters.get("S") ?? 0) + entries.length));
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
