import type { DocumentSource, FileMatch } from "#model/match";
import type { PackedFile } from "#model/packedFile";
import type { Repository } from "#model/repository";
import { JsonText } from "#platform/jsonText";
import { browseUrl, encodePath, hostFileUrlAround } from "#service/repositories/webLinks";
import { type PackedFrame, PartList, packedFrame } from "./packedJson";

/** Each buffer is twice as large as the one before, within these limits. */
const minBufferBytes = 16 * 1024;
const maxBufferBytes = 256 * 1024;
/** UTF-8 takes at most this many bytes for a UTF-16 code unit. */
const maxBytesPerUnit = 3;

/** Longer strings are written by native code, shorter ones in a loop. */
const maxLoopLength = 256;
const quote = 0x22;
const backslash = 0x5c;

/** The JSON between the values of a file: field names, in the order of the contract's `FileMatch`, and punctuation. */
const json = {
  open: Buffer.from("["),
  separator: Buffer.from(","),
  file: Buffer.from('{"fileName":{"text":'),
  nameRanges: Buffer.from(',"matchRanges":'),
  chunks: Buffer.from(',"chunks":'),
  externalWebUrl: Buffer.from(',"externalWebUrl":'),
  endOfFile: Buffer.from("}"),
  none: Buffer.from("[]"),
  close: Buffer.from("]"),
};

/** By ASCII character, 1 if it needs no escape in a string of JSON. */
const plainInJson = Uint8Array.from({ length: 0x80 }, (_, code) =>
  code >= 0x20 && code !== quote && code !== backslash ? 1 : 0,
);

/** The JSON that all files from one source share. */
interface SourceJson {
  readonly source: DocumentSource;
  /** From the end of the file's name, or of its ranges, to the path in its URL. */
  readonly noNameRanges: Buffer;
  readonly webUrlPrefix: Buffer;
  readonly hasWebUrl: boolean;
  /** From the end of the URL to the language. */
  readonly repository: Buffer;
  /** From the external URL to the content. */
  readonly branches: Buffer;
  /** From the content to the blob's hash. */
  readonly originAndCommit: Buffer;
  /** `branches`, an empty content, and `originAndCommit`. */
  readonly noContent: Buffer;
}

/**
 * Encodes files as the JSON of a `FileMatch[]` of the contract, byte for byte as `JSON.stringify` does. A response may
 * contain a hundred thousand files, and as objects each of them would survive several garbage collections.
 *
 * Packed files are copied only when the JSON is read, so that the bytes of a large response do not exist twice.
 */
export class FileEncoder {
  readonly #baseUrl: string | undefined;
  readonly #returnsScores: boolean;
  /** By `branches`, which files from one source share. */
  readonly #sources = new Map<readonly string[], SourceJson>();
  /** By language. Undefined for sources whose files cannot be copied. */
  readonly #frames = new Map<DocumentSource, Map<string, PackedFrame | undefined>>();
  readonly #parts = new PartList();
  #buffer = Buffer.allocUnsafe(0);
  #nextBytes = minBufferBytes;
  #length = 0;
  #isEmpty = true;

  constructor(baseUrl: string | undefined, returnsScores: boolean) {
    this.#baseUrl = baseUrl;
    this.#returnsScores = returnsScores;
  }

  add(file: FileMatch, repository: Repository, externalWebUrl: string): void {
    const { path, nameRanges, language, chunks, content, blobSha, explanation } = file;
    const source = this.#sourceOf(file, repository);
    this.#writeBytes(this.#isEmpty ? json.open : json.separator);
    this.#isEmpty = false;
    this.#writeBytes(json.file);
    this.#writeString(path);
    if (nameRanges.length === 0) this.#writeBytes(source.noNameRanges);
    else {
      this.#writeBytes(json.nameRanges);
      this.#writeJson(JSON.stringify(nameRanges));
      this.#writeBytes(source.webUrlPrefix);
    }
    if (source.hasWebUrl) this.#writeJson(encodePath(path));
    this.#writeBytes(source.repository);
    this.#writeString(language);
    this.#writeBytes(json.chunks);
    this.#writeBytes(chunks);
    this.#writeBytes(json.externalWebUrl);
    this.#writeString(externalWebUrl);
    if (content === "") this.#writeBytes(source.noContent);
    else {
      this.#writeBytes(source.branches);
      this.#writeString(content);
      this.#writeBytes(source.originAndCommit);
    }
    this.#writeString(blobSha);
    if (explanation !== undefined) this.#writeJson(`,"explanation":${JSON.stringify(explanation)}`);
    const count = cutMatchCount(file);
    if (count !== undefined) this.#writeJson(`,"matchCount":${count}`);
    if (this.#returnsScores) this.#writeJson(`,"score":${file.score}`);
    this.#writeBytes(json.endOfFile);
  }

  /** Returns what `addPacked` needs, or undefined if the file has something that is not packed as JSON: unpack it. */
  frameOf(file: PackedFile, repository: Repository): PackedFrame | undefined {
    const isCut = file.matchCount > file.rangeCount || file.chunksLength <= noChunksLength;
    if (isCut || this.#returnsScores || !file.isPathPlain || file.extras !== undefined) return undefined;
    const { source, language } = file;
    const byLanguage = this.#frames.get(source);
    if (byLanguage?.has(language)) return byLanguage.get(language);
    const frame = this.#newFrame(source, language, repository);
    if (byLanguage === undefined) this.#frames.set(source, new Map([[language, frame]]));
    else byLanguage.set(language, frame);
    return frame;
  }

  addPacked(file: PackedFile, frame: PackedFrame): void {
    if (this.#length > 0) this.#flush();
    this.#parts.pushPacked(file, frame);
    this.#isEmpty = false;
  }

  /** `onRelease` is called when the JSON will not be read anymore. */
  finish(onRelease?: () => void): JsonText {
    this.#writeBytes(this.#isEmpty ? json.none : json.close);
    this.#flush();
    const parts = this.#parts;
    return new JsonText((allocate) => parts.read(allocate), parts.length, onRelease);
  }

  #newFrame(source: DocumentSource, language: string, repository: Repository): PackedFrame | undefined {
    const {
      noNameRanges,
      hasWebUrl,
      repository: beforeLanguage,
      noContent,
    } = this.#sourceOf(source, repository);
    const { branches, commit } = source;
    const around = hostFileUrlAround(repository, branches[0] ?? repository.defaultRevision ?? "HEAD", commit);
    if (around?.isSegment === true) return undefined;
    const { before, after } = around ?? { before: "", after: "" };
    return packedFrame({
      hasWebUrl,
      hasExternalUrl: around !== undefined,
      afterName: `"${noNameRanges}`,
      beforeChunks: `${beforeLanguage}${JSON.stringify(language)}${json.chunks}`,
      afterChunks: `${json.externalWebUrl}${JSON.stringify(before).slice(0, -1)}`,
      beforeHash: `${JSON.stringify(after).slice(1)}${noContent}"`,
      externalUrlLength: before.length + after.length,
    });
  }

  #sourceOf(source: DocumentSource, repository: Repository): SourceJson {
    const { branches, origin, commit } = source;
    const known = this.#sources.get(branches);
    if (
      known?.source.repositoryId === repository.id &&
      known.source.origin === origin &&
      known.source.commit === commit
    )
      return known;
    const { id, name, defaultRevision } = repository;
    // Without the quote at the end.
    const url = JSON.stringify(
      browseUrl(this.#baseUrl, name, branches[0] ?? defaultRevision, "", "blob"),
    ).slice(0, -1);
    const webUrlPrefix = `},"webUrl":${url}`;
    const beforeContent = `,"branches":${JSON.stringify(branches)},"content":`;
    const afterContent = `,"origin":"${origin}","commit":${JSON.stringify(commit)},"blobSha":`;
    const found = {
      source,
      noNameRanges: Buffer.from(`,"matchRanges":[]${webUrlPrefix}`),
      webUrlPrefix: Buffer.from(webUrlPrefix),
      hasWebUrl: this.#baseUrl !== undefined,
      repository: Buffer.from(`","repository":${JSON.stringify(name)},"repositoryId":${id},"language":`),
      branches: Buffer.from(beforeContent),
      originAndCommit: Buffer.from(afterContent),
      noContent: Buffer.from(`${beforeContent}""${afterContent}`),
    };
    this.#sources.set(branches, found);
    return found;
  }

  #writeString(value: string): void {
    this.#reserve(Math.min(value.length, maxLoopLength) + 2);
    this.#buffer[this.#length++] = quote;
    if (this.#writePlain(value)) this.#buffer[this.#length++] = quote;
    else {
      // Takes the quote back.
      this.#length--;
      this.#writeJson(JSON.stringify(value));
    }
  }

  /**
   * Writes a text, unless it is long or contains a character that is not plain: then it writes nothing, and returns
   * false. Most texts are short and plain, and a loop is faster than calling native code.
   */
  #writePlain(text: string): boolean {
    const { length } = text;
    if (length > maxLoopLength) return false;
    this.#reserve(length);
    const buffer = this.#buffer;
    let at = this.#length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (plainInJson[code] !== 1) return false;
      buffer[at++] = code;
    }
    this.#length = at;
    return true;
  }

  #writeJson(text: string): void {
    this.#reserve(text.length * maxBytesPerUnit);
    this.#length += this.#buffer.write(text, this.#length);
  }

  #writeBytes(bytes: Uint8Array): void {
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
