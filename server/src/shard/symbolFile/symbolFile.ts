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
 * | places | u32 per definition: byte offset of its name in the document |
 * | lengths | u16 per definition: bytes of its name there, at most 65535 |
 * | kinds | u8 per definition: index in `symbolKinds`, plus 128 if it is local |
 * | nameNumbers | u32 per definition |
 * | bodyStarts | u32 per document and one more: where its bodies start in `bodies` |
 * | bodies | four LEB128 numbers per definition: bytes from its start to its name; from the end of the name to its end; distance to its parent in definitions, 0 = none; 0 or 1 + index of its owner in `owners` |
 * | owners | JSON list of strings |
 * | namesakeStarts | u32 per name and one more: where its definitions start in `namesakes` |
 * | namesakes | u32 per definition: those of the first name, ascending, then those of the second, … |
 * | importStarts | u32 per document and one more: where its imports start in `imports` |
 * | imports | LEB128 numbers: indexes in `importNames` |
 * | importNames | JSON list of strings |
 *
 * The checksums of the pages of `nameNumbers`, `bodies`, `namesakeStarts`, `namesakes` and `imports` are in `…Checks`,
 * as for `content`.
 */
import type { DocumentSymbols } from "#model/symbol";

/** Incremented when this layout or the results of parsers change. Symbol files of other versions are rewritten. */
export const symbolsVersion = 3;

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

/** Longer names are truncated. */
const maxNameLength = 1000;
const unprintable = /\p{Cc}+/gu;

/** Converts a name to its stored form: one line of limited length, not empty. */
export function storedName(name: string): string {
  const line = name.slice(0, maxNameLength).replace(unprintable, " ");
  // An unpaired surrogate is not valid in UTF-8.
  return Buffer.from(line).toString() || " ";
}

/** Compares by UTF-16 units, independently of the system. */
export function compareStrings(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
