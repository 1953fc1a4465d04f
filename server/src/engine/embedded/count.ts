/** Counts documents by properties that are known without reading texts: a few milliseconds for a hundred thousand. */
import type { Bitset } from "#base/bitset";
import { isServiceError } from "#base/error";
import type { ShardReader } from "#shard/format/reader";
import { restrictToRepositories } from "./searchedViews";
import type { CountCall } from "./searchMessages";
import { defaultUniverse, type OpenShard, revisionUniverse, type ShardSnapshot, viewOf } from "./shardSet";

const slash = 0x2f;
/** Maximum number of paths from one shard. A longer `start` matches fewer. */
const maxPaths = 500;

/** Returns the number of documents per key (`CountRequest.by`) in the shards of one worker. Omits damaged shards. */
export function countDocuments(snapshot: ShardSnapshot, call: CountCall): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (key: string, count: number) => counts.set(key, (counts.get(key) ?? 0) + count);
  for (const shard of snapshot.shards) {
    try {
      const documents = documentsOf(shard, call);
      if (call.by.kind === "language") countLanguages(shard.reader, documents, add);
      else if (call.by.kind === "name") countNames(shard.reader, documents, Buffer.from(call.by.folder), add);
      else countPaths(shard.reader, documents, call.by, add);
    } catch (error) {
      // Searches report the damage, so it is ignored here.
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
    }
  }
  return counts;
}

function documentsOf(shard: OpenShard, { repositories, revisions }: CountCall): Bitset {
  const isDefault = revisions.length === 0;
  const universe = isDefault ? defaultUniverse(shard).copy() : revisionUniverse(shard);
  if (!isDefault) universe.intersect(viewOf(shard, universe).ofRevisions(revisions));
  if (repositories !== "all") restrictToRepositories(universe, shard, new Set(repositories));
  return universe;
}

type Add = (key: string, count: number) => void;

function countLanguages(reader: ShardReader, documents: Bitset, add: Add): void {
  const indexes = reader.languageIndexes();
  const perLanguage = new Uint32Array(reader.meta.languages.length);
  for (let document = documents.next(0); document >= 0; document = documents.next(document + 1)) {
    const index = indexes[document] ?? 0;
    perLanguage[index] = (perLanguage[index] ?? 0) + 1;
  }
  for (const [index, count] of perLanguage.entries()) {
    if (count > 0) add(reader.meta.languages[index] ?? "", count);
  }
}

function countNames(reader: ShardReader, documents: Bitset, folder: Uint8Array, add: Add): void {
  const names = Buffer.from(reader.names.buffer, reader.names.byteOffset, reader.names.byteLength);
  const starts = reader.nameStarts;
  // Documents of one folder are mostly adjacent, so its name is decoded once.
  let lastStart = 0;
  let lastEnd = 0;
  let count = 0;
  const flush = () => {
    if (count > 0) add(names.toString("utf8", lastStart, lastEnd), count);
  };
  for (let document = documents.next(0); document >= 0; document = documents.next(document + 1)) {
    const start = starts[document] ?? 0;
    const end = (starts[document + 1] ?? 1) - 1;
    const from = start + folder.length;
    if (from >= end || !isAt(names, start, folder, 0, folder.length)) continue;
    let to = from;
    while (to < end && names[to++] !== slash);
    const isSame =
      count > 0 && to - from === lastEnd - lastStart && isAt(names, from, names, lastStart, lastEnd);
    if (!isSame) {
      flush();
      lastStart = from;
      lastEnd = to;
      count = 0;
    }
    count++;
  }
  flush();
}

function countPaths(
  reader: ShardReader,
  documents: Bitset,
  by: { readonly folder: string; readonly start: string },
  add: Add,
): void {
  const { names, nameStarts: starts } = reader;
  const folder = Buffer.from(by.folder);
  const wanted = Buffer.from(by.start).map(lower);
  let found = 0;
  for (let document = documents.next(0); document >= 0; document = documents.next(document + 1)) {
    const start = starts[document] ?? 0;
    const end = (starts[document + 1] ?? 1) - 1;
    let from = end;
    while (from > start && names[from - 1] !== slash) from--;
    let at = 0;
    while (at < wanted.length && lower(names[from + at] ?? 0) === wanted[at]) at++;
    if (at < wanted.length || from - start <= folder.length) continue;
    if (!isAt(names, start, folder, 0, folder.length)) continue;
    add(Buffer.from(names.subarray(start, end)).toString("utf8"), 1);
    if (++found === maxPaths) return;
  }
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/**
 * Whether `text` contains `bytes[start, end)` at `offset`. Compares backward, because paths often share their start.
 */
function isAt(text: Uint8Array, offset: number, bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = end - 1; at >= start; at--) if (text[offset + at - start] !== bytes[at]) return false;
  return true;
}
