/** Builds URLs of pages of this service and of code hosts. Each path segment is percent-encoded. */
import { toWellFormed } from "#contract/snapshotUri";
import type { Repository } from "#model/repository";

/** Lines of a file, from 1, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns this service's URL of a file, of a folder (`view` is `tree`) or, if `path` is empty, of the repository; for
 * other views, of another page about the path. Returns `""` if there is no base URL.
 */
export function browseUrl(
  baseUrl: string | undefined,
  repositoryName: string,
  revision: string | undefined,
  path: string,
  view: "blob" | "tree" | "raw" | "commits" | "authors" | "refs" | "find" | "compare" = path === ""
    ? "tree"
    : "blob",
): string {
  if (baseUrl === undefined) return "";
  const at = revision === undefined ? "" : `@${encodeName(revision)}`;
  return `${baseUrl}/browse/${encodeName(repositoryName)}${at}/-/${view}/${encodePath(path)}`;
}

/** Adds an anchor for `lines` to a URL of this service. An empty URL stays empty. */
export function addLineAnchor(url: string, lines: LineRange | undefined): string {
  return url === "" || lines === undefined ? url : `${url}#${lineAnchor(lines, "L", "-L")}`;
}

/**
 * Returns the code host's URL of a file, or `""` if it has none. `ref` is a full ref name; for any other value, such as
 * `HEAD` or `""`, the URL uses `commit`. `lines` are selected if the host supports it.
 */
export function hostFileUrl(
  repository: Repository,
  ref: string,
  commit: string,
  path: string,
  lines?: LineRange,
): string {
  const around = hostFileUrlAround(repository, ref, commit);
  if (around === undefined) return "";
  const fragment = lines === undefined ? "" : lineFragments[repository.codeHostType](lines);
  const file = around.isSegment ? encodeSegment(`/${path}`) : encodePath(path);
  return `${around.before}${file}${around.after}${fragment}`;
}

/** What precedes and follows the path of a file in a code host's URL. */
interface UrlAroundPath {
  readonly before: string;
  readonly after: string;
  /** Whether the path is encoded as one segment, with its slashes. */
  readonly isSegment: boolean;
}

/** Returns the parts of `hostFileUrl` that all files of a revision share, or undefined if the host has no such URLs. */
export function hostFileUrlAround(
  { codeHostType, hostUrl }: Repository,
  ref: string,
  commit: string,
): UrlAroundPath | undefined {
  if (hostUrl === undefined) return undefined;
  const base = hostUrl.replace(/\/+$/, "");
  const revision = revisionOf(ref, commit);
  const name = encodePath(revision.name);
  const around = (before: string, after = "", isSegment = false) => ({ before, after, isSegment });
  switch (codeHostType) {
    case "github":
      return around(`${base}/blob/${name}/`);
    case "gitlab":
      return around(`${base}/-/blob/${name}/`);
    case "gitea":
      return around(`${base}/src/${revision.kind}/${name}/`);
    case "gerrit":
      return around(`${base}/+/${name}/`);
    case "bitbucketServer":
      return around(`${base}/browse/`, `?at=${encodeSegment(revision.name)}`);
    case "bitbucketCloud":
      return around(`${base}/src/${name}/`);
    case "azuredevops": {
      const version = { branch: "GB", tag: "GT", commit: "GC" }[revision.kind] + revision.name;
      return around(`${base}?path=`, `&version=${encodeSegment(version)}`, true);
    }
    case "genericGitHost":
      return undefined;
  }
}

/** How each host selects lines in the URL of a file. */
const lineFragments: Readonly<Record<Repository["codeHostType"], (lines: LineRange) => string>> = {
  github: (lines) => `#${lineAnchor(lines, "L", "-L")}`,
  gitlab: (lines) => `#${lineAnchor(lines, "L", "-")}`,
  gitea: (lines) => `#${lineAnchor(lines, "L", "-L")}`,
  // Gerrit supports single lines only.
  gerrit: ({ first }) => `#${first}`,
  bitbucketServer: (lines) => `#${lineAnchor(lines, "", "-")}`,
  bitbucketCloud: (lines) => `#${lineAnchor(lines, "lines-", ":")}`,
  // The end is exclusive: the first column of the next line.
  azuredevops: ({ first, last }) =>
    `&line=${first}&lineEnd=${last + 1}&lineStartColumn=1&lineEndColumn=1&lineStyle=plain`,
  genericGitHost: () => "",
};

function lineAnchor({ first, last }: LineRange, before: string, between: string): string {
  return `${before}${first}${last === first ? "" : `${between}${last}`}`;
}

/** Returns this service's URL of a commit, or `""` if there is no base URL. */
export function commitUrl(baseUrl: string | undefined, repositoryName: string, commit: string): string {
  return baseUrl === undefined ? "" : `${baseUrl}/browse/${encodeName(repositoryName)}/-/commit/${commit}`;
}

/** Returns the code host's URL of a commit, or `""` if it has none. */
export function hostCommitUrl({ codeHostType, hostUrl }: Repository, commit: string): string {
  if (hostUrl === undefined) return "";
  const base = hostUrl.replace(/\/+$/, "");
  switch (codeHostType) {
    case "github":
    case "gitea":
    case "azuredevops":
      return `${base}/commit/${commit}`;
    case "gitlab":
      return `${base}/-/commit/${commit}`;
    case "gerrit":
      return `${base}/+/${commit}`;
    case "bitbucketServer":
    case "bitbucketCloud":
      return `${base}/commits/${commit}`;
    case "genericGitHost":
      return "";
  }
}

/** Returns the code host's URL of the repository itself, or `""` if it has none. */
export function hostRepositoryUrl({ codeHostType, hostUrl }: Repository): string {
  return codeHostType === "genericGitHost" ? "" : (hostUrl ?? "");
}

interface HostRevision {
  readonly kind: "branch" | "tag" | "commit";
  readonly name: string;
}

function revisionOf(ref: string, commit: string): HostRevision {
  if (ref.startsWith("refs/heads/")) return { kind: "branch", name: ref.slice("refs/heads/".length) };
  if (ref.startsWith("refs/tags/")) return { kind: "tag", name: ref.slice("refs/tags/".length) };
  return { kind: "commit", name: commit === "" ? "HEAD" : commit };
}

/** Encodes the name of a repository or a revision, in which `/-/` would end the name. */
function encodeName(name: string): string {
  return encodePath(name).replace(/(?<=^|\/)-(?=\/|$)/g, "%2D");
}

/** Characters that `encodeURIComponent` keeps. Most paths contain no others, and a response may contain 100,000 of them. */
const plainPath = /^[\w./-]*$/;

export function encodePath(path: string): string {
  if (plainPath.test(path)) return path;
  return path.split("/").map(encodeSegment).join("/");
}

function encodeSegment(text: string): string {
  return encodeURIComponent(toWellFormed(text));
}
