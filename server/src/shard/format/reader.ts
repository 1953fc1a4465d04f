import { partitionPoint } from "#base/binarySearch";
import { Bitset } from "#base/bitset";
import { ByteCache } from "#base/byteCache";
import type { DocumentCategory, SkipReason } from "#model/document";
import { documentCategories, skipReasons } from "#model/document";
import type { ByteSource } from "#platform/byteSource";
import { type Checksum, shardDamaged } from "./checksum";
import { type ContentReader, FrameReader } from "./frames";
import { hashPath } from "./pathHash";
import { type PagedReader, SectionReader } from "./sections";
import { isCompressed, type ShardMeta, type ShardRepository } from "./shard";
import { openTrigramTable, type TrigramTable } from "./trigramTable";

/** The distance between two positions of the same text. */
export interface TextShift {
  readonly bytes: number;
  readonly lines: number;
}

const sha1Bytes = 20;
const sha256Bytes = 32;
const noShift: TextShift = { bytes: 0, lines: 0 };

/**
 * Reads one shard. Loads sections on first use and caches them, except for text and posting lists. See `shard.ts` for
 * their contents. Every method throws `SHARD_DAMAGED` if a checksum does not match.
 */
export class ShardReader {
  readonly meta: ShardMeta;
  /** Provides access to additional sections (see `ShardWriter.finish`). */
  readonly sections: SectionReader;
  readonly #source: ByteSource;
  readonly #columns = new Map<string, Uint32Array>();
  readonly #byteColumns = new Map<string, Uint8Array>();
  // Columns that are read for each document or block, for which looking them up in a map takes too long.
  #contentStarts: Uint32Array | undefined;
  #firstBlocks: Uint32Array | undefined;
  #blockStarts: Uint32Array | undefined;
  #blockLines: Uint32Array | undefined;
  #nameStarts: Uint32Array | undefined;
  #documentSets: Uint32Array | undefined;
  #names: Uint8Array | undefined;
  #blockFlags: Uint8Array | undefined;
  #blobs: Uint8Array | undefined;
  #languages: Uint8Array | undefined;
  #documentTraits: Uint8Array | undefined;
  #content: ContentReader | undefined;
  #trigrams: TrigramTable | undefined;
  #postings: PagedReader | undefined;
  #blockDocuments: Uint32Array | undefined;
  #skippedSizes: Map<number, number> | undefined;
  #repositories: Map<number, ShardRepository> | undefined;
  #missingText: { readonly documents: Bitset | undefined } | undefined;
  #candidateCache: ByteCache<Uint32Array> | undefined;

  constructor(source: ByteSource, checksum: Checksum) {
    this.#source = source;
    this.sections = new SectionReader(source, checksum);
    this.meta = this.sections.json("meta") as ShardMeta;
  }

  close(): void {
    this.#source.close();
  }

  get shardBytes(): number {
    return this.sections.length;
  }

  /** Identifies the contents: covers the checksums of all sections. */
  get stamp(): number {
    return this.sections.tableChecksum;
  }

  get indexBytesLoaded(): number {
    return this.sections.indexBytesLoaded;
  }

  get content(): ContentReader {
    if (this.#content === undefined) {
      const content = this.#openContent();
      if (content.length !== this.meta.contentBytes)
        throw shardDamaged("Section content has the wrong length");
      this.#content = content;
    }
    return this.#content;
  }

  #openContent(): ContentReader {
    const content = this.sections.paged("content", "contentChecks");
    if (!isCompressed(this.sections.formatVersion)) return content;
    const frameStarts = this.#column("frameStarts", this.meta.blockCount + 1);
    return new FrameReader(content, frameStarts, this.blockStarts, this.sections.bytes("dictionary"));
  }

  get postings(): PagedReader {
    this.#postings ??= this.sections.paged("postings", "postingChecks");
    return this.#postings;
  }

  get contentStarts(): Uint32Array {
    this.#contentStarts ??= this.#column("contentStarts", this.meta.documentCount + 1);
    return this.#contentStarts;
  }

  get firstBlocks(): Uint32Array {
    this.#firstBlocks ??= this.#column("firstBlocks", this.meta.documentCount + 1);
    return this.#firstBlocks;
  }

  get blockStarts(): Uint32Array {
    this.#blockStarts ??= this.#column("blockStarts", this.meta.blockCount + 1);
    return this.#blockStarts;
  }

  get blockLines(): Uint32Array {
    this.#blockLines ??= this.#column("blockLines", this.meta.blockCount);
    return this.#blockLines;
  }

  get blockFlags(): Uint8Array {
    this.#blockFlags ??= this.#byteColumn("blockFlags", this.meta.blockCount);
    return this.#blockFlags;
  }

  get names(): Uint8Array {
    this.#names ??= this.#byteColumn("names");
    return this.#names;
  }

  get nameStarts(): Uint32Array {
    this.#nameStarts ??= this.#column("nameStarts", this.meta.documentCount + 1);
    return this.#nameStarts;
  }

  get trigrams(): TrigramTable {
    this.#trigrams ??= openTrigramTable(this.sections);
    return this.#trigrams;
  }

  get documentSets(): Uint32Array {
    this.#documentSets ??= this.#column("documentSets", this.meta.documentCount);
    return this.#documentSets;
  }

  get setStarts(): Uint32Array {
    return this.#column("setStarts");
  }

  get setSlots(): Uint32Array {
    return this.#column("setSlots");
  }

  get overrides(): Uint32Array {
    return this.#column("overrides");
  }

  /** The document of each block. */
  get blockDocuments(): Uint32Array {
    if (this.#blockDocuments === undefined) {
      const first = this.firstBlocks;
      const documents = new Uint32Array(this.meta.blockCount);
      for (let document = 0; document < this.meta.documentCount; document++) {
        documents.fill(document, first[document] ?? 0, first[document + 1] ?? 0);
      }
      this.#blockDocuments = documents;
    }
    return this.#blockDocuments;
  }

  /** By pattern: the blocks that may contain it, without those that a search has read in vain. */
  get candidateCache(): ByteCache<Uint32Array> {
    // As large as a column of the blocks.
    this.#candidateCache ??= new ByteCache(this.meta.blockCount * 4);
    return this.#candidateCache;
  }

  repository(id: number): ShardRepository | undefined {
    this.#repositories ??= new Map(this.meta.repositories.map((repository) => [repository.id, repository]));
    return this.#repositories.get(id);
  }

  category(document: number): DocumentCategory {
    return documentCategories[this.categoryIndex(document)] ?? "source";
  }

  /** Index in `documentCategories`; 0 ranks best. */
  categoryIndex(document: number): number {
    return (this.#traits()[document] ?? 0) & 7;
  }

  skipReason(document: number): SkipReason | undefined {
    const skip = (this.#traits()[document] ?? 0) >>> 3;
    return skip === 0 ? undefined : skipReasons[skip - 1];
  }

  #traits(): Uint8Array {
    this.#documentTraits ??= this.#byteColumn("documentTraits", this.meta.documentCount);
    return this.#documentTraits;
  }

  language(document: number): string {
    const bytes = this.#languageBytes();
    const index = (bytes[document * 2] ?? 0) + ((bytes[document * 2 + 1] ?? 0) << 8);
    return this.meta.languages[index] ?? "";
  }

  #languageBytes(): Uint8Array {
    this.#languages ??= this.#byteColumn("documentLanguages", this.meta.documentCount * 2);
    return this.#languages;
  }

  languageIndexes(): Uint16Array {
    const bytes = this.#languageBytes();
    return new Uint16Array(bytes.buffer, bytes.byteOffset, this.meta.documentCount);
  }

  /** Returns what to add to a position in the stored text to get the one in the document: nothing if all of it is stored. */
  shiftAt(_document: number, _offset: number): TextShift {
    return noShift;
  }

  /** Hexadecimal; `""` for a document that is not in a commit. */
  blob(document: number): string {
    const { buffer, byteOffset, length } = this.blobBytes(document);
    return Buffer.from(buffer, byteOffset, length).toString("hex");
  }

  /** Decodes the blobs of the documents `[from, to)` at once, which is faster. Returns a function like `blob`. */
  blobs(from: number, to: number): (document: number) => string {
    const width = this.meta.hashBytes;
    const bytes = this.#blobColumn().subarray(from * width, to * width);
    const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
    return (document) => {
      const start = document * width;
      return hex.slice(2 * (start - from * width), 2 * (this.#endOfBlob(start) - from * width));
    };
  }

  /** Empty for a document that is not in a commit. */
  blobBytes(document: number): Uint8Array {
    const start = document * this.meta.hashBytes;
    return this.#blobColumn().subarray(start, this.#endOfBlob(start));
  }

  #blobColumn(): Uint8Array {
    this.#blobs ??= this.#byteColumn("blobs", this.meta.documentCount * this.meta.hashBytes);
    return this.#blobs;
  }

  /** A column of SHA-256 hashes may also contain SHA-1 hashes, and either may contain none for a document. */
  #endOfBlob(start: number): number {
    const end = start + this.meta.hashBytes;
    const last = lastNonzero(this.#blobColumn(), start, end);
    if (last < start) return start;
    return Math.min(end, start + (last < start + sha1Bytes ? sha1Bytes : sha256Bytes));
  }

  path(document: number): Uint8Array {
    const starts = this.nameStarts;
    return this.names.subarray(starts[document] ?? 0, (starts[document + 1] ?? 1) - 1);
  }

  /** Bytes of text. */
  contentLength(document: number): number {
    return (this.contentStarts[document + 1] ?? 0) - (this.contentStarts[document] ?? 0);
  }

  readContent(document: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.contentLength(document));
    this.content.read(this.contentStarts[document] ?? 0, bytes, 0, bytes.length);
    return bytes;
  }

  /** Finds the documents in `[from, to)` with exactly this path: one for each content. */
  findPath(path: Uint8Array, from: number, to: number): number[] {
    const hashes = this.#column("nameHashes", this.meta.documentCount);
    const order = this.#column("nameOrder", this.meta.documentCount);
    const wanted = hashPath(path);
    const first = partitionPoint(0, order.length, (at) => (hashes[order[at] ?? 0] ?? 0) < wanted);
    const found: number[] = [];
    for (let at = first; at < order.length; at++) {
      const document = order[at] ?? 0;
      if (hashes[document] !== wanted) break;
      if (document >= from && document < to && Buffer.compare(this.path(document), path) === 0)
        found.push(document);
    }
    return found;
  }

  /** The size of a skipped document in bytes, 0 if unknown. */
  skippedSize(document: number): number {
    this.#skippedSizes ??= new Map(this.skipped().map((skipped) => [skipped.document, skipped.size]));
    return this.#skippedSizes.get(document) ?? 0;
  }

  /** Documents whose text could not be read when they were indexed; `undefined` if there are none. */
  get missingText(): Bitset | undefined {
    if (this.#missingText === undefined) {
      const found =
        this.meta.skippedCount === 0 ? undefined : this.#documentsSkipped(["missing", "unreadable"]);
      this.#missingText = { documents: found?.isEmpty() ? undefined : found };
    }
    return this.#missingText.documents;
  }

  #documentsSkipped(reasons: readonly SkipReason[]): Bitset {
    const found = new Bitset(this.meta.documentCount);
    for (let document = 0; document < this.meta.documentCount; document++) {
      const reason = this.skipReason(document);
      if (reason !== undefined && reasons.includes(reason)) found.add(document);
    }
    return found;
  }

  /** Every skipped document, in order. */
  skipped(): { document: number; reason: SkipReason; size: number }[] {
    const bytes = this.#byteColumn("sizes", this.meta.skippedCount * 8);
    const sizes = new Float64Array(bytes.buffer, bytes.byteOffset, this.meta.skippedCount);
    const skipped: { document: number; reason: SkipReason; size: number }[] = [];
    for (let document = 0; document < this.meta.documentCount; document++) {
      const reason = this.skipReason(document);
      if (reason !== undefined) skipped.push({ document, reason, size: sizes[skipped.length] ?? 0 });
    }
    return skipped;
  }

  /** Loads the columns that `RepositorySegments` needs, so that damage in them is detected early. */
  readSets(): void {
    for (const column of [this.documentSets, this.setStarts, this.setSlots, this.overrides]) void column;
  }

  /** Checks the whole file: reads every section and every page. */
  verify(): void {
    for (const name of ["contentStarts", "firstBlocks", "blockStarts", "blockLines", "nameStarts"]) {
      this.#column(name);
    }
    void this.trigrams;
    const page = new Uint8Array(1 << 20);
    for (const paged of [this.content, this.postings]) {
      for (let at = 0; at < paged.length; at += page.length) {
        paged.read(at, page, 0, Math.min(page.length, paged.length - at));
      }
    }
  }

  #column(name: string, length?: number): Uint32Array {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = this.sections.words(name);
      if (length !== undefined && column.length !== length)
        throw shardDamaged(`Section ${name} has the wrong length`);
      this.#columns.set(name, column);
    }
    return column;
  }

  #byteColumn(name: string, length?: number): Uint8Array {
    let column = this.#byteColumns.get(name);
    if (column === undefined) {
      column = this.sections.bytes(name);
      if (length !== undefined && column.length !== length)
        throw shardDamaged(`Section ${name} has the wrong length`);
      this.#byteColumns.set(name, column);
    }
    return column;
  }
}

/** Returns the position of the last byte that is not 0, or `start - 1`. */
function lastNonzero(bytes: Uint8Array, start: number, end: number): number {
  let at = end - 1;
  while (at >= start && bytes[at] === 0) at--;
  return at;
}
