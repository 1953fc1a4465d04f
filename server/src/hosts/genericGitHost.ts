/** Any git server: repositories that the connection names, or those in a manifest as grokmirror writes it. */
import * as z from "zod";
import { type Adapter, type Scope, scopeOf } from "./adapter";
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

type GenericConnection = ConnectionOf<"genericGitHost">;

/** An entry of a manifest. */
const Entry = z.object({
  /** Where the repository is, below the host. */
  location: z.string().min(2).max(1000),
  /** Changes with every ref. */
  fingerprint: optionalText,
  /** Seconds since 1970. */
  modified: z.number().min(0).optional().catch(undefined),
});

export function createGenericGitHost(connection: GenericConnection): Adapter {
  const { url, user: gitUser = "git" } = connection;
  const manifestUrl = manifestUrlOf(connection);
  const page = ({ body }: HostResponse) => ({ items: itemsByName(body, "location") });
  return {
    api: {
      base: url,
      headers: userAgent,
      authorize: (token) => ({ authorization: basicAuthorization(gitUser, token) }),
      format: "gzipJson",
    },
    scopes: scopesOf(connection, manifestUrl),
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
      lookUp(repository.path, connection, manifestUrl, requests, signal),
    async identify(requests, signal) {
      return manifestUrl === undefined ? {} : await requests.get(manifestUrl, page, signal).then(() => ({}));
    },
    gitUser,
  };
}

function manifestUrlOf({ url, include: { manifest } }: GenericConnection): string | undefined {
  return manifest === undefined ? undefined : `${url}/${manifest.replace(/^\//, "")}`;
}

function scopesOf(connection: GenericConnection, manifestUrl: string | undefined): readonly Scope[] {
  const { repos } = connection.include;
  return [
    ...repos.map((path): Scope => {
      return { name: `repo:${path}`, kind: "fixed", repositories: [repositoryAt(path, connection)] };
    }),
    ...(manifestUrl === undefined ? [] : [scopeOf("manifest", "list", manifestUrl)]),
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
