/** Addresses of pages: this service's own, and the code host's. Everything is percent-encoded, segment by segment. */
import type { Repository } from "#model/repository";
import type { LineStretch } from "./history";

/**
 * Page that opens a file, a folder (`view` is `tree`), or the repository where `path` is empty; `""` where the caller
 * used no address.
 */
export function browseUrl(
  baseUrl: string | undefined,
  repositoryName: string,
  revision: string | undefined,
  path: string,
  view: "blob" | "tree" = path === "" ? "tree" : "blob",
): string {
  if (baseUrl === undefined) return "";
  const at = revision === undefined ? "" : `@${segments(revision)}`;
  return `${baseUrl}/browse/${segments(repositoryName)}${at}/-/${view}/${segments(path)}`;
}

/** A page of this service with lines marked; `url` may be empty. */
export function withLines(url: string, lines: LineStretch | undefined): string {
  return url === "" || lines === undefined ? url : `${url}#${stretch(lines, "L", "-L")}`;
}

/**
 * `ref` is a full ref name, or `HEAD` where it is detached, in which case `commit` tells more. `lines` are marked as far
 * as the host can do so.
 */
export function hostFileUrl(
  repository: Repository,
  ref: string,
  commit: string,
  path: string,
  lines?: LineStretch,
): string {
  const { codeHostType, hostUrl } = repository;
  if (hostUrl === undefined) return "";
  const base = hostUrl.replace(/\/+$/, "");
  const revision = revisionOf(ref, commit);
  const name = segments(revision.name);
  const file = segments(path);
  const marked = lines === undefined ? "" : marks[codeHostType](lines);
  switch (codeHostType) {
    case "github":
      return `${base}/blob/${name}/${file}${marked}`;
    case "gitlab":
      return `${base}/-/blob/${name}/${file}${marked}`;
    case "gitea":
      return `${base}/src/${revision.kind}/${name}/${file}${marked}`;
    case "gerrit":
      return `${base}/+/${name}/${file}${marked}`;
    case "bitbucketServer":
      return `${base}/browse/${file}?at=${encoded(revision.name)}${marked}`;
    case "bitbucketCloud":
      return `${base}/src/${name}/${file}${marked}`;
    case "azuredevops": {
      const version = { branch: "GB", tag: "GT", commit: "GC" }[revision.kind] + revision.name;
      return `${base}?path=${encoded(`/${path}`)}&version=${encoded(version)}${marked}`;
    }
    case "genericGitHost":
      return "";
  }
}

/** What hosts want behind the address of a file. */
const marks: Readonly<Record<Repository["codeHostType"], (lines: LineStretch) => string>> = {
  github: (lines) => `#${stretch(lines, "L", "-L")}`,
  gitlab: (lines) => `#${stretch(lines, "L", "-")}`,
  gitea: (lines) => `#${stretch(lines, "L", "-L")}`,
  // It knows single lines only.
  gerrit: ({ first }) => `#${first}`,
  bitbucketServer: (lines) => `#${stretch(lines, "", "-")}`,
  bitbucketCloud: (lines) => `#${stretch(lines, "lines-", ":")}`,
  // The end is the first column of the line behind it.
  azuredevops: ({ first, last }) =>
    `&line=${first}&lineEnd=${last + 1}&lineStartColumn=1&lineEndColumn=1&lineStyle=plain`,
  genericGitHost: () => "",
};

function stretch({ first, last }: LineStretch, before: string, between: string): string {
  return `${before}${first}${last === first ? "" : `${between}${last}`}`;
}

/** Page that shows a commit; `""` where the caller used no address. */
export function commitUrl(baseUrl: string | undefined, repositoryName: string, commit: string): string {
  return baseUrl === undefined ? "" : `${baseUrl}/browse/${segments(repositoryName)}/-/commit/${commit}`;
}

/** The code host's page of a commit. */
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

/** The code host's page of the repository itself. */
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

function segments(path: string): string {
  return path.split("/").map(encoded).join("/");
}

/** Half of a surrogate pair cannot be encoded; names on Windows may hold one. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\u{fffd}"));
}
