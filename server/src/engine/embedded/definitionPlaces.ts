import type { Range } from "#model/match";
import { cutChunks } from "#shard/chunks";
import { RangeBuffer } from "#shard/ranges";
import type { DefinitionBody, SymbolReader } from "#shard/symbolReader";
import type { TextWindow } from "#shard/window";
import type { OpenShard } from "./shardSet";

/** Where a definition stands. */
export interface DefinitionPlace {
  readonly body: DefinitionBody;
  /** Of its name. */
  readonly range: Range;
  /** In which its name begins. */
  readonly line: string;
}

/** A line that is longer is shown in part. */
const maxLineLength = 1000;

/**
 * Where some definitions of one document stand, by their numbers. They are read together, because a document may have
 * many thousands, all in one line of a million bytes. Throws `SHARD_DAMAGED`.
 */
export function definitionPlaces(
  shard: OpenShard,
  symbols: SymbolReader,
  document: number,
  definitions: readonly number[],
  window: TextWindow,
): ReadonlyMap<number, DefinitionPlace> {
  const bodyOf = symbols.bodyReader(document);
  const places = new Map<number, DefinitionPlace>();
  const startOf = (definition: number) => symbols.places[definition] ?? 0;
  let left = [...definitions].sort((one, other) => startOf(one) - startOf(other));
  while (left.length > 0) {
    // Chunks are cut of ranges that do not overlap; the others have their turn afterwards.
    const [apart, overlapping] = takeApart(left, symbols);
    const ranges = new RangeBuffer();
    for (const definition of apart)
      ranges.push(startOf(definition), startOf(definition) + (symbols.lengths[definition] ?? 0), 0, 0);
    const text = { reader: shard.reader, window, document };
    let at = 0;
    for (const { content, matchRanges } of cutChunks(text, ranges, 0, ranges.length, 0)) {
      const line = firstLine(content);
      for (const range of matchRanges) {
        const definition = apart[at++] ?? 0;
        places.set(definition, { body: bodyOf(definition), range, line });
      }
    }
    left = overlapping;
  }
  return places;
}

function takeApart(definitions: readonly number[], symbols: SymbolReader): [number[], number[]] {
  const apart: number[] = [];
  const overlapping: number[] = [];
  let end = -1;
  for (const definition of definitions) {
    const start = symbols.places[definition] ?? 0;
    if (start < end) {
      overlapping.push(definition);
      continue;
    }
    apart.push(definition);
    // One without a length takes its place as well, so that none stands twice in one round.
    end = start + Math.max(1, symbols.lengths[definition] ?? 0);
  }
  return [apart, overlapping];
}

function firstLine(content: string): string {
  return (content.split("\n", 1)[0] ?? "").replace(/\r$/, "").slice(0, maxLineLength);
}
