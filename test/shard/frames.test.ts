import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { isServiceError } from "#base/error";
import { memorySource } from "#platform/byteSource";
import { loadChecksum } from "#shard/format/checksum";
import { trainDictionary } from "#shard/format/dictionary";
import type { UpcomingBlocks } from "#shard/format/frames";
import { ShardReader } from "#shard/format/reader";
import { checkedPageBytes } from "#shard/format/shard";
import { threadWindow } from "#shard/format/window";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import { Random } from "#test/support/corpus";
import { shardLayout } from "#test/support/damage";
import { shardDocument } from "#test/support/engines";
import { projectRoot } from "#test/support/house";
import { readerOf, shardBytes } from "#test/support/shards";

/** More text than is used to train the dictionary, with documents that cannot be compressed, and one long line. */
function fill(writer: ShardWriter): void {
  const source = readFileSync(join(projectRoot(), "server/src/shard/format/writer.ts"), "utf8");
  const random = new Random(1);
  writer.beginRepository(1);
  const add = (content: string | Uint8Array) => {
    const document = shardDocument({ path: "file", content });
    writer.add(document);
    // Indexing reads one document after another into the same memory.
    document.content?.fill(0);
  };
  add("");
  add("one line");
  add(random.bytes(20_000));
  for (let index = 0; index < 500; index++) add(`${index}\n${source.replaceAll("Shard", `Part${index}`)}`);
  add("line without end ".repeat(100_000));
  add(random.bytes(100_000).map((byte) => (byte === 0x0a ? 0 : byte)));
  add("");
}

async function readersOf(): Promise<Record<"plain" | "packed", ShardReader>> {
  const plain = await shardBytes(fill);
  const packed = await shardBytes(fill, { formatVersion: 4 });
  assert.ok(packed.length < 0.5 * plain.length, `${packed.length} of ${plain.length}`);
  return { plain: await readerOf(plain), packed: await readerOf(packed) };
}

test("compressed text is the same as text that is not compressed, in every range", async () => {
  const { plain, packed } = await readersOf();
  packed.verify();
  assert.deepEqual(packed.meta, plain.meta);
  for (let document = 0; document < plain.meta.documentCount; document++) {
    assert.deepEqual(packed.readContent(document), plain.readContent(document));
  }
  const { length } = plain.content;
  assert.ok(length > 5_000_000, `${length}`);
  assert.equal(packed.content.length, length);
  const read = (reader: ShardReader, start: number, count: number) => {
    const bytes = new Uint8Array(count + 2).fill(7);
    reader.content.read(start, bytes, 1, count);
    return bytes;
  };
  const lengths = fc.oneof(fc.nat(20), fc.nat(10_000), fc.nat(400_000));
  fc.assert(
    fc.property(fc.nat(length), lengths, (start, wanted) => {
      const count = Math.min(wanted, length - start);
      assert.deepEqual(read(packed, start, count), read(plain, start, count));
    }),
    { numRuns: 300 },
  );
  assert.throws(
    () => read(packed, length - 5, 6),
    (error) => isServiceError(error, "SHARD_DAMAGED"),
  );
});

test("shards that are read alternately do not see each other's text", async () => {
  const shards = await Promise.all(
    ["one", "other"].map(async (word) => {
      const writer = (shard: ShardWriter) => {
        shard.beginRepository(1);
        for (let index = 0; index < 2000; index++)
          shard.add(shardDocument({ path: "file", content: `${word} ${index} `.repeat(100) }));
      };
      return readerOf(await shardBytes(writer, { formatVersion: 4 }));
    }),
  );
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 2000; index++) {
      const texts = shards.map((shard) => Buffer.from(shard.readContent(index)).toString());
      assert.deepEqual(texts, [`one ${index} `.repeat(100), `other ${index} `.repeat(100)]);
    }
  }
});

/** A shard of documents of 4 KB that cannot be compressed, one block each. */
async function noiseShard(): Promise<{
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}> {
  const random = new Random(5);
  const bytes = await shardBytes(
    (writer) => {
      writer.beginRepository(1);
      for (let at = 0; at < 300; at++)
        writer.add(
          shardDocument({ path: `${at}`, content: Buffer.from(random.bytes(1500)).toString("hex") }),
        );
    },
    { formatVersion: 4 },
  );
  const content = shardLayout(Buffer.from(bytes)).sections.find(({ name }) => name === "content");
  assert.ok(content);
  return { bytes: Buffer.from(bytes), start: content.offset, end: content.offset + content.length };
}

function readBlock(reader: ShardReader, block: number, upcoming: UpcomingBlocks): void {
  const start = reader.blockStarts[block] ?? 0;
  const text = new Uint8Array((reader.blockStarts[block + 1] ?? 0) - start);
  reader.content.read(start, text, 0, text.length, upcoming);
}

test("upcoming frames that are close to each other are read with few calls, others by themselves", async () => {
  const { bytes, start, end } = await noiseShard();
  const source = memorySource(bytes);
  const readsOf = async (step: number) => {
    let [count, readBytes] = [0, 0];
    const read: typeof source.read = (position, target, offset, length) => {
      // Other reads check a whole page.
      if (position >= start && position < end && target.length !== checkedPageBytes) {
        count++;
        readBytes += length;
      }
      source.read(position, target, offset, length);
    };
    const reader = new ShardReader({ ...source, length: bytes.length, read }, await loadChecksum());
    const blocks = Uint32Array.from({ length: Math.ceil(300 / step) }, (_, index) => index * step);
    for (const [index, block] of blocks.entries()) readBlock(reader, block, { blocks, at: index + 1 });
    return { count, share: readBytes / (end - start) };
  };
  for (const step of [1, 2, 5]) {
    const { count, share } = await readsOf(step);
    assert.ok(count < 30 && share < 1.1, `every ${step}: ${count} reads, ${share} of the text`);
  }
  const { count, share } = await readsOf(30);
  assert.ok(count === 10 && share < 0.1, `${count} reads, ${share} of the text`);
});

test("damage of a page does not affect frames of the pages before", async () => {
  const { bytes, start } = await noiseShard();
  bytes.writeUInt8(
    bytes.readUInt8(start + 2 * checkedPageBytes + 100) ^ 1,
    start + 2 * checkedPageBytes + 100,
  );
  const all = Uint32Array.from({ length: 300 }, (_, block) => block);
  const damagedOf = async (isFresh: boolean, blocks: Uint32Array | undefined) => {
    let reader = await readerOf(bytes);
    const damaged: number[] = [];
    for (let document = 0; document < 300; document++) {
      if (isFresh) reader = await readerOf(bytes);
      try {
        readBlock(reader, document, { blocks, at: document + 1 });
      } catch (error) {
        assert.ok(isServiceError(error, "SHARD_DAMAGED"));
        damaged.push(document);
      }
    }
    return damaged;
  };
  const alone = await damagedOf(true, new Uint32Array());
  assert.ok(alone.length > 10 && alone.length < 50, `${alone.length}`);
  for (const blocks of [all, undefined]) assert.deepEqual(await damagedOf(false, blocks), alone);
});

test("the window contains the blocks that were requested, whichever are upcoming", async () => {
  const { bytes } = await noiseShard();
  const reader = await readerOf(bytes);
  const other = await readerOf(await shardBytes(fill, { formatVersion: 3 }));
  const { kernels } = threadWindow();
  const count = reader.meta.blockCount;
  fc.assert(
    fc.property(
      fc.array(fc.nat(count + 2), { maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(count - 1), fc.nat(20), fc.nat(60), fc.boolean()), { maxLength: 20 }),
      (numbers, loads) => {
        // Damage can lead to blocks past the last one.
        const blocks = Uint32Array.from(new Set(numbers)).sort();
        for (const [from, length, at, isKnown] of loads) {
          const to = Math.min(count, from + 1 + length);
          const upcoming = { blocks: isKnown ? blocks : undefined, at: Math.min(at, blocks.length) };
          if (at % 7 === 0) threadWindow().load(other, 0, 1, upcoming);
          const address = threadWindow().load(reader, from, to, upcoming);
          const [start, end] = [reader.blockStarts[from] ?? 0, reader.blockStarts[to] ?? 0];
          const loaded = kernels.bytes.subarray(address, address + end - start);
          const text = new Uint8Array(end - start);
          reader.content.read(start, text, 0, text.length);
          assert.deepEqual(new Uint8Array(loaded), text);
        }
      },
    ),
  );
});

test("a compressed shard whose version is changed to that of plain text is damaged", async () => {
  const bytes = await shardBytes(fill, { formatVersion: 4 });
  bytes[8] = 1;
  const reader = await readerOf(bytes);
  assert.throws(
    () => reader.readContent(1),
    (error) => isServiceError(error, "SHARD_DAMAGED"),
  );
});

test("a frame that cannot be decompressed is reported as damage, even if its checksum matches", () => {
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, () => 0, { formatVersion: 4 });
  fill(writer);
  writer.finish();
  const bytes = sink.bytes();
  // The first compressed frame follows the header, one short line and 20,000 random bytes.
  bytes.fill(0xff, 20_100, 21_000);
  const reader = new ShardReader(memorySource(bytes), () => 0);
  assert.throws(
    () => reader.readContent(3),
    (error) => isServiceError(error, "SHARD_DAMAGED"),
  );
});

test("a dictionary contains what recurs", () => {
  const random = new Random(2);
  const lines = Array.from({ length: 3000 }, (_, index) => {
    const noise = Buffer.from(random.bytes(60 + (index % 10))).toString("latin1");
    const often = "static int probe(struct platform_device *device, unsigned long flags)";
    return `${noise}${often}${index % 10 === 0 ? "module_init(register_this_driver_now);" : ""}`;
  });
  const text = Buffer.from(lines.join("\n"), "latin1");
  const dictionary = Buffer.from(trainDictionary(text, 2048));
  assert.equal(dictionary.length, 2048);
  assert.ok(dictionary.includes("static int probe(struct platform_device *device"));
  assert.ok(dictionary.includes("module_init(register_this"));
  assert.equal(trainDictionary(text, 100).length, 0);
  assert.equal(trainDictionary(new Uint8Array(), 65_536).length, 0);
});
