import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { memorySource } from "#platform/byteSource";
import { parseManifests, printManifest } from "#shard/directory/manifest";
import { loadChecksum } from "#shard/format/checksum";
import { type LookupCounts, PostingLists } from "#shard/format/postings";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { threadWindow } from "#shard/format/window";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import { shardLayout } from "#test/support/damage";
import { shardDocument } from "#test/support/engines";
import { projectRoot } from "#test/support/house";
import { listsOf, readerOf, sectionsOf, shardBytes } from "#test/support/shards";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

/** Three documents of two repositories, one of them skipped. */
function tiny(writer: ShardWriter): void {
  writer.beginRepository(7);
  writer.add({
    ...shardDocument({ path: "a.c", content: "Ab\nabc", language: "C" }),
    blob: "aa".repeat(20),
  });
  writer.add({
    ...shardDocument({ path: "doc/K.md", content: "\u212aey\n", language: "Markdown", slots: [0, 2] }),
    category: "documentation",
    blob: "bb".repeat(20),
  });
  writer.beginRepository(9);
  writer.add({ ...shardDocument({ path: "x", skip: "binary" }), size: 5_000_000_000, blob: "" });
}

test("blobs of SHA-1 and SHA-256 repositories are read as they were written", async () => {
  const sha1 = ["ab".repeat(20), `${"cd".repeat(17)}000000`, `0000${"ef".repeat(18)}`, "", "12".repeat(20)];
  const sha256 = ["34".repeat(32), `${"56".repeat(29)}000000`, "", `00${"78".repeat(31)}`];
  for (const blobs of [sha1, sha256, [...sha1, ...sha256]]) {
    const reader = await readerOf(
      await shardBytes((writer) => {
        writer.beginRepository(1);
        for (const [at, blob] of blobs.entries())
          writer.add({ ...shardDocument({ path: `${at}`, content: `${at}` }), blob });
      }),
    );
    const documents = blobs.map((_, document) => document);
    assert.deepEqual(
      documents.map((document) => reader.blob(document)),
      blobs,
    );
    assert.deepEqual(documents.map(reader.blobs(0, blobs.length)), blobs);
    assert.deepEqual(documents.slice(1, 4).map(reader.blobs(1, 4)), blobs.slice(1, 4));
  }
});

test("the sections of a tiny shard have the documented bytes", async () => {
  const bytes = await shardBytes(tiny);
  const sections = await sectionsOf(bytes);
  const words = (name: string) => [...sections.words(name)];
  const hex = (name: string) => Buffer.from(sections.bytes(name)).toString("hex");
  assert.equal(Buffer.from(bytes.subarray(0, 16)).toString("hex"), "545241574c5348440300000000000000");
  assert.equal(text(bytes.subarray(-8)), "TRAWLEND");
  assert.equal(text(bytes.subarray(16, 28)), "Ab\nabc\u212aey\n");
  assert.deepEqual(sections.json("meta"), {
    repositories: [
      { id: 7, firstDocument: 0, endDocument: 2 },
      { id: 9, firstDocument: 2, endDocument: 3 },
    ],
    documentCount: 3,
    blockCount: 2,
    skippedCount: 1,
    contentBytes: 12,
    hashBytes: 20,
    languages: ["C", "Markdown", ""],
    hasTrigrams: true,
    likenesses: [],
    isDelta: false,
  });
  assert.deepEqual(
    {
      contentStarts: words("contentStarts"),
      firstBlocks: words("firstBlocks"),
      blockStarts: words("blockStarts"),
      blockLines: words("blockLines"),
      blockFlags: hex("blockFlags"),
      names: text(sections.bytes("names")),
      nameStarts: words("nameStarts"),
      nameOrder: words("nameOrder"),
      documentTraits: hex("documentTraits"),
      documentLanguages: hex("documentLanguages"),
      documentSets: words("documentSets"),
      setStarts: words("setStarts"),
      setSlots: words("setSlots"),
      blobs: hex("blobs"),
      sizes: [...new Float64Array(sections.bytes("sizes").buffer)],
      overrides: words("overrides"),
    },
    {
      contentStarts: [0, 6, 12, 12],
      firstBlocks: [0, 1, 2, 2],
      blockStarts: [0, 6, 12],
      blockLines: [1, 1],
      blockFlags: "0003",
      names: "a.c\ndoc/K.md\nx\n",
      nameStarts: [0, 4, 13, 15],
      nameOrder: [0, 1, 2],
      documentTraits: "000110",
      documentLanguages: "000001000200",
      documentSets: [0, 1, 0],
      setStarts: [0, 1, 3],
      setSlots: [0, 0, 2],
      blobs: "aa".repeat(20) + "bb".repeat(20) + "00".repeat(20),
      sizes: [5_000_000_000],
      overrides: [],
    },
  );
});

test("a posting list that is half as long as its bitmap is stored as the bitmap", async () => {
  // Two blocks, so a bitmap is one byte: 01 the first, 02 the second. The Kelvin sign is also a `k`.
  const first = ["ab\n", "b\na", "\nab", "abc"].map((trigram) => [trigram, "01"]);
  const second = ["\xe2\x84\xaa", "\x84\xaae", "\xaaey", "ey\n", "key"].map((trigram) => [trigram, "02"]);
  assert.deepEqual(await listsOf(await shardBytes(tiny)), Object.fromEntries([...first, ...second]));
});

test("a posting list consists of gaps; a dense one is a bitmap", async () => {
  const lists = await listsOf(
    await shardBytes((writer) => {
      writer.beginRepository(1);
      let content = "";
      for (let block = 0; block < 40; block++) {
        const marks = [
          [1, 6, 7, 8].includes(block) ? "xyz" : "",
          block % 8 === 3 ? "uvw" : "",
          block === 39 ? "end" : "",
        ];
        content += `${marks.join(" ").padEnd(4095, "-")}\n`;
      }
      writer.add(shardDocument({ path: "blocks", content }));
    }),
  );
  const { xyz, uvw, end, "---": dashes } = lists;
  assert.deepEqual(
    { xyz, uvw, end, dashes },
    { xyz: "013a", uvw: "0808080808", end: "27", dashes: "ffffffffff" },
  );
});

test("a gap that needs more than a byte", async () => {
  const lists = await listsOf(
    await shardBytes((writer) => {
      writer.beginRepository(1);
      for (let document = 0; document < 300; document++)
        writer.add(
          shardDocument({ path: `${document}`, content: [0, 200, 299].includes(document) ? "xyz" : "-" }),
        );
    }),
  );
  assert.equal(lists["xyz"], "0080486802");
});

const noCounts = (): LookupCounts => ({ ngramLookups: 0, ngramMatches: 0, indexBytesLoaded: 0 });

const fixtures = join(projectRoot(), "test/fixtures");

/** Wrote the fixtures of all formats, which are never written again. */
function fixture(writer: ShardWriter): void {
  const lines = (count: number, line: string) => `${line}\n`.repeat(count);
  writer.markDelta();
  writer.copySlot({ slot: 3, like: 0 });
  writer.override({ segment: 0, document: 4, slots: [] });
  writer.override({ segment: 1, document: 0, slots: [0, 5] });
  writer.beginRepository(2);
  writer.add({
    ...shardDocument({
      path: "src/main.ts",
      content: lines(500, "const answer = 42;"),
      language: "TypeScript",
    }),
    blob: "0123456789abcdef".repeat(4),
  });
  writer.add(
    shardDocument({
      path: Buffer.from("caf\xe9/\n", "latin1"),
      content: Buffer.from("\xff\xfe\xfd", "latin1"),
    }),
  );
  writer.beginRepository(11);
  writer.add(shardDocument({ path: "empty", content: "", category: "generated", slots: [1, 2] }));
  writer.add({ ...shardDocument({ path: "large", skip: "tooLarge", category: "vendored" }), size: 3e9 });
}

for (const formatVersion of [1, 2, 3, 4] as const) {
  test(`shards of format ${formatVersion} stay readable`, async () => {
    const path = join(fixtures, `format${formatVersion}.shard`);
    const written = formatVersion === 3 || formatVersion === 4 ? { formatVersion } : undefined;
    if (written !== undefined && !existsSync(path)) writeFileSync(path, await shardBytes(fixture, written));
    const bytes = readFileSync(path);
    const reader = await readerOf(bytes);
    reader.verify();
    const documents = Array.from({ length: reader.meta.documentCount }, (_, document) => ({
      path: Buffer.from(reader.path(document)).toString("latin1"),
      length: reader.contentLength(document),
      start: Buffer.from(reader.readContent(document)).toString("latin1", 0, 20),
      language: reader.language(document),
      category: reader.category(document),
      skip: reader.skipReason(document),
      size: reader.skippedSize(document),
      blob: reader.blob(document).slice(0, 6),
      blobLength: reader.blob(document).length,
      repository: reader.meta.repositories.find((each) => document < each.endDocument)?.id,
    }));
    assert.deepEqual(documents, [
      {
        path: "src/main.ts",
        length: 9500,
        start: "const answer = 42;\nc",
        language: "TypeScript",
        category: "source",
        skip: undefined,
        size: 0,
        blob: "012345",
        blobLength: 64,
        repository: 2,
      },
      {
        path: "caf\xe9/\n",
        length: 3,
        start: "\xff\xfe\xfd",
        language: "",
        category: "source",
        skip: undefined,
        size: 0,
        blob: "79fc2f",
        blobLength: 40,
        repository: 2,
      },
      {
        path: "empty",
        length: 0,
        start: "",
        language: "",
        category: "generated",
        skip: undefined,
        size: 0,
        blob: "e69de2",
        blobLength: 40,
        repository: 11,
      },
      {
        path: "large",
        length: 0,
        start: "",
        language: "",
        category: "vendored",
        skip: "tooLarge",
        size: 3e9,
        blob: "9d649c",
        blobLength: 40,
        repository: 11,
      },
    ]);
    assert.deepEqual(reader.meta.likenesses, [{ slot: 3, like: 0 }]);
    assert.deepEqual([...reader.overrides], [0, 4, 0, 1, 0, 1]);
    assert.deepEqual([...reader.blockLines], [1, 217, 433, 1]);
    assert.deepEqual(reader.findPath(Buffer.from("large"), 0, 4), [3]);
    assert.deepEqual(reader.findPath(Buffer.from("large"), 0, 3), []);
    const lists = new PostingLists(reader, threadWindow(), noCounts(), false);
    const answer = lists.evaluate({ kind: "trigram", value: 0x616e73 });
    assert.deepEqual([...(answer ?? [])], [0, 1, 2]);
    const segments = new RepositorySegments(11, [reader]);
    assert.deepEqual(
      [...segments.documents()].map(({ document, slots }) => [document, ...slots]),
      [
        [2, 1, 2],
        [3, 0],
      ],
    );
    // A change of the written bytes needs another format number.
    if (written !== undefined) assert.deepEqual(Buffer.from(await shardBytes(fixture, written)), bytes);
  });
}

test("posting lists of format 2 stay readable", async () => {
  const reader = await readerOf(readFileSync(join(fixtures, "format2Lists.shard")));
  const lists = new PostingLists(reader, threadWindow(), noCounts(), false);
  const trigram = (value: number) => lists.evaluate({ kind: "trigram", value });
  assert.deepEqual([...(trigram(0x78797a) ?? [])], [0, 200, 299]);
  assert.deepEqual([...(trigram(0x78797b) ?? [])], []);
});

test("a posting list that is longer than all of them is damage, even if all checksums match", () => {
  const noChecksum = () => 0;
  const sink = new MemorySink();
  const writer = new ShardWriter(sink, noChecksum);
  tiny(writer);
  writer.finish();
  const bytes = Buffer.from(sink.bytes());
  const section = shardLayout(bytes).sections.find(({ name }) => name === "trigrams");
  for (const length of [[0x7f], [0xff, 0xff, 0xff, 0xff, 0x07], [0xff, 0xff, 0xff, 0xff, 0x7f]]) {
    // The first trigram is a newline, an `a` and a `b`.
    bytes.set([0, ...length], section?.offset);
    const reader = new ShardReader(memorySource(bytes), noChecksum);
    const lists = new PostingLists(reader, threadWindow(), noCounts(), false);
    assert.throws(
      () => lists.evaluate({ kind: "trigram", value: 0x0a6162 }),
      (error) => isServiceError(error, "SHARD_DAMAGED"),
    );
  }
});

test("manifests of format 1 stay readable", async () => {
  const checksum = await loadChecksum();
  const counts = { documentCount: 3, skippedCount: 1, contentBytes: 10, shardBytes: 900 };
  const manifest = {
    repositoryId: 5,
    generation: 3,
    name: "github.com/o/r",
    path: "/home/ann/src/r",
    kind: "clone",
    revisions: [{ name: "refs/heads/main", commit: "c".repeat(40), slot: 2 }],
    defaultRevision: "refs/heads/main",
    nextSlot: 3,
    segments: [
      { file: "1.shard", ...counts, isDelta: false },
      { file: "4.shard", ...counts, isDelta: true },
    ],
  } as const;
  const path = join(fixtures, "format1.manifest");
  if (!existsSync(path)) writeFileSync(path, printManifest(manifest, checksum));
  const bytes = readFileSync(path);
  assert.deepEqual(parseManifests(bytes, checksum), [manifest]);
  assert.equal(text(printManifest(manifest, checksum)), text(bytes));
});

test("anything but a shard of this format is rejected with a reason", async () => {
  const good = await shardBytes(tiny);
  const changed = (change: (bytes: Uint8Array) => void) => {
    const bytes = Uint8Array.from(good);
    change(bytes);
    return bytes;
  };
  const cases: readonly (readonly [Uint8Array, RegExp])[] = [
    [new Uint8Array(0), /too short/],
    [good.slice(0, 31), /too short/],
    [good.slice(0, -1), /is not a shard/],
    [changed((bytes) => bytes.fill(0x41, 0, 8)), /is not a shard/],
    [changed((bytes) => bytes.fill(5, 8, 9)), /Shard format 5 is not supported/],
    [changed((bytes) => bytes.fill(0xff, -16, -12)), /out of bounds/],
    [changed((bytes) => bytes.fill(0x20, -20, -19)), /checksum of the table of contents/],
  ];
  for (const [bytes, message] of cases) {
    await assert.rejects(readerOf(bytes), (error) => {
      assert.ok(isServiceError(error, "SHARD_DAMAGED"));
      assert.match(error.message, message);
      return true;
    });
  }
});

test("two shards can be written at the same time", async () => {
  const one = await shardBytes(tiny);
  const other = await shardBytes((outer) => {
    outer.beginRepository(1);
    outer.add(shardDocument({ path: "outer", content: "first part" }));
    void shardBytes(tiny);
    outer.add(shardDocument({ path: "more", content: "second part" }));
  });
  const lists = await listsOf(other);
  assert.deepEqual([lists["par"], lists["fir"], lists["sec"], lists["abc"]], ["03", "01", "02", undefined]);
  assert.deepEqual(await shardBytes(tiny), one);
});
