/**
 * The symbols of a shard: a companion file with what its documents define and import, made after the shard itself,
 * because parsing takes much longer than indexing text, and searches need not wait for it.
 *
 * ## Layout
 *
 * A companion is a shard (shard.ts) of one document: the distinct names of all definitions, a name a line, so that
 * names are found by the same blocks, trigrams and finders as text. They stand in the order of their folded forms,
 * those that fold alike in their own order, and a name's number is its line less one. Behind the sections of the shard
 * come
 *
 * | section | holds |
 * |---|---|
 * | symbols | JSON, see `SymbolMeta` |
 * | states | u8 a document: 0 = parsed, 1 = still to be parsed, from 2 on 2 + index in `meta.reasons` why it was not |
 * | definitionStarts | u32 a document and one more: its first definition. They stand in the order of their names' places |
 * | places | u32 a definition: byte of its document where its name begins |
 * | lengths | u16 a definition: bytes of the name there, at most 65535 |
 * | kinds | u8 a definition: index in `symbolKinds`, and 128 = cannot be named from outside |
 * | nameNumbers | u32 a definition |
 * | bodyStarts | u32 a document and one more: where its bodies begin in `bodies` |
 * | bodies | LEB128 numbers, four a definition: bytes from its start to its name, from the name's end to its end; how many definitions before it its parent stands, 0 = none; 0 or 1 + its owner's index in `owners` |
 * | owners | JSON list of strings |
 * | namesakeStarts | u32 a name and one more: where its definitions begin in `namesakes` |
 * | namesakes | u32 a definition: those of the first name, ascending, those of the second, … |
 * | importStarts | u32 a document and one more: where its imports begin in `imports` |
 * | imports | LEB128 numbers: indexes in `importNames` |
 * | importNames | JSON list of strings |
 *
 * `nameNumbers`, `bodies`, `namesakeStarts`, `namesakes` and `imports` have their pages' checksums in `…Checks`, like `content`.
 */
import type { DocumentSymbols } from "#model/symbol";

/** Grows with this layout, and whenever parsers find something else: companions of another version are made anew. */
export const symbolsVersion = 3;

/** What is known of one document: its symbols, why it has none, or that it is still to be parsed. */
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

/** What a finished companion reports. */
export interface SymbolSummary {
  readonly definitionCount: number;
  /** Documents that are still to be parsed. */
  readonly pendingCount: number;
  /** Bytes of the whole file. */
  readonly fileBytes: number;
}

/** Longer names are cut: nobody types them. */
const maxNameLength = 1000;
const unprintable = /\p{Cc}+/gu;

/** A name as it is kept: one line, not empty, not endless. */
export function keptName(name: string): string {
  const line = name.slice(0, maxNameLength).replace(unprintable, " ");
  // A half of a surrogate pair is no UTF-8.
  return Buffer.from(line).toString() || " ";
}

/** ASCII letters in small ones, as posting lists have them. */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** By UTF-16 units, on every system alike. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
