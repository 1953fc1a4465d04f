import type { FileMatch } from "#model/match";
import type { Repository } from "#model/repository";
import { JsonText, LazyJsonText } from "#platform/jsonText";
import { browseUrl, encodePath } from "#service/repositories/webLinks";

/** Each buffer is twice as large as the one before, within these limits. */
const minBufferBytes = 16 * 1024;
const maxBufferBytes = 256 * 1024;
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const maxBytesPerUnit = 3;
/** Longer chunks become parts of their own, instead of being copied. */
const maxCopiedBytes = 64 * 1024;
/** JSON of this many bytes is encoded only while it is sent. */
const minLazyBytes = 1024 * 1024;

/** The JSON that all files from one source share. */
interface SourceJson {
  readonly file: FileMatch;
  /** The URL of a file without its path. */
  readonly urlPrefix: string;
  readonly repository: string;
  readonly branches: string;
  readonly originAndCommit: string;
}

interface AddedFile {
  readonly file: FileMatch;
  readonly repository: Repository;
  readonly externalWebUrl: string;
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
  readonly #files: AddedFile[] = [];

  constructor(baseUrl: string | undefined, returnsScores: boolean) {
    this.#baseUrl = baseUrl;
    this.#returnsScores = returnsScores;
  }

  add(file: FileMatch, repository: Repository, externalWebUrl: string): void {
    this.#files.push({ file, repository, externalWebUrl });
  }

  /** Returns the JSON, which has about `length` bytes. If that is much, without whole files, the JSON is encoded only while it is sent. */
  finish(length: number): JsonText | LazyJsonText {
    // How long the JSON of whole files is depends on their escapes, so the limit needs the text itself.
    const hasContent = this.#files.some(({ file }) => file.content !== "");
    if (hasContent || length < minLazyBytes) return new JsonText(...this.#encode(false));
    return new LazyJsonText(length, () => this.#encode(true));
  }

  *#encode(reusesMemory: boolean): Generator<Uint8Array> {
    const writer = new PartWriter(reusesMemory);
    let separator = "[";
    for (const { file, repository, externalWebUrl } of this.#files) {
      const { path, nameRanges, language, chunks, content, blobSha, explanation } = file;
      const source = this.#sourceOf(file, repository);
      const webUrl = source.urlPrefix === "" ? "" : source.urlPrefix + encodePath(path);
      const count = cutMatchCount(file);
      const before = `${separator}{"fileName":{"text":${JSON.stringify(path)},"matchRanges":${nameRanges.length === 0 ? "[]" : JSON.stringify(nameRanges)}},"webUrl":${JSON.stringify(webUrl)},${source.repository},"language":${JSON.stringify(language)},"chunks":`;
      const after = `,"externalWebUrl":${JSON.stringify(externalWebUrl)},"branches":${source.branches},"content":${JSON.stringify(content)},${source.originAndCommit},"blobSha":"${blobSha}"${explanation === undefined ? "" : `,"explanation":${JSON.stringify(explanation)}`}${count === undefined ? "" : `,"matchCount":${count}`}${this.#returnsScores ? `,"score":${file.score}` : ""}}`;
      const isCopied = chunks.length <= maxCopiedBytes;
      const length = (before.length + after.length) * maxBytesPerUnit + (isCopied ? chunks.length : 0);
      if (!writer.hasRoom(length)) {
        yield* writer.take();
        writer.makeRoom(length);
      }
      writer.text(before);
      if (isCopied) writer.bytes(chunks);
      else {
        yield* writer.take();
        yield chunks;
        writer.makeRoom(length);
      }
      writer.text(after);
      separator = ",";
    }
    const end = separator === "[" ? "[]" : "]";
    if (!writer.hasRoom(end.length)) {
      yield* writer.take();
      writer.makeRoom(end.length);
    }
    writer.text(end);
    yield* writer.take();
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
}

/** Collects bytes in parts. */
class PartWriter {
  readonly #reusesMemory: boolean;
  #buffer = Buffer.allocUnsafe(0);
  #nextBytes = minBufferBytes;
  #length = 0;

  /** With `reusesMemory`, a part is valid until more is written. */
  constructor(reusesMemory: boolean) {
    this.#reusesMemory = reusesMemory;
  }

  /** Whether the current part has room for `count` more bytes. */
  hasRoom(count: number): boolean {
    return this.#length + count <= this.#buffer.length;
  }

  /** Makes room for `count` bytes in a part that is empty. */
  makeRoom(count: number): void {
    if (count <= this.#buffer.length) return;
    this.#buffer = Buffer.allocUnsafe(Math.max(count, this.#nextBytes));
    this.#nextBytes = Math.min(2 * this.#nextBytes, maxBufferBytes);
  }

  text(text: string): void {
    this.#length += this.#buffer.write(text, this.#length);
  }

  bytes(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns the current part, unless it is empty, and starts the next one, with the rest of the memory or all of it. */
  take(): Uint8Array[] {
    if (this.#length === 0) return [];
    const part = this.#buffer.subarray(0, this.#length);
    if (!this.#reusesMemory) this.#buffer = this.#buffer.subarray(this.#length);
    this.#length = 0;
    return [part];
  }
}

/** The length of the JSON of no chunks. */
const noChunksLength = 2;

/** Returns the number of matches of a file, if not all of them are shown. */
export function cutMatchCount({ matchCount, rangeCount, chunks, nameRanges }: FileMatch): number | undefined {
  const hasRanges = nameRanges.length > 0 || chunks.length > noChunksLength;
  return matchCount > rangeCount || !hasRanges ? matchCount : undefined;
}
