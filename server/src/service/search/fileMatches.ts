/** Converts search results from the model to the contract. */
import type * as contract from "#contract/search";
import type { Call } from "#contract/service";
import { type Chunk, decodeChunks, type FileMatch } from "#model/match";
import type { Repository } from "#model/repository";
import { JsonText } from "#platform/jsonText";
import { browseUrl, hostFileUrl, hostRepositoryUrl } from "#service/repositories/webLinks";

export function toFileMatch(
  file: FileMatch,
  repository: Repository,
  { baseUrl, acceptsJsonText = false }: Pick<Call, "baseUrl" | "acceptsJsonText">,
): contract.FileMatch {
  const { path, branches, commit } = file;
  const [branch] = branches;
  return {
    fileName: { text: path, matchRanges: toMutable(file.nameRanges) },
    webUrl: browseUrl(baseUrl, repository.name, branch ?? repository.defaultRevision, path),
    repository: repository.name,
    repositoryId: repository.id,
    language: file.language,
    chunks: asChunks(acceptsJsonText ? new JsonText(file.chunks) : decodeChunks(file)),
    externalWebUrl: hostFileUrl(repository, branch ?? repository.defaultRevision ?? "HEAD", commit, path),
    branches: toMutable(branches),
    content: file.content,
    origin: file.origin,
    commit,
    blobSha: file.blobSha,
    explanation: file.explanation,
  };
}

/** Represents a repository as a file match for `type:repo`: its name is what matched. */
export function toRepositoryMatch(repository: Repository, baseUrl: string | undefined): contract.FileMatch {
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

/** Returns about how many bytes a file takes in a response. Names and text with many escapes take more. */
export function responseBytes(
  { content, path, chunks, nameRanges, branches, explanation = "" }: FileMatch,
  { webUrl, externalWebUrl, repository }: contract.FileMatch,
): number {
  const names = [webUrl, externalWebUrl, repository, explanation, ...branches];
  const nameBytes = names.reduce((sum, { length }) => sum + length, 3 * path.length);
  const contentBytes = Math.max(2 * content.length, Buffer.byteLength(content));
  return chunks.length + contentBytes + nameBytes + 120 * nameRanges.length + 300;
}

/** The contract has no type for JSON text, and its type of a symbol's kind is narrower than the model's. */
function asChunks(chunks: JsonText | Chunk[]): contract.Chunk[] {
  return chunks as unknown as contract.Chunk[];
}

/** Drops `readonly` without copying, because a response may contain a hundred thousand ranges. */
function toMutable<Item>(items: readonly Item[]): Item[] {
  return items as Item[];
}
