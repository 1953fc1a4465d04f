/**
 * A symbol file contains the definitions and imports of a shard's documents. It is written after the shard, because
 * parsing takes much longer than indexing text, and text search need not wait for it.
 *
 * ## Layout
 *
 * A symbol file is a shard (`shard.ts`) of one document: the distinct names of all definitions, one per line, so that
 * names are found with the same blocks, trigrams and finders as text. Names are sorted by their folded forms, then by
 * themselves, and a name's number is its line minus one. These sections follow those of the shard:
 *
 * | section | contents |
 * |---|---|
 * | symbols | JSON, see `SymbolMeta` |
 * | states | u8 per document: 0 = parsed, 1 = yet to be parsed, 2 and higher = not parsed for reason `meta.reasons[state - 2]` |
 * | definitionStarts | u32 per document and one more: its first definition. Definitions are sorted by the offsets of their names |
 * | nameOffsets | a group of numbers per 64 definitions: the byte offsets of their names in the document, as differences modulo 2³²; without the first one |
 * | firstNameOffsets | u32 per group of `nameOffsets`: the first offset |
 * | lengths | u8 per definition: bytes of its name there; 255 = see `longLengths` |
 * | longNames | u32 per definition with a name of 255 bytes or more: its number, ascending |
 * | longLengths | u32 per item of `longNames`: bytes of the name, at most 65535 |
 * | kinds | u8 per definition: index in `symbolKinds`, plus 128 if it is local |
 * | nameNumbers | a group of numbers per 64 definitions: the numbers of their names, as zigzag differences |
 * | bodies | a group of numbers per 64 definitions: bytes from the start of the definition to its name, times 4, plus 2 if it has a parent, plus 1 if it has an owner; bytes from the end of the name to its end; the distance to the parent in definitions, if any; the index of the owner in `owners`, if any |
 * | owners | JSON list of strings |
 * | namesakes | a group of numbers per 64 names: for each name, its first definition, as a zigzag difference from that of the name before, times 2, plus 1 if it has others; if so, how many, and how many definitions are between each of them, ascending, and the one before |
 * | importStarts | u32 per document and one more: where its imports start in `imports` |
 * | imports | LEB128 numbers: indexes in `importNames` |
 * | importNames | JSON list of strings |
 *
 * Groups consist of LEB128 numbers. Differences in a group are from 0 or from the number before. For each section of
 * groups, `…Starts` has a u32 per group and one more: where the group starts.
 *
 * The checksums of the pages of `nameNumbers`, `bodies`, `namesakes` and `imports` are in `…Checks`, as for `content`.
 */
import type { DocumentSymbols } from "#model/symbol";

/** Incremented when this layout or the results of parsers change. Symbol files of other versions are rewritten. */
export const symbolsVersion = 4;

/** Of `lengths`: the length is in `longLengths`. */
export const longLength = 255;
/** Of `kinds`. */
export const isLocalBit = 128;
/** Of the first number of a body. */
export const hasParentBit = 2;
export const hasOwnerBit = 1;

/** What is known about the symbols of one document: the symbols, why there are none, or that parsing is pending. */
export type KnownSymbols =
  | ({ readonly kind: "parsed" } & DocumentSymbols)
  | { readonly kind: "unparsed"; readonly reason: string }
  | { readonly kind: "pending" };

export const pendingSymbols: KnownSymbols = { kind: "pending" };

export interface SymbolMeta {
  /** `ShardReader.stamp` of the shard. */
  readonly shardStamp: number;
  readonly documentCount: number;
  readonly definitionCount: number;
  readonly nameCount: number;
  readonly pendingCount: number;
  readonly reasons: readonly string[];
}

/** Properties of a finished symbol file. */
export interface SymbolSummary {
  readonly definitionCount: number;
  /** Documents that are yet to be parsed. */
  readonly pendingCount: number;
  /** Bytes of the whole file. */
  readonly fileBytes: number;
}
