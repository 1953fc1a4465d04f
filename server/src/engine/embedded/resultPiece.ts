/** The files of a result on their way from a worker to the main thread. */
import type { DocumentSource } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";

/**
 * Consecutive files of a result, in the order of the picks. In columns, because it takes longer to copy an object to
 * another thread than to find the file that it describes.
 */
export interface ResultPiece {
  /** Undefined for a file that cannot be read. */
  readonly paths: readonly (string | undefined)[];
  readonly languages: readonly string[];
  readonly blobShas: readonly string[];
  readonly scores: readonly number[];
  readonly matchCounts: readonly number[];
  readonly rangeCounts: readonly number[];
  readonly sources: readonly DocumentSource[];
  /** The index of each file's source in `sources`. */
  readonly sourceIndexes: readonly number[];
  /** What most files do not have, by the index of the file. */
  readonly extras: ReadonlyMap<number, FileExtras>;
  /** The chunks of all files (`FileMatch.chunks`), one after the other. */
  readonly chunks: Uint8Array<ArrayBuffer>;
  /** The length of each file's part of `chunks`, in bytes. */
  readonly chunkLengths: readonly number[];
}

type FileExtras = Pick<FileMatch, "nameRanges" | "content" | "explanation">;

/** A file without its chunks and its source. */
export type PieceFile = Omit<FileMatch, "chunks" | keyof DocumentSource>;

const noExtras: FileExtras = { nameRanges: [], content: "", explanation: undefined };
const unreadable = { language: "", blobSha: "", score: 0, matchCount: 0, rangeCount: 0, ...noExtras };
const noSource = { repositoryId: 0 as RepositoryId, branches: [], origin: "commit", commit: "" } as const;

/** The columns of a piece that grows. */
export class PieceColumns {
  readonly #paths: (string | undefined)[] = [];
  readonly #languages: string[] = [];
  readonly #blobShas: string[] = [];
  readonly #scores: number[] = [];
  readonly #matchCounts: number[] = [];
  readonly #rangeCounts: number[] = [];
  readonly #sources = new Map<DocumentSource, number>();
  readonly #sourceIndexes: number[] = [];
  readonly #extras = new Map<number, FileExtras>();
  readonly #chunkLengths: number[] = [];

  get length(): number {
    return this.#paths.length;
  }

  push(file: PieceFile, source: DocumentSource, chunksLength: number): void {
    this.#push(file.path, file, source, chunksLength);
  }

  /** Adds a file that cannot be read. */
  pushUnreadable(): void {
    this.#push(undefined, unreadable, noSource, 0);
  }

  #push(
    path: string | undefined,
    file: Omit<PieceFile, "path">,
    source: DocumentSource,
    chunksLength: number,
  ): void {
    const { language, blobSha, score, matchCount, rangeCount, nameRanges, content, explanation } = file;
    if (nameRanges.length > 0 || content !== "" || explanation !== undefined)
      this.#extras.set(this.length, { nameRanges, content, explanation });
    const sourceIndex = this.#sources.get(source) ?? this.#sources.size;
    this.#sources.set(source, sourceIndex);
    this.#paths.push(path);
    this.#languages.push(language);
    this.#blobShas.push(blobSha);
    this.#scores.push(score);
    this.#matchCounts.push(matchCount);
    this.#rangeCounts.push(rangeCount);
    this.#sourceIndexes.push(sourceIndex);
    this.#chunkLengths.push(chunksLength);
  }

  /** Removes the last file, and returns the length of its chunks. */
  pop(): number {
    const columns = [
      this.#paths,
      this.#languages,
      this.#blobShas,
      this.#scores,
      this.#matchCounts,
      this.#rangeCounts,
      this.#sourceIndexes,
    ];
    for (const column of columns) column.pop();
    this.#extras.delete(this.length);
    return this.#chunkLengths.pop() ?? 0;
  }

  withChunks(chunks: Uint8Array<ArrayBuffer>): ResultPiece {
    return {
      paths: this.#paths,
      languages: this.#languages,
      blobShas: this.#blobShas,
      scores: this.#scores,
      matchCounts: this.#matchCounts,
      rangeCounts: this.#rangeCounts,
      sources: [...this.#sources.keys()],
      sourceIndexes: this.#sourceIndexes,
      extras: this.#extras,
      chunks,
      chunkLengths: this.#chunkLengths,
    };
  }
}

/** Returns the files of a piece; undefined for those that cannot be read. */
export function filesOf(piece: ResultPiece): (FileMatch | undefined)[] {
  let end = 0;
  return piece.paths.map((path, at): FileMatch | undefined => {
    const start = end;
    end += piece.chunkLengths[at] ?? 0;
    if (path === undefined) return undefined;
    const { repositoryId, branches, origin, commit } =
      piece.sources[piece.sourceIndexes[at] ?? 0] ?? noSource;
    const { nameRanges, content, explanation } = piece.extras.get(at) ?? noExtras;
    return {
      repositoryId,
      path,
      nameRanges,
      chunks: piece.chunks.subarray(start, end),
      rangeCount: piece.rangeCounts[at] ?? 0,
      language: piece.languages[at] ?? "",
      branches,
      origin,
      commit,
      blobSha: piece.blobShas[at] ?? "",
      content,
      score: piece.scores[at] ?? 0,
      matchCount: piece.matchCounts[at] ?? 0,
      explanation,
    };
  });
}

/** Returns the approximate size of a file in the response, without what the service adds (`responseBytes`). */
export function fileBytes(
  { content, path }: Pick<FileMatch, "content" | "path">,
  chunksLength: number,
): number {
  return chunksLength + content.length + path.length + 300;
}
