/** Addresses of pages: this service's own, and the code host's. Everything is percent-encoded, segment by segment. */
import type { Repository } from "#model/repository";

/** Page that opens a file, or the repository where `path` is empty; `""` where the caller used no address. */
export function browseUrl(
  baseUrl: string | undefined,
  repositoryName: string,
  revision: string | undefined,
  path: string,
): string {
  if (baseUrl === undefined) return "";
  const at = revision === undefined ? "" : `@${segments(revision)}`;
  const view = path === "" ? "tree" : "blob";
  return `${baseUrl}/browse/${segments(repositoryName)}${at}/-/${view}/${segments(path)}`;
}

/** `ref` is a full ref name, or `HEAD` where it is detached, in which case `commit` tells more. */
export function hostFileUrl(repository: Repository, ref: string, commit: string, path: string): string {
  const { codeHostType, hostUrl } = repository;
  if (hostUrl === undefined) return "";
  const base = hostUrl.replace(/\/+$/, "");
  const revision = revisionOf(ref, commit);
  const name = segments(revision.name);
  const file = segments(path);
  switch (codeHostType) {
    case "github":
      return `${base}/blob/${name}/${file}`;
    case "gitlab":
      return `${base}/-/blob/${name}/${file}`;
    case "gitea":
      return `${base}/src/${revision.kind}/${name}/${file}`;
    case "gerrit":
      return `${base}/+/${name}/${file}`;
    case "bitbucketServer":
      return `${base}/browse/${file}?at=${encoded(revision.name)}`;
    case "bitbucketCloud":
      return `${base}/src/${name}/${file}`;
    case "azuredevops": {
      const version = { branch: "GB", tag: "GT", commit: "GC" }[revision.kind] + revision.name;
      return `${base}?path=${encoded(`/${path}`)}&version=${encoded(version)}`;
    }
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
