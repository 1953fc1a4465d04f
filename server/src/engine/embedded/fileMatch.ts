import type { Limits } from "#query/limits";
import type { CompiledSearch } from "#shard/evaluation/compile";
import type { DocumentHit } from "#shard/evaluation/evaluate";
import type { ShardReader } from "#shard/format/reader";
import type { TextWindow } from "#shard/format/window";
import { decodeBytes, nameRanges, writeChunks } from "#shard/matches/chunks";
import { spanOf, type TextSpan } from "#shard/matches/documentLines";
import { JsonWriter } from "#shard/matches/jsonWriter";
import type { DocumentRanges, RangeBuffer } from "#shard/matches/ranges";
import { DocumentSources, describeContent } from "./documentInfo";
import { fileBytes, PieceColumns, type PieceFile, type ResultPiece } from "./resultPiece";
import type { OpenShard } from "./shardSet";

const noChunks = Buffer.from("[]");

/** The hits in a shard, by whichever kind of search. */
export interface EvaluatedDocuments {
  readonly hits: readonly DocumentHit[];
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

/** Returns a hit whose file will be added later; `index` 0 is the next one. */
export type FollowingHits = (index: number) => ShardHit | undefined;

/** Collects the files of hits in a piece of a result. */
export class PieceBuilder {
  readonly #window: TextWindow;
  readonly #limits: Limits;
  readonly #writer = new JsonWriter();
  readonly #sources: DocumentSources;
  #columns = new PieceColumns();
  #byteCount = 0;
  /** Of the file that was added last. */
  #lastBytes = 0;
  #takenBytes = 0;

  constructor(window: TextWindow, compiled: CompiledSearch, limits: Limits) {
    this.#window = window;
    this.#limits = limits;
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
  add(found: ShardHit, maxRanges: number, following: FollowingHits): void {
    const { shard, evaluation, hit } = found;
    const { path, language, blobSha } = describeContent(shard, hit.document);
    const { omitsChunks = false } = this.#limits;
    const isOmitted = typeof omitsChunks === "boolean" ? omitsChunks : omitsChunks.includes(language);
    const hasChunks = !hit.isInName && !isOmitted;
    const phrase = hit.hasPhrase && hasChunks ? evaluation.phraseRanges(hit.document) : undefined;
    const shown = shownRanges(found, maxRanges, phrase);
    // Spread syntax would give each object a hidden class of its own, which takes longer than everything else here.
    const file: PieceFile = {
      path,
      language,
      blobSha,
      nameRanges: hit.isInName ? nameRanges(shard.reader.path(hit.document), shown) : [],
      rangeCount: shown.to - shown.from,
      content: this.#limits.returnsContent ? decodeBytes(shard.reader.readContent(hit.document)) : "",
      score: hit.score,
      matchCount: hit.matchCount,
      explanation: this.#limits.explainsScores ? evaluation.explain(hit) : undefined,
    };
    const { length: start } = this.#writer;
    if (hasChunks) this.#writeChunks(found, shown, phrase, following);
    else this.#writer.raw(noChunks);
    const chunksLength = this.#writer.length - start;
    this.#columns.push(file, this.#sources.of(shard, hit.document), chunksLength);
    this.#lastBytes = fileBytes(file, chunksLength);
    this.#byteCount += this.#lastBytes;
  }

  /** Removes the file that was just added. */
  dropLast(): void {
    this.#writer.truncate(this.#writer.length - this.#columns.pop());
    this.#byteCount -= this.#lastBytes;
  }

  /** Adds a file that cannot be read. */
  addMissing(): void {
    this.#columns.pushUnreadable();
  }

  /** Returns the piece, and starts the next one. */
  take(): ResultPiece {
    const piece = this.#columns.withChunks(this.#writer.take());
    this.#takenBytes += this.#byteCount;
    this.discard();
    return piece;
  }

  /** Drops the piece, and starts again. */
  discard(): void {
    this.#writer.truncate(0);
    this.#columns = new PieceColumns();
    this.#byteCount = 0;
  }

  /** Writes the chunks around the shown ranges. */
  #writeChunks(
    { shard, hit }: ShardHit,
    shown: DocumentRanges,
    phrase: RangeBuffer | undefined,
    following: FollowingHits,
  ): void {
    const writer = this.#writer;
    const { reader, symbols } = shard;
    const text = {
      reader,
      window: this.#window,
      document: hit.document,
      symbols,
      findsEnclosing: this.#limits.findsEnclosing,
      following: (index: number) => textOf(following(index), reader),
    };
    const start = writer.length;
    try {
      writeChunks(writer, text, shown, this.#limits.contextLines, phrase);
    } catch (error) {
      writer.truncate(start);
      throw error;
    }
  }
}

/** Returns the text of a hit, if it is in the same shard. */
function textOf(found: ShardHit | undefined, reader: ShardReader): TextSpan | undefined {
  if (found === undefined || found.shard.reader !== reader || found.hit.isInName) return undefined;
  const { document, from, to } = found.hit;
  return spanOf(reader, document, { ranges: found.evaluation.ranges, from, to });
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
