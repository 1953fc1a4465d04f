import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isServiceError } from "#base/error";
import type { EngineResult } from "#engine/engine";
import type { Query } from "#query/query";
import { loadChecksum } from "#shard/checksum";
import { ShardDirectory } from "#shard/directory";
import { rewriteShards } from "#shard/rewrite";
import { Random } from "#test/support/corpus";
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
import { temporaryFolder } from "#test/support/repo";
import { withoutRightTo } from "#test/support/rights";

const largeText = `${Array.from({ length: 4000 }, (_, line) =>
  line % 400 === 7
    ? "a line of text that is long enough\n"
    : `some other line, the number of which is ${line}\n`,
).join("")}needle at the end\n`;

/** A base and a delta that hides, moves and adds; and another repository. Text of several pages, dense and rare lists. */
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
        likenesses: [{ slot: 2, like: 0 }],
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

async function answers(directory: ShardDirectory): Promise<{ results: EngineResult[]; damage: string[] }> {
  const { engine, damage } = openEngine(directory);
  const results: EngineResult[] = [];
  for (const query of queries) {
    results.push(await search(engine, query, { contextLines: 1 }));
    results.push(await engine.search(planOf(query, {}, { unsaved }), new AbortController().signal));
    await engine.search(planOf(query), new AbortController().signal, () => {});
  }
  await engine.close();
  return { results, damage };
}

/** Nothing that is not in the right answer; something missing only where the answer says so, and who is told once. */
function checkAnswers(
  { results, damage }: Awaited<ReturnType<typeof answers>>,
  right: readonly EngineResult[],
  file: string,
  label: string,
): void {
  const isTold = damage.includes(file);
  assert.deepEqual(damage, isTold ? [file] : [], label);
  for (const [index, result] of results.entries()) {
    const expected = new Set(rangeLines(right[index]?.files ?? []));
    const actual = rangeLines(result.files);
    assert.deepEqual(
      actual.filter((line) => !expected.has(line)),
      [],
      label,
    );
    const isDamaged = result.stats.flushReason === "SHARD_DAMAGED";
    assert.equal(result.exhaustive, !isDamaged, label);
    assert.equal(result.stats.crashes, isDamaged ? 1 : 0, label);
    if (!isDamaged)
      assert.deepEqual(
        rangeLines(result.files).slice(0, 3),
        rangeLines(right[index]?.files ?? []).slice(0, 3),
        `${label}, answer ${index}`,
      );
    else assert.ok(isTold, label);
  }
}

/** Offsets of each section's first, middle and last byte, of header, table and trailer, and some between them. */
function places(bytes: Buffer): number[] {
  const tableLength = bytes.readUInt32LE(bytes.length - 16);
  const tableStart = bytes.length - 16 - tableLength;
  const table = JSON.parse(bytes.toString("utf8", tableStart, bytes.length - 16)) as Record<
    string,
    [number, number, number]
  >;
  const found = new Set([0, 7, 8, 12, tableStart, tableStart + 9, bytes.length - 17]);
  for (let at = bytes.length - 16; at < bytes.length; at++) found.add(at);
  for (const [offset, length] of Object.values(table)) {
    if (length === 0) continue;
    for (const place of [0, length >> 1, length - 1]) found.add(offset + place);
    for (let page = 65_536; page < length; page += 65_536) found.add(offset + page);
  }
  const random = new Random(9);
  for (let count = 0; count < 30; count++) found.add(random.between(0, bytes.length - 1));
  return [...found];
}

test("a flipped byte anywhere never makes a wrong answer", async () => {
  const directory = await openIndex(repositories);
  const { results: right, damage } = await answers(directory);
  assert.deepEqual(damage, []);
  assert.ok(right.every(({ exhaustive }) => exhaustive));
  const told = new Set<string>();
  const files = [...directory.manifests().values()].flatMap(({ segments }) =>
    segments.map(({ file }) => file),
  );
  for (const file of files) {
    const path = join(directory.folder, file);
    const bytes = readFileSync(path);
    for (const place of places(bytes)) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8((bytes[place] ?? 0) ^ 0x10, place);
      writeFileSync(path, flipped);
      const found = await answers(directory);
      checkAnswers(found, right, file, `${file}, byte ${place} of ${bytes.length}`);
      if (found.damage.length > 0) told.add(file);
    }
    writeFileSync(path, bytes);
  }
  assert.deepEqual([...told], files);
});

test("truncated, empty and missing files", async () => {
  const directory = await openIndex(repositories);
  const { results: right } = await answers(directory);
  const files = [...directory.manifests().values()].flatMap(({ segments }) =>
    segments.map(({ file }) => file),
  );
  for (const file of files) {
    const path = join(directory.folder, file);
    const bytes = readFileSync(path);
    for (const length of [0, 1, 16, 31, 40, bytes.length >> 1, bytes.length - 1]) {
      writeFileSync(path, bytes.subarray(0, length));
      const found = await answers(directory);
      checkAnswers(found, right, file, `${file} of ${length} bytes`);
      assert.deepEqual(found.damage, [file]);
    }
    rmSync(path);
    const found = await answers(directory);
    checkAnswers(found, right, file, `no ${file}`);
    assert.deepEqual(found.damage, [file]);
    writeFileSync(path, bytes);
  }
});

test("a file that shrinks while it is open", async () => {
  const directory = await openIndex(repositories);
  const { results: right } = await answers(directory);
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
    checkAnswers({ results, damage }, right, file, `read before: ${isRead}`);
    assert.deepEqual(damage, [file]);
    await engine.close();
    writeFileSync(path, bytes);
  }
});

test("a damaged manifest is told of; its repository is gone, the others stay", async () => {
  const folder = temporaryFolder();
  const directory = await openIndex(repositories, { folder });
  const path = join(folder, "1.manifest");
  const bytes = readFileSync(path);
  const kept = directory
    .manifest(1)
    ?.segments.map(({ file }) => [file, readFileSync(join(folder, file))] as const);
  const restore = () => {
    for (const [file, content] of kept ?? []) writeFileSync(join(folder, file), content);
  };
  for (let place = 0; place < bytes.length; place += 11) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8((bytes[place] ?? 0) ^ 0x01, place);
    writeFileSync(path, flipped);
    restore();
    const again = await ShardDirectory.open(folder);
    assert.deepEqual([...again.manifests().keys()], [2], `byte ${place}`);
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

test("a manifest that names a file that is not there", async () => {
  const folder = temporaryFolder();
  const directory = await openIndex(repositories, { folder });
  rmSync(join(folder, directory.manifest(1)?.segments[1]?.file ?? ""));
  const again = await ShardDirectory.open(folder);
  assert.deepEqual([...again.manifests().keys()], [2]);
  assert.match(again.damagedManifests[0]?.[1] ?? "", /is missing/);
});

test("a shard that cannot be opened for a while is no damage, and is searched afterwards", async () => {
  const directory = await openIndex(repositories);
  const [{ file = "" } = {}] = directory.manifest(2)?.segments ?? [];
  const { results: right } = await answers(directory);
  const { engine, damage } = await withoutRightTo(join(directory.folder, file), async () => {
    const over = openEngine(directory);
    const { files, stats, exhaustive } = await search(over.engine, literal("needle"));
    assert.ok(files.every(({ path }) => path !== "other.ts"));
    assert.deepEqual([stats.flushReason, stats.crashes, exhaustive], ["ENGINE_PARTIAL", 0, false]);
    return over;
  });
  while (!(await search(engine, literal("needle"))).exhaustive) await sleep(50);
  const results: EngineResult[] = [];
  for (const query of queries) results.push(await search(engine, query, { contextLines: 1 }));
  assert.deepEqual(
    results.map(({ files }) => rangeLines(files)),
    right.filter((_, index) => index % 2 === 0).map(({ files }) => rangeLines(files)),
  );
  assert.deepEqual(damage, []);
  await engine.close();
});

test("a manifest that cannot be opened keeps the index from being opened, and from being thrown away", async () => {
  const folder = temporaryFolder();
  await openIndex(repositories, { folder });
  const names = readdirSync(folder).sort();
  await withoutRightTo(join(folder, "1.manifest"), () =>
    assert.rejects(ShardDirectory.open(folder), (error) => isServiceError(error, "STORAGE_FAILED")),
  );
  assert.deepEqual(readdirSync(folder).sort(), names);
  const again = await ShardDirectory.open(folder);
  assert.deepEqual([[...again.manifests().keys()].sort(), again.damagedManifests], [[1, 2], []]);
});

test("writing shards again from damaged ones leaves no draft and names the file", async () => {
  const directory = await openIndex(repositories);
  const manifest = directory.manifest(1) ?? assert.fail();
  const segments = manifest.segments.map((segment) => directory.pathOf(segment));
  const [base = ""] = segments;
  const bytes = readFileSync(base);
  await loadChecksum();
  const draftPath = directory.newDraft();
  for (const place of [20, 3000, bytes.length - 100]) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8((bytes[place] ?? 0) ^ 0x10, place);
    writeFileSync(base, flipped);
    const rewritten = await rewriteShards(
      { repositories: [{ id: 1, segments, liveSlots: [0, 1] }], from: 0, draftPath },
      () => false,
    );
    assert.deepEqual(rewritten, { kind: "damaged", path: base });
    assert.throws(() => readFileSync(draftPath), /ENOENT/);
  }
});
