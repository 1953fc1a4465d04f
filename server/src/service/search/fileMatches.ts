/** Converts search results from the model to the contract. */
import type * as contract from "#contract/search";
import type { Call } from "#contract/service";
import { decodeChunks, type FileMatch } from "#model/match";
import { type AnyFile, PackedFile, unpack } from "#model/packedFile";
import type { Repository } from "#model/repository";
import type { RepositoryView } from "#service/repositories/repositoryView";
import { browseUrl, hostFileUrl, hostRepositoryUrl } from "#service/repositories/webLinks";
import { cutMatchCount, FileEncoder } from "./fileEncoder";
import type { PackedFrame } from "./packedJson";

/** Files of a response. */
export interface ConvertedFiles {
  readonly files: contract.FileMatch[];
  readonly fileCount: number;
  readonly rangeCount: number;
  /** The names of the repositories, in order of appearance. */
  readonly repositories: ReadonlySet<string>;
}

/** Converts files one by one, to objects or, if the caller accepts that, to JSON. */
export class FileConverter {
  readonly #baseUrl: string | undefined;
  readonly #known: Pick<RepositoryView, "get">;
  readonly #objects: contract.FileMatch[] = [];
  readonly #returnsScores: boolean;
  readonly #encoder: FileEncoder | undefined;
  readonly #repositories = new Set<string>();
  #fileCount = 0;
  #rangeCount = 0;
  #byteCount = 0;

  constructor(
    { baseUrl, acceptsJsonText = false }: Pick<Call, "baseUrl" | "acceptsJsonText">,
    known: Pick<RepositoryView, "get">,
    returnsScores = false,
  ) {
    this.#baseUrl = baseUrl;
    this.#known = known;
    this.#returnsScores = returnsScores;
    this.#encoder = acceptsJsonText ? new FileEncoder(baseUrl, returnsScores) : undefined;
  }

  /**
   * Adds a file, and returns true. Skips it if its repository was removed during the search. Returns false if the files
   * would exceed `maxBytes`.
   */
  add(file: AnyFile, maxBytes = Number.POSITIVE_INFINITY): boolean {
    const { repositoryId } = file instanceof PackedFile ? file.source : file;
    const repository = this.#known.get(repositoryId);
    if (repository === undefined) return true;
    const frame = file instanceof PackedFile ? this.#encoder?.frameOf(file, repository) : undefined;
    const isAdded =
      file instanceof PackedFile && frame !== undefined
        ? this.#addPacked(file, frame, repository, maxBytes)
        : this.#addWhole(unpack(file), repository, maxBytes);
    if (!isAdded) return false;
    this.#repositories.add(repository.name);
    this.#fileCount++;
    this.#rangeCount += file.rangeCount;
    return true;
  }

  #addPacked(file: PackedFile, frame: PackedFrame, repository: Repository, maxBytes: number): boolean {
    const { pathLength, chunksLength, source } = file;
    const urlLength = frame.externalUrlLength + (frame.hasExternalUrl ? pathLength : 0);
    const bytes = chunksLength + nameBytes(pathLength, repository, source.branches, urlLength) + 300;
    if (!this.#fits(bytes, maxBytes)) return false;
    this.#encoder?.addPacked(file, frame);
    return true;
  }

  /** Adds `bytes` to those of the response, unless these would exceed `maxBytes`. */
  #fits(bytes: number, maxBytes: number): boolean {
    if (this.#byteCount + bytes > maxBytes) return false;
    this.#byteCount += bytes;
    return true;
  }

  #addWhole(file: FileMatch, repository: Repository, maxBytes: number): boolean {
    const { path, branches, commit } = file;
    const revision = branches[0] ?? repository.defaultRevision;
    const externalWebUrl = hostFileUrl(repository, revision ?? "HEAD", commit, path);
    if (!this.#fits(responseBytes(file, repository, externalWebUrl), maxBytes)) return false;
    if (this.#encoder !== undefined) this.#encoder.add(file, repository, externalWebUrl);
    else
      this.#objects.push({
        fileName: { text: path, matchRanges: toMutable(file.nameRanges) },
        webUrl: browseUrl(this.#baseUrl, repository.name, revision, path),
        repository: repository.name,
        repositoryId: repository.id,
        language: file.language,
        // The contract's type of a symbol's kind is narrower than the model's.
        chunks: decodeChunks(file) as contract.Chunk[],
        externalWebUrl,
        branches: toMutable(branches),
        content: file.content,
        origin: file.origin,
        commit,
        blobSha: file.blobSha,
        explanation: file.explanation,
        matchCount: cutMatchCount(file),
        ...(this.#returnsScores ? { score: file.score } : {}),
      });
    return true;
  }

  /** `onRelease` is called when the bytes of packed files will not be read anymore. */
  finish(onRelease?: () => void): ConvertedFiles {
    if (this.#encoder === undefined) onRelease?.();
    return {
      // The contract has no type for JSON text.
      files: (this.#encoder?.finish(onRelease) as unknown as contract.FileMatch[]) ?? this.#objects,
      fileCount: this.#fileCount,
      rangeCount: this.#rangeCount,
      repositories: this.#repositories,
    };
  }
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
function responseBytes(file: FileMatch, repository: Repository, externalWebUrl: string): number {
  const { content, path, chunks, nameRanges, branches, explanation = "" } = file;
  const contentBytes = content === "" ? 0 : Math.max(2 * content.length, Buffer.byteLength(content));
  const names = nameBytes(path.length, repository, branches, externalWebUrl.length);
  return chunks.length + contentBytes + names + explanation.length + 120 * nameRanges.length + 300;
}

function nameBytes(
  pathLength: number,
  { name }: Repository,
  branches: readonly string[],
  externalUrlLength: number,
): number {
  const branchBytes = branches.reduce((sum, { length }) => sum + length, 0);
  // The path, the repository and the first branch are also in the URL.
  return 4 * pathLength + 2 * name.length + 2 * branchBytes + externalUrlLength;
}

/** Drops `readonly` without copying, because a response may contain a hundred thousand ranges. */
function toMutable<Item>(items: readonly Item[]): Item[] {
  return items as Item[];
}
