/** From the nouns of the house to the contract. */
import type { RepositoryInfo, RepositoryItem } from "#contract/repositories";
import type * as contract from "#contract/search";
import type { FileMatch } from "#model/match";
import type { Repository } from "#model/repository";
import { browseUrl, hostFileUrl, hostRepositoryUrl } from "./webLinks";

export function presentFile(
  file: FileMatch,
  repository: Repository,
  baseUrl: string | undefined,
): contract.FileMatch {
  const { path, branches, commit } = file;
  const [branch] = branches;
  return {
    fileName: { text: path, matchRanges: mutable(file.nameRanges) },
    webUrl: browseUrl(baseUrl, repository.name, branch ?? repository.defaultRevision, path),
    repository: repository.name,
    repositoryId: repository.id,
    language: file.language,
    chunks: mutable(file.chunks) as contract.Chunk[],
    externalWebUrl: hostFileUrl(repository, branch ?? repository.defaultRevision ?? "HEAD", commit, path),
    branches: mutable(branches),
    content: file.content,
    origin: file.origin,
    commit,
    blobSha: file.blobSha,
    ...(file.explanation === undefined ? {} : { explanation: file.explanation }),
  };
}

/** A repository in place of a file, as `type:repo` asks for: its name is what matched. */
export function presentFoundRepository(
  repository: Repository,
  baseUrl: string | undefined,
): contract.FileMatch {
  const { id, name, defaultRevision, revisions } = repository;
  const end = {
    byteOffset: new TextEncoder().encode(name).length,
    lineNumber: 1,
    column: [...name].length + 1,
  };
  return {
    fileName: { text: name, matchRanges: [{ start: { byteOffset: 0, lineNumber: 1, column: 1 }, end }] },
    webUrl: browseUrl(baseUrl, name, defaultRevision, ""),
    repository: name,
    repositoryId: id,
    language: "",
    chunks: [],
    externalWebUrl: hostRepositoryUrl(repository),
    branches: defaultRevision === undefined ? [] : [defaultRevision],
    content: "",
    origin: "commit",
    commit: revisions.find((revision) => revision.name === defaultRevision)?.commit ?? "",
    blobSha: "",
  };
}

export function presentRepositoryInfo(repository: Repository, baseUrl: string | undefined): RepositoryInfo {
  const { id, name, displayName = name, codeHostType, defaultRevision } = repository;
  return {
    id,
    name,
    displayName,
    webUrl: browseUrl(baseUrl, name, defaultRevision, ""),
    externalWebUrl: hostRepositoryUrl(repository),
    codeHostType,
  };
}

export function presentRepository(
  repository: Repository,
  baseUrl: string | undefined,
  states: Pick<RepositoryItem, "isPolled" | "symbolsReady">,
): RepositoryItem {
  const { displayName, defaultRevision, indexedAt, pushedAt, lastError, state } = repository;
  const externalWebUrl = hostRepositoryUrl(repository);
  return {
    repoId: repository.id,
    repoName: repository.name,
    ...(displayName === undefined ? {} : { repoDisplayName: displayName }),
    codeHostType: repository.codeHostType,
    webUrl: browseUrl(baseUrl, repository.name, defaultRevision, ""),
    ...(externalWebUrl === "" ? {} : { externalWebUrl }),
    ...(defaultRevision === undefined
      ? {}
      : { defaultBranch: defaultRevision.replace(/^refs\/heads\//, "") }),
    ...(indexedAt === undefined ? {} : { indexedAt: new Date(indexedAt).toISOString() }),
    ...(pushedAt === undefined ? {} : { pushedAt: new Date(pushedAt).toISOString() }),
    isFork: repository.isFork,
    isArchived: repository.isArchived,
    revisions: repository.revisions.map(({ name, commit }) => ({ name, commit })),
    state,
    progress: state === "ready" ? 1 : (repository.progress ?? 0),
    ...(lastError === undefined ? {} : { lastError }),
    documentCount: repository.documentCount,
    skippedCount: repository.skippedCount,
    contentBytes: repository.contentBytes,
    indexBytes: repository.indexBytes,
    ...states,
  };
}

/** An answer may hold a hundred thousand ranges: they are handed on, not copied. Nobody changes them. */
function mutable<Item>(items: readonly Item[]): Item[] {
  return items as Item[];
}
