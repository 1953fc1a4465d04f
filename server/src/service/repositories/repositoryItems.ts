/** Converts repositories from the model to the contract. */
import type { RepositoryInfo, RepositoryItem } from "#contract/repositories";
import type { Eviction, Repository } from "#model/repository";
import { browseUrl, hostRepositoryUrl } from "./webLinks";

export function toRepositoryInfo(repository: Repository, baseUrl: string | undefined): RepositoryInfo {
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

/** Returns the number of searchable documents: indexed ones, and those that the working tree adds. */
export function documentCountOf({ documentCount, addedCount = 0 }: Repository): number {
  return documentCount + addedCount;
}

export function toRepositoryItem(
  repository: Repository,
  baseUrl: string | undefined,
  states: Pick<RepositoryItem, "isPolled" | "symbolsReady" | "dependencyCount" | "dependencyProblem">,
): RepositoryItem {
  const { formerNames, displayName, defaultRevision, indexedAt, pushedAt, lastError, state } = repository;
  const { eviction, evictedRevisions } = repository;
  const externalWebUrl = hostRepositoryUrl(repository);
  return {
    repoId: repository.id,
    repoName: repository.name,
    ...(formerNames === undefined ? {} : { formerNames: [...formerNames] }),
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
    ...(repository.stars === undefined ? {} : { stars: repository.stars }),
    ...(repository.topics === undefined ? {} : { topics: [...repository.topics] }),
    revisions: repository.revisions.map(({ name, commit }) => ({ name, commit })),
    state,
    progress: state === "ready" ? 1 : (repository.progress ?? 0),
    ...(lastError === undefined ? {} : { lastError }),
    ...(eviction === undefined ? {} : { evictedReason: evictedReason(eviction) }),
    ...(evictedRevisions === undefined ? {} : { evictedRevisions: [...evictedRevisions] }),
    documentCount: documentCountOf(repository),
    skippedCount: repository.skippedCount,
    contentBytes: repository.contentBytes + (repository.addedBytes ?? 0),
    indexBytes: repository.indexBytes,
    ...states,
  };
}

/** Says why a repository has no index, and how to get one. */
function evictedReason({ reason, maxIndexBytes }: Eviction): string {
  return reason === "tooLarge"
    ? `Its index needs more disk space than the limit of ${maxIndexBytes} bytes (maxIndexBytes). Raise the limit to index it.`
    : `The disk space of the index is limited to ${maxIndexBytes} bytes (maxIndexBytes), and other repositories were used more recently. To index it again, search with "repo:" and its name. To keep more indexes, raise the limit.`;
}
