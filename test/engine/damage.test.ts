import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import type { EngineResult } from "#engine/engine";
import { parseDescription } from "#query/description";
import type { Query } from "#query/query";
import { ShardDirectory } from "#shard/directory/directory";
import { rewriteShards } from "#shard/directory/rewrite";
import { loadChecksum } from "#shard/format/checksum";
import { Random } from "#test/support/corpus";
import { shardLayout } from "#test/support/damage";
import {
  literal,
  openEngine,
  openIndex,
  planOf,
  rangeLines,
  regexp,
  search,
  type TestRepositoryIndex,
} from "#test/support/engines";
import { eventually } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";
import { withoutPermission } from "#test/support/rights";

const largeText = `${Array.from({ length: 4000 }, (_, line) =>
  line % 400 === 7
    ? "a line of text that is long enough\n"
    : `some other line, the number of which is ${line}\n`,
).join("")}needle at the end\n`;

/** A base with a delta that hides, moves and adds documents; text of several pages; and another repository. */
const repositories: readonly TestRepositoryIndex[] = [
  {
    id: 1,
    revisions: [
      { name: "refs/heads/main", commit: "a".repeat(40), slot: 0 },
      { name: "refs/heads/next", commit: "b".repeat(40), slot: 1 },
    ],
    segments: [
      [
        { path: "src/stays.ts", content: "needle stays\n", language: "TypeScript" },
        { path: "src/goes.ts", content: "needle goes\n", language: "TypeScript" },
        { path: "large.txt", content: largeText },
        { path: "moved.ts", content: "needle moved\n", slots: [1] },
        { path: "pictures/needle.png", skip: "binary" },
      ],
      {
        documents: [{ path: "src/new.ts", content: "needle new\n", language: "TypeScript" }],
        overrides: [
          { segment: 0, document: 1, slots: [] },
          { segment: 0, document: 3, slots: [0, 1] },
        ],
        slotCopies: [{ slot: 2, like: 0 }],
      },
    ],
  },
  { id: 2, segments: [[{ path: "other.ts", content: "needle elsewhere\n" }]] },
];

const queries: readonly Query[] = [
  literal("needle", { where: "both" }),
  literal("that is long", { caseSensitive: true }),
  regexp("^needle \\w+$"),
  literal("ts", { where: "name" }),
  { kind: "and", children: [literal("needle"), { kind: "language", names: ["TypeScript"] }] },
  { kind: "and", children: [literal("needle"), { kind: "revision", names: ["next"] }] },
];

/** An unsaved document makes a search look up a path. */
const unsaved = [
  { repositoryId: 1 as never, path: "src/stays.ts", text: "unsaved\n", language: "", version: "1" },
];

async function searchAll(directory: ShardDirectory): Promise<{ results: EngineResult[]; damage: string[] }> {
  const { engine, damage } = openEngine(directory);
  const results: EngineResult[] = [];
  for (const query of queries) {
    results.push(await search(engine, query, { contextLines: 1 }));
    results.push(await engine.search(planOf(query, {}, { unsaved }), new AbortController().signal));
    await engine.search(planOf(query), new AbortController().signal, () => {});
  }
  const description = parseDescription("needles");
  results.push(await search(engine, { kind: "const", value: true }, {}, { description }));
  await engine.close();
  return { results, damage };
}

/** Checks that results contain no wrong range, that incomplete ones say so, and that damage is reported once. */
function checkResults(
  { results, damage }: Awaited<ReturnType<typeof searchAll>>,
  expected: readonly EngineResult[],
  file: string,
  label: string,
): void {
  const isReported = damage.includes(file);
  assert.deepEqual(damage, isReported ? [file] : [], label);
  for (const [index, result] of results.entries()) {
    const ranges = rangeLines(expected[index]?.files ?? []);
    const actual = rangeLines(result.files);
    assert.deepEqual(
      actual.filter((line) => !ranges.includes(line)),
      [],
      label,
    );
    const isDamaged = result.stats.flushReason === "SHARD_DAMAGED";
    assert.equal(result.isExhaustive, !isDamaged, label);
    assert.equal(result.stats.crashes, isDamaged ? 1 : 0, label);
    if (!isDamaged) assert.deepEqual(actual.slice(0, 3), ranges.slice(0, 3), `${label}, result ${index}`);
    else assert.ok(isReported, label);
  }
}

/** Returns offsets of each section's first, middle and last byte, in header, table and trailer, and random ones. */
function flipOffsets(bytes: Buffer): number[] {
  const { tableStart, sections } = shardLayout(bytes);
  const found = new Set([0, 7, 8, 12, tableStart, tableStart + 9, bytes.length - 17]);
  for (let at = bytes.length - 16; at < bytes.length; at++) found.add(at);
  for (const { offset, length } of sections) {
    for (const index of [0, length >> 1, length - 1]) found.add(offset + index);
    for (let page = 65_536; page < length; page += 65_536) found.add(offset + page);
  }
  const random = new Random(9);
  for (let count = 0; count < 30; count++) found.add(random.between(0, bytes.length - 1));
  return [...found];
}

test("a flipped bit anywhere never causes a wrong result", async () => {
  const directory = await openIndex(repositories);
  const { results: expected, damage } = await searchAll(directory);
  assert.deepEqual(damage, []);
  assert.ok(expected.every(({ isExhaustive }) => isExhaustive));
  const reported = new Set<string>();
  const files = [...directory.manifests().values()].flatMap(({ segments }) =>
    segments.map(({ file }) => file),
  );
  for (const file of files) {
    const path = join(directory.folder, file);
    const bytes = readFileSync(path);
    for (const offset of flipOffsets(bytes)) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8((bytes[offset] ?? 0) ^ 0x10, offset);
      writeFileSync(path, flipped);
      const found = await searchAll(directory);
      checkResults(found, expected, file, `${file}, byte ${offset} of ${bytes.length}`);
      if (found.damage.length > 0) reported.add(file);
    }
    writeFileSync(path, bytes);
  }
  assert.deepEqual([...reported], files);
});

test("truncated, empty and missing files are reported and cause no wrong result", async () => {
  const directory = await openIndex(repositories);
  const { results: expected } = await searchAll(directory);
  const files = [...directory.manifests().values()].flatMap(({ segments }) =>
    segments.map(({ file }) => file),
  );
  for (const file of files) {
    const path = join(directory.folder, file);
    const bytes = readFileSync(path);
    for (const length of [0, 1, 16, 31, 40, bytes.length >> 1, bytes.length - 1]) {
      writeFileSync(path, bytes.subarray(0, length));
      const found = await searchAll(directory);
      checkResults(found, expected, file, `${file} of ${length} bytes`);
      assert.deepEqual(found.damage, [file]);
    }
    rmSync(path);
    const found = await searchAll(directory);
    checkResults(found, expected, file, `no ${file}`);
    assert.deepEqual(found.damage, [file]);
    writeFileSync(path, bytes);
  }
});

test("files that were loaded before their shard turned out to be damaged are not part of the result", async () => {
  const random = new Random(3);
  const noise = () => Buffer.from(random.bytes(60)).toString("hex");
  const large = Array.from({ length: 150 }, (_, at) => ({
    path: `large${at}.txt`,
    content: Array.from({ length: 40 }, () => `needle ${noise()}\n`).join(""),
  }));
  const small = [1, 2].map((at) => ({ path: `small${at}.txt`, content: "needle\n".repeat(60) }));
  const directory = await openIndex([
    { id: 1, segments: [large] },
    { id: 2, segments: [small] },
  ]);
  const segment = [...directory.manifests().values()].find(({ repositoryId }) => repositoryId === 1)
    ?.segments[0];
  assert.ok(segment);
  const path = directory.pathOf(segment);
  const bytes = readFileSync(path);
  const content = shardLayout(bytes).sections.find(({ name }) => name === "content");
  assert.ok(content);
  const last = content.offset + content.length - 1;
  bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
  writeFileSync(path, bytes);
  const { files, stats } = await search(openEngine(directory).engine, literal("needle"));
  assert.deepEqual(
    [files.map((file) => file.path), stats.totalMatchCount, stats.actualMatchCount, stats.flushReason],
    [["small1.txt", "small2.txt"], 120, 120, "SHARD_DAMAGED"],
  );
});

test("a file that shrinks while it is open is reported", async () => {
  const directory = await openIndex(repositories);
  const { results: expected } = await searchAll(directory);
  const [segment] = directory.manifest(1)?.segments ?? [];
  const file = segment?.file ?? "";
  const path = join(directory.folder, file);
  const bytes = readFileSync(path);
  for (const isRead of [false, true]) {
    const { engine, damage } = openEngine(directory);
    if (isRead) for (const query of queries) await search(engine, query);
    else await search(engine, literal("nowhere at all"));
    truncateSync(path, 20);
    const results: EngineResult[] = [];
    for (const query of queries) {
      results.push(await search(engine, query, { contextLines: 1 }));
      results.push(await engine.search(planOf(query, {}, { unsaved }), new AbortController().signal));
    }
    checkResults({ results, damage }, expected, file, `read before: ${isRead}`);
    assert.deepEqual(damage, [file]);
    await engine.close();
    writeFileSync(path, bytes);
  }
});

test("a damaged manifest is reported and drops only its repository", async () => {
  const folder = temporaryFolder();
  const directory = await openIndex(repositories, { folder });
  const path = join(folder, "1.manifest");
  const bytes = readFileSync(path);
  const shards = directory
    .manifest(1)
    ?.segments.map(({ file }) => [file, readFileSync(join(folder, file))] as const);
  const restore = () => {
    for (const [file, content] of shards ?? []) writeFileSync(join(folder, file), content);
  };
  for (let offset = 0; offset < bytes.length; offset += 11) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8((bytes[offset] ?? 0) ^ 0x01, offset);
    writeFileSync(path, flipped);
    restore();
    const again = await ShardDirectory.open(folder);
    assert.deepEqual([...again.manifests().keys()], [2], `byte ${offset}`);
    assert.deepEqual(
      again.damagedManifests.map(([name]) => name),
      ["1.manifest"],
    );
    const { engine } = openEngine(again);
    assert.deepEqual(rangeLines((await search(engine, literal("needle"))).files), ["2 other.ts 0+6"]);
    await engine.close();
  }
  for (const text of ["", "trawl-manifest 1 0\n{}", "trawl-manifest 2 1\n{}", "{}"]) {
    writeFileSync(path, text);
    restore();
    const again = await ShardDirectory.open(folder);
    assert.deepEqual([...again.manifests().keys()], [2], text);
  }
  writeFileSync(path, bytes);
  restore();
  assert.deepEqual([...(await ShardDirectory.open(folder)).manifests().keys()].sort(), [1, 2]);
});

test("a manifest that lists a missing file drops its repository", async () => {
  const folder = temporaryFolder();
  const directory = await openIndex(repositories, { folder });
  rmSync(join(folder, directory.manifest(1)?.segments[1]?.file ?? ""));
  const again = await ShardDirectory.open(folder);
  assert.deepEqual([...again.manifests().keys()], [2]);
  assert.match(again.damagedManifests[0]?.[1] ?? "", /is missing/);
});

test("a shard that temporarily cannot be opened does not count as damaged, and is searched afterwards", async () => {
  const directory = await openIndex(repositories);
  const [{ file = "" } = {}] = directory.manifest(2)?.segments ?? [];
  const { results: expected } = await searchAll(directory);
  const { engine, damage } = await withoutPermission(join(directory.folder, file), async () => {
    const opened = openEngine(directory);
    const { files, stats, isExhaustive } = await search(opened.engine, literal("needle"));
    assert.ok(files.every(({ path }) => path !== "other.ts"));
    assert.deepEqual([stats.flushReason, stats.crashes, isExhaustive], ["ENGINE_PARTIAL", 0, false]);
    return opened;
  });
  await eventually(async () => (await search(engine, literal("needle"))).isExhaustive);
  const results: EngineResult[] = [];
  for (const query of queries) results.push(await search(engine, query, { contextLines: 1 }));
  const same = expected.slice(0, 2 * queries.length).filter((_, index) => index % 2 === 0);
  assert.deepEqual(
    results.map(({ files }) => rangeLines(files)),
    same.map(({ files }) => rangeLines(files)),
  );
  assert.deepEqual(damage, []);
  await engine.close();
});

test("a manifest that cannot be opened prevents opening the index, and nothing is deleted", async () => {
  const folder = temporaryFolder();
  await openIndex(repositories, { folder });
  const names = readdirSync(folder).sort();
  await withoutPermission(join(folder, "1.manifest"), () =>
    assert.rejects(ShardDirectory.open(folder), (error) => isServiceError(error, "STORAGE_FAILED")),
  );
  assert.deepEqual(readdirSync(folder).sort(), names);
  const again = await ShardDirectory.open(folder);
  assert.deepEqual([[...again.manifests().keys()].sort(), again.damagedManifests], [[1, 2], []]);
});

test("rewriting damaged shards leaves no draft and reports the file", async () => {
  const directory = await openIndex(repositories);
  const manifest = directory.manifest(1) ?? assert.fail();
  const segments = manifest.segments.map((segment) => directory.pathOf(segment));
  const [base = ""] = segments;
  const bytes = readFileSync(base);
  await loadChecksum();
  const draftPath = directory.newDraft();
  for (const offset of [20, 3000, bytes.length - 100]) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8((bytes[offset] ?? 0) ^ 0x10, offset);
    writeFileSync(base, flipped);
    const rewritten = await rewriteShards(
      { repositories: [{ id: 1, segments, liveSlots: [0, 1] }], from: 0, draftPath },
      () => false,
    );
    assert.deepEqual(rewritten, { kind: "damaged", path: base });
    assert.throws(() => readFileSync(draftPath), /ENOENT/);
  }
});
