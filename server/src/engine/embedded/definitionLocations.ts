import { decodeChunks, type Range } from "#model/match";
import type { TextWindow } from "#shard/format/window";
import { writeChunks } from "#shard/matches/chunks";
import { JsonWriter } from "#shard/matches/jsonWriter";
import { RangeBuffer } from "#shard/matches/ranges";
import type { DefinitionBody, SymbolReader } from "#shard/symbolFile/symbolReader";
import type { OpenShard } from "./shardSet";

/** The location of a definition. */
export interface DefinitionLocation {
  readonly body: DefinitionBody;
  /** The range of its name. */
  readonly range: Range;
  /** The line where its name starts, without its terminator; truncated to `maxLineLength`. */
  readonly line: string;
}

/** In UTF-16 code units. Longer lines are truncated. */
const maxLineLength = 1000;

/** Reused, because a search locates definitions of hundreds of documents. */
const writer = new JsonWriter();
const ranges = new RangeBuffer();

/**
 * Locates definitions of one document, by number. Reads them together, because there may be many thousands of them in
 * one line of a million bytes. Throws `SHARD_DAMAGED`.
 */
export function definitionLocations(
  shard: OpenShard,
  symbols: SymbolReader,
  document: number,
  definitions: readonly number[],
  window: TextWindow,
): ReadonlyMap<number, DefinitionLocation> {
  const bodyOf = symbols.bodyReader(document);
  const locations = new Map<number, DefinitionLocation>();
  // Ascending by the offsets of their names, too.
  let left = [...definitions].sort((one, other) => one - other);
  while (left.length > 0) {
    // Chunks require ranges that do not overlap; the others follow in the next round.
    const [apart, overlapping] = splitOverlapping(left, symbols);
    // Damage may have interrupted the last call.
    writer.truncate(0);
    ranges.length = 0;
    for (const definition of apart) {
      const start = symbols.nameOffset(definition);
      ranges.push(start, start + symbols.nameLength(definition), 0, 0);
    }
    const text = { reader: shard.reader, window, document };
    writeChunks(writer, text, { ranges, from: 0, to: ranges.length }, 0);
    let at = 0;
    for (const { content, matchRanges } of decodeChunks({ chunks: writer.take() })) {
      const line = firstLine(content);
      for (const range of matchRanges) {
        const definition = apart[at++] ?? 0;
        locations.set(definition, { body: bodyOf(definition), range, line });
      }
    }
    left = overlapping;
  }
  return locations;
}

function splitOverlapping(definitions: readonly number[], symbols: SymbolReader): [number[], number[]] {
  const apart: number[] = [];
  const overlapping: number[] = [];
  let end = -1;
  for (const definition of definitions) {
    const start = symbols.nameOffset(definition);
    if (start < end) {
      overlapping.push(definition);
      continue;
    }
    apart.push(definition);
    // An empty name counts as one byte, so that no position occurs twice in one round.
    end = start + Math.max(1, symbols.nameLength(definition));
  }
  return [apart, overlapping];
}

function firstLine(content: string): string {
  return (content.split("\n", 1)[0] ?? "").replace(/\r$/, "").slice(0, maxLineLength);
}
