/** The files of a result on their way from a worker to the main thread. */
import { intern } from "#base/intern";
import type { DocumentSource, FileMatch } from "#model/match";
import {
  type FileExtras,
  fieldCount,
  isPlainPath,
  type PackedFile,
  type PackedFiles,
} from "#model/packedFile";
import type { LeasedBytes } from "#platform/sharedRegion";

/** A file of a piece, without what is written as bytes or belongs to its source. */
export type PieceFile = FileExtras & Pick<FileMatch, "language" | "score" | "matchCount" | "rangeCount">;

/** Where the bytes of a file are, and the length of each part. */
export interface PieceBytes {
  readonly start: number;
  readonly isPathPlain: boolean;
  readonly pathLength: number;
  readonly hashLength: number;
  readonly chunksLength: number;
}

const unreadable = { language: "", score: 0, matchCount: 0, rangeCount: 0, nameRanges: [], content: "" };
const noBytes = { start: 0, isPathPlain: false, pathLength: 0, hashLength: 0, chunksLength: 0 };

/** The columns of a piece that grows. */
export class PieceColumns {
  readonly #numbers: number[] = [];
  readonly #scores: number[] = [];
  readonly #languages = new Map<string, number>();
  readonly #sources = new Map<DocumentSource, number>();
  readonly #extras = new Map<number, FileExtras>();

  get length(): number {
    return this.#scores.length;
  }

  push(file: PieceFile, source: DocumentSource, bytes: PieceBytes): void {
    this.#push(file, intern(this.#sources, source), bytes);
  }

  /** Adds a file that cannot be read. */
  pushUnreadable(): void {
    this.#push(unreadable, 0, noBytes);
  }

  #push(
    { language, score, matchCount, rangeCount, nameRanges, content, explanation }: PieceFile,
    source: number,
    { start, isPathPlain, pathLength, hashLength, chunksLength }: PieceBytes,
  ): void {
    if (nameRanges.length > 0 || content !== "" || explanation !== undefined)
      this.#extras.set(this.length, { nameRanges, content, explanation });
    // In the order of `fields`.
    this.#numbers.push(
      start,
      pathLength,
      hashLength,
      chunksLength,
      intern(this.#languages, language),
      source,
      rangeCount,
      matchCount,
      Number(isPathPlain),
    );
    this.#scores.push(score);
  }

  /** Removes the last file. */
  pop(): void {
    this.#scores.pop();
    this.#numbers.length = this.length * fieldCount;
    this.#extras.delete(this.length);
  }

  withBytes({ bytes, lease }: LeasedBytes): PackedFiles {
    return {
      numbers: Uint32Array.from(this.#numbers),
      scores: Float64Array.from(this.#scores),
      languages: [...this.#languages.keys()],
      sources: [...this.#sources.keys()],
      extras: this.#extras,
      bytes,
      lease,
    };
  }
}

/** Returns the buffers of a piece that are moved to another thread, not copied or shared. */
export function transferOf({ bytes: { buffer } }: PackedFiles): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}

/** Returns the approximate size of a file in the response, without what the service adds (`responseBytes`). */
export function fileBytes({ path, chunks, content }: FileMatch): number {
  return bytesInResponse(path.length, chunks.length, content);
}

/** The same of a packed file. */
export function packedFileBytes({ pathLength, chunksLength, extras }: PackedFile): number {
  return bytesInResponse(pathLength, chunksLength, extras?.content);
}

/** Packs one file. */
export function packFile(file: FileMatch): PackedFiles {
  const path = Buffer.from(file.path);
  const isPathPlain = isPlainPath(path);
  const encodedPath = isPathPlain ? path : Buffer.from(JSON.stringify(file.path));
  const hash = Buffer.from(file.blobSha);
  const { chunks, repositoryId, branches, origin, commit } = file;
  const columns = new PieceColumns();
  const lengths = {
    pathLength: encodedPath.length,
    hashLength: hash.length,
    chunksLength: chunks.length,
  };
  columns.push(file, { repositoryId, branches, origin, commit }, { start: 0, isPathPlain, ...lengths });
  return columns.withBytes({ bytes: Buffer.concat([encodedPath, hash, chunks]), lease: 0 });
}

export function bytesInResponse(pathLength: number, chunksLength: number, content = ""): number {
  return chunksLength + content.length + pathLength + 300;
}
