import type { FileMatch } from "#model/match";
import type { Repository } from "#model/repository";
import { JsonText } from "#platform/jsonText";
import { browseUrl, encodePath } from "#service/repositories/webLinks";

/** Each buffer is twice as large as the one before, within these limits. */
const minBufferBytes = 16 * 1024;
const maxBufferBytes = 256 * 1024;
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const maxBytesPerUnit = 3;
/** Longer chunks become parts of their own, instead of being copied. */
const maxCopiedBytes = 64 * 1024;

/** The JSON that all files from one source share. */
interface SourceJson {
  readonly file: FileMatch;
  /** The URL of a file without its path. */
  readonly urlPrefix: string;
  readonly repository: string;
  readonly branches: string;
  readonly originAndCommit: string;
}

/**
 * Encodes files as the JSON of a `FileMatch[]` of the contract, byte for byte as `JSON.stringify` does. A response may
 * contain a hundred thousand files, and as objects each of them would survive several garbage collections.
 */
export class FileEncoder {
  readonly #baseUrl: string | undefined;
  readonly #returnsScores: boolean;
  /** By `branches`, which files from one source share. */
  readonly #sources = new Map<readonly string[], SourceJson>();
  readonly #parts: Uint8Array[] = [];
  #buffer = Buffer.allocUnsafe(0);
  #nextBytes = minBufferBytes;
  #length = 0;
  #separator = "[";

  constructor(baseUrl: string | undefined, returnsScores: boolean) {
    this.#baseUrl = baseUrl;
    this.#returnsScores = returnsScores;
  }

  add(file: FileMatch, repository: Repository, externalWebUrl: string): void {
    const { path, nameRanges, language, chunks, content, blobSha, explanation } = file;
    const source = this.#sourceOf(file, repository);
    const webUrl = source.urlPrefix === "" ? "" : source.urlPrefix + encodePath(path);
    this.#write(
      `${this.#separator}{"fileName":{"text":${JSON.stringify(path)},"matchRanges":${nameRanges.length === 0 ? "[]" : JSON.stringify(nameRanges)}},"webUrl":${JSON.stringify(webUrl)},${source.repository},"language":${JSON.stringify(language)},"chunks":`,
    );
    this.#writeBytes(chunks);
    const count = cutMatchCount(file);
    this.#write(
      `,"externalWebUrl":${JSON.stringify(externalWebUrl)},"branches":${source.branches},"content":${JSON.stringify(content)},${source.originAndCommit},"blobSha":"${blobSha}"${explanation === undefined ? "" : `,"explanation":${JSON.stringify(explanation)}`}${count === undefined ? "" : `,"matchCount":${count}`}${this.#returnsScores ? `,"score":${file.score}` : ""}}`,
    );
    this.#separator = ",";
  }

  finish(): JsonText {
    this.#write(this.#separator === "[" ? "[]" : "]");
    this.#flush();
    return new JsonText(...this.#parts);
  }

  #sourceOf(file: FileMatch, repository: Repository): SourceJson {
    const { branches, origin, commit } = file;
    const known = this.#sources.get(branches);
    if (
      known?.file.repositoryId === repository.id &&
      known.file.origin === origin &&
      known.file.commit === commit
    )
      return known;
    const { id, name, defaultRevision } = repository;
    const source = {
      file,
      urlPrefix: browseUrl(this.#baseUrl, name, branches[0] ?? defaultRevision, "", "blob"),
      repository: `"repository":${JSON.stringify(name)},"repositoryId":${id}`,
      branches: JSON.stringify(branches),
      originAndCommit: `"origin":"${origin}","commit":${JSON.stringify(commit)}`,
    };
    this.#sources.set(branches, source);
    return source;
  }

  #write(text: string): void {
    this.#reserve(text.length * maxBytesPerUnit);
    this.#length += this.#buffer.write(text, this.#length);
  }

  #writeBytes(bytes: Uint8Array): void {
    if (bytes.length > maxCopiedBytes) {
      this.#flush();
      this.#parts.push(bytes);
      return;
    }
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    this.#flush();
    if (count <= this.#buffer.length) return;
    this.#buffer = Buffer.allocUnsafe(Math.max(count, this.#nextBytes));
    this.#nextBytes = Math.min(2 * this.#nextBytes, maxBufferBytes);
  }

  /** Ends the current part. The next one uses the rest of the buffer. */
  #flush(): void {
    if (this.#length > 0) this.#parts.push(this.#buffer.subarray(0, this.#length));
    this.#buffer = this.#buffer.subarray(this.#length);
    this.#length = 0;
  }
}

/** The length of the JSON of no chunks. */
const noChunksLength = 2;

/** Returns the number of matches of a file, if not all of them are shown. */
export function cutMatchCount({ matchCount, rangeCount, chunks, nameRanges }: FileMatch): number | undefined {
  const hasRanges = nameRanges.length > 0 || chunks.length > noChunksLength;
  return matchCount > rangeCount || !hasRanges ? matchCount : undefined;
}
