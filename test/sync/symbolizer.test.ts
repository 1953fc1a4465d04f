import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Overlay } from "#overlay/overlay";
import { fileSource, memorySource } from "#platform/byteSource";
import type { Clock } from "#platform/clock";
import { silentLog } from "#platform/log";
import { type Pool, thisThread } from "#platform/workers";
import { loadChecksum } from "#shard/checksum";
import { ShardDirectory } from "#shard/directory";
import { ShardReader } from "#shard/reader";
import { SymbolReader } from "#shard/symbolReader";
import { MemorySink, ShardWriter } from "#shard/writer";
import { Compactor } from "#sync/compactor";
import { Symbolizer } from "#sync/symbolizer";
import { askUnparsed, indexWork, type Work, type WorkAnswer } from "#sync/work";
import { openIndex, publish, type TestDocument } from "#test/support/engines";
import { testParsers } from "#test/support/testLanguage";

/** Waits pass at once, so that nothing here takes longer than its work. */
const hurried: Clock = {
  now: () => 1,
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(delayMs, 5));
    return () => clearTimeout(timer);
  },
};

interface Started {
  readonly symbolizer: Symbolizer;
  /** Texts that were parsed, in order. */
  readonly parsed: string[];
  readonly overlays: (Overlay & { readonly symbols: Uint8Array })[];
  readonly damaged: string[];
  idle(): Promise<void>;
}

function start(
  directory: ShardDirectory,
  change: { readonly isBusy?: () => boolean; readonly changedAt?: (id: number) => number } = {},
): Started {
  const parsed: string[] = [];
  const overlays: (Overlay & { readonly symbols: Uint8Array })[] = [];
  const damaged: string[] = [];
  const symbolizer = new Symbolizer({
    directory,
    pool: poolOf(parsed),
    log: silentLog,
    parserCount: () => 1,
    isBusy: change.isBusy ?? (() => false),
    changedAt: change.changedAt ?? (() => 0),
    onDamage: (file) => damaged.push(file),
    onOverlay: (_, overlay) => overlays.push(overlay),
    clock: hurried,
  });
  const idle = async () => {
    while (!symbolizer.isAtRest) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { symbolizer, parsed, overlays, damaged, idle };
}

function poolOf(parsed: string[]): Pool<Work, WorkAnswer> {
  return thisThread(
    indexWork(
      undefined,
      testParsers((text) => parsed.push(text)),
    ),
  );
}

const go = (path: string, content: string): TestDocument => ({ path, content, language: "Go" });

test("every shard gets its symbols; what was parsed before, in whichever repository, is copied", async () => {
  const directory = await openIndex([
    {
      id: 1,
      segments: [[go("a.go", "def a\n"), go("b.go", "def b\n"), { path: "c.txt", content: "def c\n" }]],
    },
    { id: 2, segments: [[go("copy/a.go", "def a\n"), go("d.go", "def d\n")]] },
  ]);
  const { symbolizer, parsed, idle } = start(directory, { changedAt: (id) => -id });
  assert.equal(symbolizer.isReady(1), false);
  await idle();
  assert.deepEqual(parsed, ["def a\n", "def b\n", "def d\n"]);
  assert.deepEqual(
    [symbolizer.isReady(1), symbolizer.isReady(2), symbolizer.isReady(3)],
    [true, true, false],
  );
  await publish(
    directory,
    { id: 1, segments: [[go("moved.go", "def b\n"), go("e.go", "def e\n")]] },
    { keepSegments: true },
  );
  assert.equal(symbolizer.isReady(1), false);
  await idle();
  assert.deepEqual(parsed.slice(3), ["def e\n"]);
  assert.equal(symbolizer.isReady(1), true);
  await symbolizer.close();
});

test("the same text in another language is another content", async () => {
  const content = "def a\n";
  const directory = await openIndex([
    {
      id: 1,
      segments: [[go("a.go", content), { path: "a.py", content, language: "Python" }, go("b.go", content)]],
    },
  ]);
  const { symbolizer, parsed, idle } = start(directory);
  await idle();
  assert.ok(parsed.length >= 2);
  await symbolizer.close();
});

test("what somebody works with comes first, then what changed last; nothing while text is indexed", async () => {
  const directory = await openIndex(
    [1, 2, 3].map((id) => ({ id, segments: [[go("a.go", `def a${id}\n`)]] })),
  );
  let isBusy = true;
  const { symbolizer, parsed, idle } = start(directory, { isBusy: () => isBusy, changedAt: (id) => id });
  symbolizer.use([1]);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(parsed, []);
  isBusy = false;
  await idle();
  assert.deepEqual(parsed, ["def a1\n", "def a3\n", "def a2\n"]);
  await symbolizer.close();
});

test("symbols go with their shard, and stay when it is written again", async () => {
  const directory = await openIndex(
    Array.from({ length: 20 }, (_, at) => ({ id: at + 1, segments: [[go("a.go", `def a${at}\n`)]] })),
  );
  const { symbolizer, parsed, idle } = start(directory);
  await idle();
  assert.equal(parsed.length, 20);
  const compactor = new Compactor({
    directory,
    pool: poolOf(parsed),
    log: silentLog,
    isBusy: () => false,
    onDamage: assert.fail,
    clock: hurried,
  });
  const filesOf = (ending: string) => readdirSync(directory.folder).filter((name) => name.endsWith(ending));
  while (filesOf(".shard").length > 1) await new Promise((resolve) => setTimeout(resolve, 5));
  await compactor.close();
  await idle();
  assert.equal(parsed.length, 20);
  assert.equal(filesOf(".symbols").length, 1);
  assert.equal(symbolizer.isReady(7), true);
  for (let id = 1; id <= 20; id++) await directory.remove(id);
  assert.deepEqual([filesOf(".shard"), filesOf(".symbols")], [[], []]);
  await symbolizer.close();
});

test("what is written again before all of it was parsed is parsed to its end, beside what has no definitions", async () => {
  const directory = await openIndex(
    Array.from({ length: 20 }, (_, at) => ({
      id: at + 1,
      segments: [[go("a.go", `def a${at}\n`), { path: "b.txt", content: `${at}\n` }]],
    })),
  );
  let isBusy = false;
  const { symbolizer, parsed, idle } = start(directory, { isBusy: () => isBusy });
  while (parsed.length < 5) await new Promise((resolve) => setTimeout(resolve, 1));
  isBusy = true;
  const compactor = new Compactor({
    directory,
    pool: poolOf(parsed),
    log: silentLog,
    isBusy: () => false,
    onDamage: assert.fail,
    clock: hurried,
  });
  const shards = () => readdirSync(directory.folder).filter((name) => name.endsWith(".shard"));
  while (shards().length > 1) await new Promise((resolve) => setTimeout(resolve, 5));
  await compactor.close();
  isBusy = false;
  await idle();
  assert.equal(parsed.length, 20);
  for (let id = 1; id <= 20; id++) assert.equal(symbolizer.isReady(id), true);
  await symbolizer.close();
});

test("a new start finds the symbols of the last one, and sweeps those of shards that are gone", async () => {
  const directory = await openIndex([{ id: 1, segments: [[go("a.go", "def a\n")]] }]);
  const first = start(directory);
  await first.idle();
  await first.symbolizer.close();
  const again = await ShardDirectory.open(directory.folder);
  const second = start(again);
  assert.equal(second.symbolizer.isReady(1), true);
  await second.symbolizer.close();
  const [symbols] = readdirSync(directory.folder).filter((name) => name.endsWith(".symbols"));
  await again.dropSymbols(symbols ?? "");
  const third = start(await ShardDirectory.open(directory.folder));
  await third.idle();
  assert.deepEqual(third.parsed, ["def a\n"]);
  await third.symbolizer.close();
});

test("a file that no parser survives keeps its reason, and is not tried again", async () => {
  const directory = await openIndex([{ id: 1, segments: [[go("a.go", "crash\n"), go("b.go", "def b\n")]] }]);
  const { symbolizer, parsed, idle } = start(directory);
  await idle();
  assert.deepEqual(parsed, ["crash\n", "def b\n"]);
  const checksum = await loadChecksum();
  const [segment] = directory.manifest(1)?.segments ?? [];
  assert.ok(segment !== undefined);
  const shard = new ShardReader(fileSource(directory.pathOf(segment)), checksum);
  const file = join(directory.folder, directory.symbols.of(segment.file) ?? "");
  const symbols = new SymbolReader(fileSource(file), checksum, shard);
  assert.deepEqual(symbols.symbolsOf(0), { kind: "unparsed", reason: "crashed" });
  symbols.close();
  shard.close();
  await symbolizer.close();
});

test("a working tree is parsed where it has changed since the last time", async () => {
  const directory = await openIndex([{ id: 1, segments: [[go("a.go", "def a\n")]] }]);
  const { symbolizer, parsed, overlays, idle } = start(directory);
  await idle();
  const checksum = await loadChecksum();
  const overlayOf = (contents: readonly string[]): Overlay => {
    const sink = new MemorySink();
    const writer = new ShardWriter(sink, checksum);
    writer.beginRepository(1);
    for (const [at, content] of contents.entries())
      writer.add({
        path: Buffer.from(`${at}.go`),
        content: Buffer.from(content),
        blob: "",
        language: "Go",
        category: "source",
        slots: [],
      });
    writer.finish();
    return { bytes: sink.bytes(), hiddenPaths: [] };
  };
  const overlaid = async (count: number) => {
    while (overlays.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  symbolizer.setOverlay(1, overlayOf(["def x\n", "def a\n"]));
  await overlaid(1);
  // What it shares with the commit was parsed with that.
  assert.deepEqual(parsed, ["def a\n", "def x\n"]);
  symbolizer.setOverlay(1, overlayOf(["def x\n", "def y\n"]));
  await overlaid(2);
  assert.deepEqual(parsed.slice(2), ["def y\n"]);
  const [, last] = overlays;
  assert.ok(last !== undefined);
  const shard = new ShardReader(memorySource(last.bytes), checksum);
  const symbols = new SymbolReader(memorySource(last.symbols), checksum, shard);
  assert.deepEqual(
    [0, 1].map((definition) => symbols.name(definition)),
    ["x", "y"],
  );
  await symbolizer.close();
});

test("what cannot be parsed is listed with its reason while a ref has it", async () => {
  const directory = await openIndex([
    {
      id: 1,
      segments: [
        [
          go("sub/b.go", "crash 1\n"),
          go("a.go", "crash\n"),
          go("fine.go", "def fine\n"),
          { path: "notes.txt", content: "crash\n" },
          { path: "large.go", language: "Go", skip: "tooLarge" },
          { ...go("gone.go", "crash 2\n"), slots: [7] },
        ],
      ],
    },
  ]);
  const signal = new AbortController().signal;
  const unparsed = async () => {
    const segments = directory.manifest(1)?.segments ?? [];
    const question = {
      repositoryId: 1,
      segmentPaths: segments.map((segment) => directory.pathOf(segment)),
      symbolPaths: segments.map(({ file }) => {
        const companion = directory.symbols.of(file);
        return companion === undefined ? undefined : join(directory.folder, companion);
      }),
      slots: [0],
    };
    const documents = await askUnparsed(poolOf([]), question, signal);
    return documents.map(({ path, language, reason, sizeBytes }) => [path, language, reason, sizeBytes]);
  };
  assert.deepEqual(await unparsed(), []);
  const { symbolizer, idle } = start(directory);
  await idle();
  assert.deepEqual(await unparsed(), [
    ["a.go", "Go", "crashed", 6],
    ["sub/b.go", "Go", "crashed", 8],
  ]);
  const mended = { documents: [go("a.go", "def a\n")], overrides: [{ segment: 0, document: 1, slots: [] }] };
  await publish(directory, { id: 1, segments: [mended] }, { keepSegments: true });
  await idle();
  assert.deepEqual(await unparsed(), [["sub/b.go", "Go", "crashed", 8]]);
  await symbolizer.close();
});
