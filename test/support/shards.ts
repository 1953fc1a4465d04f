/** Shards that are written and read in memory. */
import { memorySource } from "#platform/byteSource";
import { loadChecksum } from "#shard/format/checksum";
import { NumberReader } from "#shard/format/numbers";
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
  const lists = sections.paged("postings", "postingChecks");
  const entries = new NumberReader(sections.bytes("trigrams"));
  const groups = sections.words("trigramGroups");
  const found: Record<string, string> = {};
  let trigram = 0;
  let start = 0;
  for (let index = 0; !entries.isAtEnd; index++) {
    if (index % 32 === 0) trigram = groups[(index / 32) * 3] ?? 0;
    trigram += entries.next();
    const list = new Uint8Array(entries.next());
    lists.read(start, list, 0, list.length);
    start += list.length;
    const name = Buffer.from([trigram >>> 16, trigram >>> 8, trigram]).toString("latin1");
    found[name] = Buffer.from(list).toString("hex");
  }
  return found;
}
