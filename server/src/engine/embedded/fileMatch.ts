import { isPlainPath, type PackedFiles } from "#model/packedFile";
import { SharedRegions } from "#platform/sharedRegion";
import type { Limits } from "#query/limits";
import type { CompiledSearch } from "#shard/evaluation/compile";
import type { DocumentHit, HitList } from "#shard/evaluation/hitList";
import type { TextWindow } from "#shard/format/window";
import { decodeBytes, nameRanges, writeChunks } from "#shard/matches/chunks";
import { JsonWriter } from "#shard/matches/jsonWriter";
import type { DocumentRanges, RangeBuffer } from "#shard/matches/ranges";
import { DocumentSources } from "./documentInfo";
import { bytesInResponse, PieceColumns, type PieceFile } from "./resultPiece";
import type { OpenShard } from "./shardSet";

const noChunks = Buffer.from("[]");
/** Smaller pieces are copied to a buffer of their own. */
const minSharedBytes = 8 * 1024;

let regions: SharedRegions | undefined;

/** Returns the regions of this thread, for the pieces that its searches load: those of two large responses. */
function threadRegions(): SharedRegions {
  regions ??= new SharedRegions(8, { maxBytes: 8 * 1024 * 1024, maxLeaseMs: 120_000, idleMs: 10_000 });
  return regions;
}

/** The hits in a shard, by whichever kind of search. */
export interface EvaluatedDocuments {
  readonly hits: Pick<HitList, "length" | "at"> & Iterable<DocumentHit>;
  /** The ranges of all hits. */
  readonly ranges: RangeBuffer;
  /** Returns where the phrase of the query occurs in a document. */
  phraseRanges(document: number): RangeBuffer;
  /** Explains a hit's score. */
  explain(hit: DocumentHit): string;
}

/** A hit and its shard. */
export interface ShardHit {
  readonly shard: OpenShard;
  readonly evaluation: EvaluatedDocuments;
  readonly hit: DocumentHit;
}

/** Collects the files of hits in a piece of a result. */
export class PieceBuilder {
  readonly #window: TextWindow;
  readonly #limits: Limits;
  readonly #sharesMemory: boolean;
  readonly #writer = new JsonWriter();
  readonly #sources: DocumentSources;
  #columns = new PieceColumns();
  #byteCount = 0;
  /** Of the file that was added last. */
  #lastBytes = 0;
  #lastStart = 0;
  #takenBytes = 0;

  /** With `sharesMemory`, the receiver releases the bytes of each piece. */
  constructor(window: TextWindow, compiled: CompiledSearch, limits: Limits, sharesMemory: boolean) {
    this.#window = window;
    this.#limits = limits;
    this.#sharesMemory = sharesMemory;
    this.#sources = new DocumentSources(compiled);
  }

  /** The approximate size of the piece in the response. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** The same for all pieces so far. */
  get totalBytes(): number {
    return this.#takenBytes + this.#byteCount;
  }

  get fileCount(): number {
    return this.#columns.length;
  }

  /**
   * Adds a file with at most `maxRanges` match ranges. Throws `SHARD_DAMAGED`.
   */
  add(found: ShardHit, maxRanges: number): void {
    const { shard, evaluation, hit } = found;
    const { reader } = shard;
    const language = reader.language(hit.document);
    const path = reader.path(hit.document);
    const { omitsChunks = false } = this.#limits;
    const isOmitted = typeof omitsChunks === "boolean" ? omitsChunks : omitsChunks.includes(language);
    const hasChunks = !hit.isInName && !isOmitted;
    const phrase = hit.hasPhrase && hasChunks ? evaluation.phraseRanges(hit.document) : undefined;
    const shown = shownRanges(found, maxRanges, phrase);
    // Spread syntax would give each object a hidden class of its own, which takes longer than everything else here.
    const file: PieceFile = {
      language,
      nameRanges: hit.isInName ? nameRanges(path, shown) : [],
      rangeCount: shown.to - shown.from,
      content: this.#limits.returnsContent ? decodeBytes(reader.readContent(hit.document)) : "",
      score: hit.score,
      matchCount: hit.matchCount,
      explanation: this.#limits.explainsScores ? evaluation.explain(hit) : undefined,
    };
    const writer = this.#writer;
    const { length: start } = writer;
    try {
      const isPathPlain = isPlainPath(path);
      if (isPathPlain) writer.raw(path);
      else writer.value(decodeBytes(path));
      const { length: pathEnd } = writer;
      writer.hex(reader.blobBytes(hit.document));
      const { length: hashEnd } = writer;
      if (hasChunks) this.#writeChunks(found, shown, phrase);
      else writer.raw(noChunks);
      const pathLength = pathEnd - start;
      const chunksLength = writer.length - hashEnd;
      const bytes = { start, isPathPlain, pathLength, hashLength: hashEnd - pathEnd, chunksLength };
      this.#columns.push(file, this.#sources.of(shard, hit.document), bytes);
      this.#lastBytes = bytesInResponse(pathLength, chunksLength, file.content);
      this.#lastStart = start;
      this.#byteCount += this.#lastBytes;
    } catch (error) {
      writer.truncate(start);
      throw error;
    }
  }

  /** Removes the file that was just added. */
  dropLast(): void {
    this.#writer.truncate(this.#lastStart);
    this.#columns.pop();
    this.#byteCount -= this.#lastBytes;
  }

  /** Adds a file that cannot be read. */
  addMissing(): void {
    this.#columns.pushUnreadable();
  }

  /** Returns the piece, and starts the next one. */
  take(): PackedFiles {
    const leased = this.#writer.takeInto((bytes) => {
      const isShared = this.#sharesMemory && bytes.length >= minSharedBytes;
      return (isShared ? threadRegions().copy(bytes) : undefined) ?? { bytes: bytes.slice(), lease: 0 };
    });
    const piece = this.#columns.withBytes(leased);
    this.#takenBytes += this.#byteCount;
    this.discard();
    return piece;
  }

  /** Drops the piece, and forgets those that were taken. */
  restart(): void {
    this.discard();
    this.#takenBytes = 0;
  }

  /** Drops the piece, and starts again. */
  discard(): void {
    this.#writer.truncate(0);
    this.#columns = new PieceColumns();
    this.#byteCount = 0;
  }

  /** Writes the chunks around the shown ranges. */
  #writeChunks({ shard, hit }: ShardHit, shown: DocumentRanges, phrase: RangeBuffer | undefined): void {
    const writer = this.#writer;
    const { reader, symbols } = shard;
    const text = {
      reader,
      window: this.#window,
      document: hit.document,
      symbols,
      findsEnclosing: this.#limits.findsEnclosing,
    };
    writeChunks(writer, text, shown, this.#limits.contextLines, phrase);
  }
}

/** Returns at most `maxRanges` ranges of a hit. If there are more, prefers those in the phrase. */
function shownRanges(
  { evaluation: { ranges }, hit: { from, to } }: ShardHit,
  maxRanges: number,
  phrase: RangeBuffer | undefined,
): DocumentRanges {
  if (to - from <= maxRanges || phrase === undefined)
    return { ranges, from, to: Math.min(to, from + maxRanges) };
  const selected = ranges.select(from, to, maxRanges, phrase);
  return { ranges: selected, from: 0, to: selected.length };
}
