/**
 * A shard is an immutable file with documents of one or more repositories and the index of their text.
 *
 * ## Documents and blocks
 *
 * A document is one content at one path. The same content at the same path on many revisions is one document with a
 * set of *slots*. A slot is a number that a repository's manifest assigns to a ref and never reuses, so that a branch
 * that moves keeps its slot and older shards stay valid.
 *
 * The text of a document is split into *blocks*: runs of whole lines of at least 4 KiB (the last one may be shorter; a
 * long line makes a long block). An expression that cannot match a newline can therefore be evaluated block by block.
 *
 * On disk, each block is stored as a *frame*: its text in LZ4's block format, or unchanged if compression does not make it
 * shorter.
 *
 * ## Layout
 *
 * All numbers are little-endian. A section starts at a multiple of 8 bytes.
 *
 *     "TRAWLSHD"                          8 bytes
 *     format version                      u32: see below; then u32 zero
 *     content section, other sections     in the order of the table
 *     table of contents                   JSON: { section name: [offset, length, checksum] }
 *     length of the table                 u32
 *     checksum of the table               u32
 *     "TRAWLEND"                          8 bytes
 *
 * The text is compressed in versions 2 and 4. Versions 1 and 2 have other posting lists and another table of trigrams; they
 * are no longer written.
 *
 * | section | contents |
 * |---|---|
 * | content | the documents' bytes, concatenated, or if compressed the frames of all blocks |
 * | frameStarts | u32 per block and one more: where its frame starts in `content`; only if compressed |
 * | dictionary | the LZ4 dictionary of all frames, up to 64 KiB; only if compressed |
 * | contentChecks, postingChecks | u32 checksum of each 64 KiB page of `content` and `postings` (which have no other) |
 * | meta | JSON, see `ShardMeta` |
 * | contentStarts | u32 per document and one more: where its bytes start in the text |
 * | firstBlocks | u32 per document and one more: its first block |
 * | blockStarts | u32 per block and one more: where it starts in the text |
 * | blockLines | u32 per block: the number of its first line, from 1 |
 * | blockFlags | u8 per block: 1 = contains a byte above 0x7f, 2 = contains U+212A or U+017F |
 * | names | the paths, each followed by a newline |
 * | nameStarts | u32 per document and one more, in `names` |
 * | nameHashes | u32 per document: `hashPath` |
 * | nameOrder | u32 per document: the documents by ascending hash |
 * | documentTraits | u8 per document: category + 8 × (0 or 1 + index of the skip reason) |
 * | documentLanguages | u16 per document: index in `meta.languages` |
 * | documentSets | u32 per document: index of its set of slots |
 * | setStarts, setSlots | u32: set s is `setSlots[setStarts[s] … setStarts[s + 1])`, ascending |
 * | blobs | `meta.hashBytes` per document |
 * | sizes | f64 per skipped document: its size in bytes |
 * | trigrams | LEB128 numbers: the trigrams (b0 << 16 | b1 << 8 | b2 of folded bytes), ascending, each as the difference from the one before it, and the length of its list in bytes. The first trigram of each group of 32 is 0 |
 * | trigramGroups | u32 triples, one per group: its first trigram; where it starts in `trigrams`; where its first list starts in `postings` |
 * | postings | the lists |
 * | overrides | u32 triples: segment, document, set; see below |
 *
 * ## Posting lists
 *
 * The blocks that contain a trigram, strictly ascending, in the encoding of `kernels/gaps.ts`. A list that would take at least
 * half as many bytes as a bitmap of all blocks is written as the bitmap (bit `b & 7` of byte `b >> 3`), which takes less time to
 * intersect. So the length of a list determines its encoding.
 *
 * In versions 1 and 2, a list that is shorter than its bitmap consists of LEB128 deltas, starting from -1: the blocks 1, 6, 7 and
 * 8 are `02 05 01 01`. `trigrams` contains u32 numbers, and `postingStarts` a u32 per trigram and one more: where its list starts in
 * `postings`.
 *
 * Trigrams are taken from bytes with ASCII letters in lower case. A block with U+212A or U+017F also has the trigrams
 * of its bytes with these two replaced by `k` and `s`, because Unicode case folding maps them so.
 *
 * ## Delta shards
 *
 * A manifest lists the shards ("segments") of a repository, oldest first. A delta shard contains new documents, and
 * `overrides` that replace the slots of documents in older segments; an empty set hides a document. Before its
 * overrides apply, the slot copies in `meta.likenesses` add `slot` to every set that contains slot `like` (for a new
 * branch).
 *
 * If a segment cannot be read, its changes to older segments are unknown, so those count as unreadable too.
 */
import type { DocumentCategory, SkipReason } from "#model/document";

export type ShardFormatVersion = 1 | 2 | 3 | 4;

export function isShardFormatVersion(version: number): version is ShardFormatVersion {
  return version === 1 || version === 2 || version === 3 || version === 4;
}

/** The versions that are still written. */
export type WrittenFormatVersion = Extract<ShardFormatVersion, 3 | 4>;

export function isCompressed(version: ShardFormatVersion): boolean {
  return version === 2 || version === 4;
}

/** Whether posting lists and the table of trigrams have the encoding of versions 1 and 2. */
export function hasOldLists(version: ShardFormatVersion): boolean {
  return version <= 2;
}

export const shardMagic = "TRAWLSHD";
export const shardEndMagic = "TRAWLEND";

/**
 * Chosen by measurement: searches take twice as long with 16 KiB, and are no faster with 2 KiB, which makes posting lists a
 * third larger.
 */
export const minBlockBytes = 4096;
/** Bytes that one checksum of `content` and `postings` covers: the first read of a block hashes no more than this. */
export const checkedPageBytes = 65_536;
/** Only the paths of larger documents are indexed. */
export const maxDocumentBytes = 2 * 1024 * 1024;
/** Bytes of text in one shard. Bounds the memory of a build, which needs about one byte per byte of text. */
export const targetShardBytes = 64 * 1024 * 1024;

export const blockHasNonAscii = 1;
export const blockHasFoldingSpecials = 2;

/** A document to be written to a shard. */
export interface ShardDocument {
  /** Relative to the root, `/`-separated, any bytes except NUL. */
  readonly path: Uint8Array;
  /** Absent if `skip` is given. */
  readonly content?: Uint8Array;
  readonly skip?: SkipReason;
  /** The size of a skipped document in bytes, 0 if unknown. */
  readonly size?: number;
  /** Hexadecimal; `""` outside git. */
  readonly blob: string;
  readonly language: string;
  readonly category: DocumentCategory;
  /** Ascending. */
  readonly slots: readonly number[];
}

/** Adds `slot` to every set that contains slot `like`. */
export interface SlotCopy {
  readonly slot: number;
  readonly like: number;
}

/** Replaces the slots of a document in an older segment. */
export interface Override {
  /** Index in the manifest's segments. */
  readonly segment: number;
  readonly document: number;
  readonly slots: readonly number[];
}

export interface ShardMeta {
  readonly repositories: readonly ShardRepository[];
  readonly documentCount: number;
  readonly blockCount: number;
  readonly skippedCount: number;
  readonly contentBytes: number;
  /** Bytes per blob hash: 20, or 32 if any of them is SHA-256. */
  readonly hashBytes: number;
  readonly languages: readonly string[];
  /** False in a shard of unsaved documents, which are so few that all of them are searched. */
  readonly hasTrigrams: boolean;
  readonly likenesses: readonly SlotCopy[];
  readonly isDelta: boolean;
}

/** Documents `[firstDocument, endDocument)` are this repository's. */
export interface ShardRepository {
  readonly id: number;
  readonly firstDocument: number;
  readonly endDocument: number;
}

/** The part of a shard that belongs to one repository. */
export interface ShardPartCounts {
  readonly id: number;
  readonly documentCount: number;
  readonly skippedCount: number;
  readonly contentBytes: number;
}

/** Properties of a finished shard. */
export interface ShardSummary {
  readonly documentCount: number;
  readonly skippedCount: number;
  /** Bytes of text. */
  readonly contentBytes: number;
  /** Bytes of the whole file. */
  readonly shardBytes: number;
  /** Whether it follows older segments of its repository, and may change their documents. */
  readonly isDelta: boolean;
  /** Absent from the manifests of versions of Trawl that did not compress text. */
  readonly formatVersion?: ShardFormatVersion;
}
