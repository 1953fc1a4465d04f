/**
 * A shard: an immutable file that holds documents of one or more repositories and the index of their text.
 *
 * ## Documents and blocks
 *
 * A document is one content at one path. The same content at the same path on many revisions is one document with a
 * set of *slots*. A slot is a number that a repository's manifest gives to a ref once and never gives again, so a
 * branch that moves keeps its slot and older shards stay true.
 *
 * The text of a document is cut into *blocks*: runs of whole lines of at least 4 KiB (the last may be shorter; a long
 * line makes a long block). An expression that cannot match a newline is therefore decided block by block.
 *
 * ## Layout
 *
 * All numbers are little-endian. A section starts at a multiple of 8 bytes.
 *
 *     "TRAWLSHD"                          8 bytes
 *     format version                      u32, then u32 zero
 *     content section, other sections     in the order in which the table names them
 *     table of contents                   JSON: { section name: [offset, length, checksum] }
 *     length of the table                 u32
 *     checksum of the table               u32
 *     "TRAWLEND"                          8 bytes
 *
 * | section | holds |
 * |---|---|
 * | content | the documents' bytes, one after another, nothing between them |
 * | contentChecks, postingChecks | u32 checksum of each 64 KiB page of `content` and `postings` (these two have none of their own) |
 * | meta | JSON, see `ShardMeta` |
 * | contentStarts | u32 a document and one more: where its bytes begin |
 * | firstBlocks | u32 a document and one more: its first block |
 * | blockStarts | u32 a block and one more: where it begins in `content` |
 * | blockLines | u32 a block: the number of its first line, from 1 |
 * | blockFlags | u8 a block: 1 = has a byte above 0x7f, 2 = has U+212A or U+017F |
 * | names | the paths, each followed by a newline |
 * | nameStarts | u32 a document and one more, in `names` |
 * | nameHashes | u32 a document: `hashPath`; with `nameOrder`, documents by ascending hash |
 * | documentTraits | u8 a document: category + 8 × (0 or 1 + index of the skip reason) |
 * | documentLanguages | u16 a document, index in `meta.languages` |
 * | documentSets | u32 a document, index of its set of slots |
 * | setStarts, setSlots | u32: set s is `setSlots[setStarts[s] … setStarts[s + 1])`, ascending |
 * | blobs | `meta.hashBytes` a document |
 * | sizes | f64 for each skipped document, in order: the bytes it has |
 * | trigrams | u32, ascending: b0 << 16 | b1 << 8 | b2 of folded bytes |
 * | postingStarts | u32 a trigram and one more: where its list begins in `postings` |
 * | postings | the lists |
 * | overrides | u32 triples: segment, document, set; see below |
 *
 * ## Posting lists
 *
 * The blocks that hold a trigram, strictly ascending, as LEB128 deltas, the first counted from -1: the blocks 1, 6, 7
 * and 8 are written `02 05 01 01`. A list that would take as many bytes as a bitmap of all blocks, or more, is
 * written as the bitmap (bit b of byte b >> 3), so a list's length tells which of both it is.
 *
 * Trigrams are taken from bytes whose ASCII letters are lower-cased. A block with U+212A or U+017F also has the
 * trigrams of its bytes with these two replaced by `k` and `s`, because Unicode folds them so.
 *
 * ## Delta shards
 *
 * A manifest lists the shards ("segments") of a repository, oldest first. A delta shard brings new documents, and
 * `overrides` that give documents of older segments another set of slots; an empty set hides a document. Before its
 * overrides, `meta.likenesses` say that every set with slot `like` also gets `slot` (a new branch).
 *
 * Where a segment cannot be read, nobody knows what it says of those before it, so they count as unreadable too.
 */
import type { DocumentCategory, SkipReason } from "#model/document";

export const shardFormatVersion = 1;
export const shardMagic = "TRAWLSHD";
export const shardEndMagic = "TRAWLEND";

/** Measured: 4 KiB costs a quarter of the text; 16 KiB reads twice as long, 2 KiB is no faster. */
export const minBlockBytes = 4096;
/** What a checksum of `content` and `postings` covers: a first read of one block hashes no more than this. */
export const checkedPageBytes = 65_536;
/** Larger documents keep their name only. */
export const maxDocumentBytes = 2 * 1024 * 1024;
/** Text of one shard: bounds what a build holds in memory (about a byte and a half a byte of text). */
export const targetShardBytes = 64 * 1024 * 1024;

export const blockHasNonAscii = 1;
export const blockHasFoldingSpecials = 2;

/** What goes into a shard. */
export interface ShardDocument {
  /** Relative to the root, `/`-separated, any bytes but NUL. */
  readonly path: Uint8Array;
  /** Absent where `skip` is given. */
  readonly content?: Uint8Array;
  readonly skip?: SkipReason;
  /** Bytes of a skipped document, 0 if unknown. */
  readonly size?: number;
  /** Hexadecimal, `""` outside git. */
  readonly blob: string;
  readonly language: string;
  readonly category: DocumentCategory;
  /** Ascending. */
  readonly slots: readonly number[];
}

/** Every document whose set has `like` also gets `slot`. */
export interface Likeness {
  readonly slot: number;
  readonly like: number;
}

/** Gives a document of an older segment another set of slots. */
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
  readonly hashBytes: number;
  readonly languages: readonly string[];
  /** False in a shard that is made for a search or two: its few documents are all looked at. */
  readonly hasTrigrams: boolean;
  readonly likenesses: readonly Likeness[];
  readonly isDelta: boolean;
}

/** Documents `[firstDocument, endDocument)` are this repository's. */
export interface ShardRepository {
  readonly id: number;
  readonly firstDocument: number;
  readonly endDocument: number;
}

/** What one repository has of a shard. */
export interface ShardPartCounts {
  readonly id: number;
  readonly documentCount: number;
  readonly skippedCount: number;
  readonly contentBytes: number;
}

/** What a finished shard reports. */
export interface ShardSummary {
  readonly documentCount: number;
  readonly skippedCount: number;
  /** Bytes of text. */
  readonly contentBytes: number;
  /** Bytes of the whole file. */
  readonly shardBytes: number;
  /** It says something about documents of older segments. */
  readonly isDelta: boolean;
}
