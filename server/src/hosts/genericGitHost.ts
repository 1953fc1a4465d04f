/**
 * Any git server: repositories that the connection names, or those in a manifest as grokmirror writes it, or in the
 * lists of Gitiles and cgit.
 */
import * as z from "zod";
import { type Adapter, type Page, type Scope, scopeOf } from "./adapter";
import { readCgitPage } from "./cgit";
import type { HostRepository, LookUp } from "./codeHost";
import type { ConnectionOf } from "./connection";
import {
  basicAuthorization,
  cloneUrl,
  itemsByName,
  optionalText,
  userAgent,
  withoutUndefined,
} from "./fields";
import type { HostResponse, Requests } from "./requests";
import { isBelow } from "./urls";

type GenericConnection = ConnectionOf<"genericGitHost">;

/** An entry of a manifest. */
const Entry = z.object({
  /** Where the repository is, below the host. */
  location: z.string().min(1).max(1000),
  /** Changes with every ref. */
  fingerprint: optionalText,
  /** Seconds since 1970. */
  modified: z.number().min(0).optional().catch(undefined),
});

/** What Gitiles prints before JSON, so that it is not run as a script. */
const gitilesPrefix = ")]}'\n";

export function createGenericGitHost(connection: GenericConnection): Adapter {
  const { url, user: gitUser = "git" } = connection;
  const urls = listUrlsOf(connection);
  const page = (response: HostResponse) => readPage(response, url);
  const [firstList] = Object.values(urls).filter(Boolean);
  return {
    api: {
      base: url,
      headers: userAgent,
      authorize: (token) => ({ authorization: basicAuthorization(gitUser, token) }),
      bodyOf(requested) {
        if (urls.cgit !== undefined && isSamePage(requested, urls.cgit)) return { format: "html" };
        if (urls.gitiles !== undefined && isSamePage(requested, urls.gitiles))
          return { format: "json", prefix: gitilesPrefix };
        return { format: "gzipJson" };
      },
    },
    scopes: scopesOf(connection, urls),
    page,
    repository(item) {
      const { location, fingerprint, modified } = Entry.parse(item);
      const pushedAt = modified === undefined ? undefined : modified * 1000;
      return {
        ...repositoryAt(location.replace(/^\//, ""), connection),
        ...withoutUndefined({ fingerprint, pushedAt }),
      };
    },
    lookUpUrl: () => url,
    lookUp: (repository, requests, signal) =>
      lookUp(repository.path, connection, urls.manifest, requests, signal),
    async identify(requests, signal) {
      return firstList === undefined ? {} : await requests.get(firstList, page, signal).then(() => ({}));
    },
    gitUser,
  };
}

type ListUrls = Readonly<Record<"manifest" | "gitiles" | "cgit", string | undefined>>;

function listUrlsOf({ url, include: { manifest, gitiles, cgit } }: GenericConnection): ListUrls {
  const below = (path: string | undefined) =>
    path === undefined ? undefined : `${url}/${path.replace(/^\/+/, "")}`;
  const gitilesUrl = below(gitiles);
  return {
    manifest: below(manifest),
    gitiles: gitilesUrl && `${gitilesUrl.replace(/\/*$/, "/")}?format=JSON`,
    cgit: below(cgit),
  };
}

/** Whether two URLs differ at most by their queries and a slash. */
function isSamePage(one: string, other: string): boolean {
  const [left, right] = [one, other].map((each) => new URL(each).pathname.replace(/\/+$/, ""));
  return left === right;
}

function readPage({ body, url: pageUrl }: HostResponse, hostUrl: string): Page {
  if (typeof body !== "string") return { items: itemsByName(body, "location") };
  const { links, next } = readCgitPage(body, pageUrl);
  const items = links.map((link) => ({ location: link && pathBelow(link, hostUrl) }));
  return { items, next, mayGrow: next === undefined };
}

/** Returns the path of a URL below that of the host; `undefined` if it is elsewhere, or its encoding is malformed. */
function pathBelow(link: string, hostUrl: string): string | undefined {
  if (!isBelow(link, hostUrl)) return undefined;
  const start = new URL(hostUrl).pathname.replace(/\/+$/, "").length + 1;
  const { pathname, search } = new URL(link);
  try {
    return search === "" ? decodeURIComponent(pathname.slice(start)).replace(/\/+$/, "") : undefined;
  } catch {
    return undefined;
  }
}

function scopesOf(connection: GenericConnection, urls: ListUrls): readonly Scope[] {
  const { repos } = connection.include;
  const listed = Object.entries(urls).flatMap(([name, url]) =>
    url === undefined ? [] : [scopeOf(name, "list", url)],
  );
  return [
    ...repos.map((path): Scope => {
      return { name: `repo:${path}`, kind: "fixed", repositories: [repositoryAt(path, connection)] };
    }),
    ...listed,
  ];
}

function repositoryAt(location: string, connection: GenericConnection): HostRepository {
  const path = location.replace(/\.git$/, "");
  return {
    hostId: path,
    path,
    cloneUrl: cloneUrl(connection, location),
    visibility: connection.token === undefined ? "public" : "private",
    isFork: false,
    isArchived: false,
    isDisabled: false,
  };
}

/** Only a manifest says that a repository is gone. */
async function lookUp(
  path: string,
  connection: GenericConnection,
  manifestUrl: string | undefined,
  requests: Requests,
  signal: AbortSignal,
): Promise<LookUp> {
  if (manifestUrl === undefined) {
    return { kind: "unknown", problem: { message: "The host cannot be asked whether a repository exists." } };
  }
  // The fragment is not sent. It tells what is kept of the manifest from the pages of its list.
  const locations = await requests.getPage(
    `${manifestUrl}#locations`,
    ({ body }) => Object.keys(z.record(z.string(), z.unknown()).parse(body)),
    () => true,
    signal,
  );
  const found = locations.find((location) => location.replace(/^\/|\.git$/g, "") === path);
  if (found === undefined) return { kind: "gone", status: 404 };
  return { kind: "present", repository: repositoryAt(found.replace(/^\//, ""), connection) };
}
