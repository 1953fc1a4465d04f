/** Azure DevOps Services, and Azure DevOps Server, whose collections take the part of organizations. */
import * as z from "zod";
import { type Adapter, type ListedScope, type Page, scopeOf } from "./adapter";
import type { HostIdentity, HostRepository } from "./codeHost";
import type { ConnectionOf } from "./connection";
import {
  basicAuthorization,
  cloneUrl,
  isTrue,
  optionalCount,
  optionalText,
  shortText,
  userAgent,
  withoutUndefined,
} from "./fields";
import type { HostResponse, Requests } from "./requests";
import { encodePath } from "./urls";

type AzureConnection = ConnectionOf<"azuredevops">;

/** Names are segments of paths. */
const name = shortText.refine((text) => !text.includes("/"), { error: "contains a slash" });

const Repository = z.object({
  /** A GUID, which stays the same when the repository moves to another project. */
  id: shortText,
  name,
  project: z.object({ name, visibility: optionalText }),
  /** A full ref name; absent if the repository is empty. */
  defaultBranch: optionalText,
  /** Bytes. */
  size: optionalCount,
  isDisabled: isTrue,
  isInMaintenance: isTrue,
  isFork: isTrue,
});

const gitUser = "git";

export function createAzureDevOps(connection: AzureConnection): Adapter {
  const { url } = connection;
  return {
    api: {
      base: url,
      headers: { ...userAgent, accept: "application/json" },
      authorize: (token) => ({ authorization: basicAuthorization("", token) }),
    },
    scopes: scopesOf(connection),
    page: readPage,
    repository: (item, responseUrl) => readRepository(item, connection, organizationIn(responseUrl, url)),
    lookUpUrl({ hostId, path }) {
      const [organization = ""] = path.split("/");
      return repositoriesUrl(connection, organization, encodeURIComponent(hostId));
    },
    identify: (requests, signal) => identify(requests, connection, signal),
    gitUser,
  };
}

/** `parent` is an organization, or an organization and a project. */
function repositoriesUrl(connection: AzureConnection, parent: string, encodedRepository?: string): string {
  const list = `${connection.url}/${encodePath(parent)}/_apis/git/repositories`;
  return `${encodedRepository === undefined ? list : `${list}/${encodedRepository}`}?${versionOf(connection)}`;
}

/** Releases of the server know only versions up to their own. */
function versionOf({ url }: AzureConnection): string {
  return new URL(url).hostname === "dev.azure.com" ? "api-version=7.1" : "api-version=5.0";
}

/** The list of an organization contains all of its projects. */
function scopesOf(connection: AzureConnection): readonly ListedScope[] {
  const { orgs, projects, repos } = connection.include;
  return [
    ...orgs.map((org) => scopeOf(`org:${org}`, "list", repositoriesUrl(connection, org))),
    ...projects.map((path) => scopeOf(`project:${path}`, "list", repositoriesUrl(connection, path))),
    ...repos.map((path) => {
      const at = path.lastIndexOf("/");
      const repository = encodeURIComponent(path.slice(at + 1));
      return scopeOf(`repo:${path}`, "one", repositoriesUrl(connection, path.slice(0, at), repository));
    }),
  ];
}

function readPage({ body, headers, url }: HostResponse): Page {
  const { value, count } = z.object({ value: z.array(z.unknown()), count: z.int().min(0) }).parse(body);
  const continuation = headers["x-ms-continuationtoken"];
  // Without a token there are no more pages, so all that are counted must be here.
  if (continuation === undefined) {
    const warning =
      value.length === count ? undefined : "The host returned fewer repositories than it counted.";
    return { items: value, warning };
  }
  const next = new URL(url);
  next.searchParams.set("continuationToken", continuation);
  return { items: value, next: next.href };
}

function organizationIn(responseUrl: string, url: string): string {
  const path = responseUrl.slice(url.length + 1);
  return decodeURIComponent(path.slice(0, path.indexOf("/")));
}

function readRepository(item: unknown, connection: AzureConnection, organization: string): HostRepository {
  const read = Repository.parse(item);
  const visibility = read.project.visibility;
  const gitPath = `${organization}/${read.project.name}/_git/${read.name}`;
  return withoutUndefined({
    hostId: read.id,
    path: `${organization}/${read.project.name}/${read.name}`,
    cloneUrl: cloneUrl(connection, gitPath),
    webUrl: `${connection.url}/${encodePath(gitPath)}`,
    defaultBranch: read.defaultBranch?.replace(/^refs\/heads\//, ""),
    visibility: visibility === "public" ? "public" : visibility === "organization" ? "internal" : "private",
    isFork: read.isFork,
    isArchived: false,
    isDisabled: read.isDisabled || read.isInMaintenance,
    isEmpty: read.defaultBranch === undefined,
    sizeBytes: read.size,
  } as const);
}

/** Asks for the projects of the first organization: tokens belong to one organization. */
async function identify(
  requests: Requests,
  connection: AzureConnection,
  signal: AbortSignal,
): Promise<HostIdentity> {
  const { orgs, projects, repos } = connection.include;
  const [organization = ""] = (orgs[0] ?? projects[0] ?? repos[0] ?? "").split("/");
  const url = `${connection.url}/${encodePath(organization)}/_apis/projects?$top=1&${versionOf(connection)}`;
  return await requests.get(url, () => ({}), signal);
}
