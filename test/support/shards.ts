/** Shards that are written and read in memory. */
import { memorySource } from "#platform/byteSource";
import { loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { SectionReader } from "#shard/format/sections";
import { MemorySink, type ShardOptions, ShardWriter } from "#shard/format/writer";

export async function shardBytes(
  fill: (writer: ShardWriter) => void,
  options: ShardOptions = {},
): Promise<Uint8Array> {
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, await loadChecksum(), options);
  fill(writer);
  writer.finish();
  return sink.bytes();
}

export async function readerOf(bytes: Uint8Array): Promise<ShardReader> {
  return new ShardReader(memorySource(bytes), await loadChecksum());
}

/** Reads the sections of a shard as stored in the file. */
export async function sectionsOf(bytes: Uint8Array): Promise<SectionReader> {
  return new SectionReader(memorySource(bytes), await loadChecksum());
}

/** Returns each trigram with the bytes of its posting list, in hexadecimal. */
export async function listsOf(bytes: Uint8Array): Promise<Record<string, string>> {
  const sections = await sectionsOf(bytes);
  const starts = sections.words("postingStarts");
  const lists = sections.paged("postings", "postingChecks");
  const found: Record<string, string> = {};
  for (const [at, trigram] of sections.words("trigrams").entries()) {
    const list = new Uint8Array((starts[at + 1] ?? 0) - (starts[at] ?? 0));
    lists.read(starts[at] ?? 0, list, 0, list.length);
    const name = Buffer.from([trigram >>> 16, trigram >>> 8, trigram]).toString("latin1");
    found[name] = Buffer.from(list).toString("hex");
  }
  return found;
}
