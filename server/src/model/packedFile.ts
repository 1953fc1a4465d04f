/** Files of a search as bytes, which are cheap to copy to another thread and into a response. */
import { intern } from "#base/intern";
import { Uint32List } from "#base/uint32List";
import type { DocumentSource, FileMatch } from "./match";

/**
 * Consecutive files of a result, in columns: it takes longer to copy an object to another thread than to find the file
 * that it describes.
 */
export interface PackedFiles {
  /** `fieldCount` numbers for each file, at the positions in `fields`. */
  readonly numbers: Uint32Array<ArrayBuffer>;
  readonly scores: Float64Array<ArrayBuffer>;
  readonly languages: readonly string[];
  readonly sources: readonly DocumentSource[];
  /** Ranges in names, contents and explanations, by the index of the file. Most files have none. */
  readonly extras: ReadonlyMap<number, FileExtras>;
  /** Of each file its path, the hexadecimal hash of its blob, and its chunks (`FileMatch.chunks`). */
  readonly bytes: Uint8Array<ArrayBufferLike>;
  /** See `LeasedBytes`. Always 0 unless the caller accepts packed files. */
  readonly lease: number;
}

export type FileExtras = Pick<FileMatch, "nameRanges" | "content" | "explanation">;

/**
 * `start` is an offset in `bytes`, the lengths are in bytes, and `language` and `source` are indexes. A file that cannot
 * be read has no path.
 */
const fields = {
  start: 0,
  pathLength: 1,
  hashLength: 2,
  chunksLength: 3,
  language: 4,
  source: 5,
  rangeCount: 6,
  matchCount: 7,
  isPathPlain: 8,
} as const;
export const fieldCount = 9;

/** By byte, 1 if a path may contain it and still be plain. */
const plainBytes = Uint8Array.from({ length: 0x100 }, (_, code) =>
  /[\w./-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const noExtras: FileExtras = { nameRanges: [], content: "", explanation: undefined };

/** One of some packed files. */
export class PackedFile {
  readonly files: PackedFiles;
  readonly index: number;

  constructor(files: PackedFiles, index: number) {
    this.files = files;
    this.index = index;
  }

  /** Where the bytes of the file start. */
  get start(): number {
    return this.#number(fields.start);
  }

  get pathLength(): number {
    return this.#number(fields.pathLength);
  }

  get isReadable(): boolean {
    return this.pathLength > 0;
  }

  get hashLength(): number {
    return this.#number(fields.hashLength);
  }

  get chunksLength(): number {
    return this.#number(fields.chunksLength);
  }

  get rangeCount(): number {
    return this.#number(fields.rangeCount);
  }

  get matchCount(): number {
    return this.#number(fields.matchCount);
  }

  get source(): DocumentSource {
    return this.files.sources[this.#number(fields.source)] as DocumentSource;
  }

  get language(): string {
    return this.files.languages[this.#number(fields.language)] ?? "";
  }

  get extras(): FileExtras | undefined {
    const { extras } = this.files;
    return extras.size === 0 ? undefined : extras.get(this.index);
  }

  /** Whether the path is plain (`isPlainPath`). Others are packed as JSON. */
  get isPathPlain(): boolean {
    return this.#number(fields.isPathPlain) === 1;
  }

  unpack(): FileMatch {
    const { start, pathLength, hashLength, chunksLength, rangeCount, matchCount, language } = this;
    const { bytes, scores } = this.files;
    const { repositoryId, branches, origin, commit } = this.source;
    const { nameRanges, content, explanation } = this.extras ?? noExtras;
    const pathEnd = start + pathLength;
    const hashEnd = pathEnd + hashLength;
    const path = textOf(bytes, start, pathEnd);
    return {
      repositoryId,
      path: this.isPathPlain ? path : JSON.parse(path),
      nameRanges,
      chunks: bytes.subarray(hashEnd, hashEnd + chunksLength),
      rangeCount,
      language,
      branches,
      origin,
      commit,
      blobSha: textOf(bytes, pathEnd, hashEnd),
      content,
      score: scores[this.index] ?? 0,
      matchCount,
      explanation,
    };
  }

  #number(field: number): number {
    return this.files.numbers[this.index * fieldCount + field] ?? 0;
  }
}

/** Returns whether a path consists of ASCII characters that need no escape in JSON and URLs, as most do. */
export function isPlainPath(path: Uint8Array): boolean {
  for (let at = 0; at < path.length; at++) if (plainBytes[path[at] ?? 0] !== 1) return false;
  return path.length > 0;
}

/** Returns some packed files one by one; undefined for those that cannot be read. */
export function listPacked(files: PackedFiles): (PackedFile | undefined)[] {
  return Array.from(files.scores, (_, index) => {
    const file = new PackedFile(files, index);
    return file.isReadable ? file : undefined;
  });
}

/**
 * Packed files from any pieces, in any order. Contains their positions, because a hundred thousand objects would survive
 * several garbage collections.
 */
export class PackedList {
  readonly #pieces: PackedFiles[] = [];
  readonly #pieceIndexes = new Map<PackedFiles, number>();
  /** The index of the piece that was set last: the next file is often in the same one. */
  #lastIndex = -1;
  /** The index of each file's piece, plus one; 0 if there is no file. */
  readonly #pieceOf = new Uint32List();
  readonly #indexOf = new Uint32List();

  /** The number of positions, some of which may have no file. */
  get length(): number {
    return this.#pieceOf.length;
  }

  at(position: number): PackedFile | undefined {
    const files = this.#pieces[this.#pieceOf.at(position) - 1];
    return files === undefined ? undefined : new PackedFile(files, this.#indexOf.at(position));
  }

  set(position: number, piece: PackedFiles, index: number): void {
    if (this.#pieces[this.#lastIndex] !== piece) {
      this.#lastIndex = intern(this.#pieceIndexes, piece);
      this.#pieces[this.#lastIndex] = piece;
    }
    this.#pieceOf.set(position, this.#lastIndex + 1);
    this.#indexOf.set(position, index);
  }

  push({ files, index }: PackedFile): void {
    this.set(this.length, files, index);
  }

  /** Appends all files of a piece. */
  pushAll(piece: PackedFiles): void {
    for (let index = 0; index < piece.scores.length; index++) this.set(this.length, piece, index);
  }

  truncate(length: number): void {
    this.#pieceOf.truncate(length);
    this.#indexOf.truncate(length);
  }

  *[Symbol.iterator](): Generator<PackedFile> {
    for (let position = 0; position < this.length; position++) {
      const file = this.at(position);
      if (file !== undefined) yield file;
    }
  }
}

export type AnyFile = FileMatch | PackedFile;

export function unpack(file: AnyFile): FileMatch {
  return file instanceof PackedFile ? file.unpack() : file;
}

function textOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString();
}
