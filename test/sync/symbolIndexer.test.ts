import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type DraftGate, IndexFull, openGate } from "#indexing/draftGate";
import type { Overlay } from "#overlay/overlay";
import { fileSource, memorySource } from "#platform/byteSource";
import type { Clock } from "#platform/clock";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import { ShardDirectory } from "#shard/directory/directory";
import { loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { MemorySink, ShardWriter } from "#shard/format/writer";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import { Compactor } from "#sync/compactor";
import { SymbolIndexer } from "#sync/symbolIndexer";
import { listUnparsed, type WorkerResult, type WorkerTask, workerTask } from "#sync/workerTasks";
import { openIndex, publish, type TestDocument } from "#test/support/engines";
import { eventually } from "#test/support/eventually";
import { testParsers } from "#test/support/testLanguage";

/** A clock whose timers fire almost at once. */
const fastClock: Clock = {
  now: () => 1,
  elapsed: () => 1,
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(delayMs, 5));
    return () => clearTimeout(timer);
  },
};

interface Started {
  readonly indexer: SymbolIndexer;
  /** Texts that were parsed, in order. */
  readonly parsed: string[];
  readonly overlays: (Overlay & { readonly symbols: Uint8Array })[];
  readonly damaged: string[];
  idle(): Promise<void>;
}

function start(
  directory: ShardDirectory,
  change: {
    readonly isBusy?: () => boolean;
    readonly changedAt?: (id: number) => number;
    readonly gate?: DraftGate;
  } = {},
): Started {
  const parsed: string[] = [];
  const overlays: (Overlay & { readonly symbols: Uint8Array })[] = [];
  const damaged: string[] = [];
  const indexer = new SymbolIndexer({
    directory,
    gate: change.gate ?? openGate(directory),
    pool: poolOf(parsed),
    log: silentLog,
    parserCount: () => 1,
    isBusy: change.isBusy ?? (() => false),
    changedAt: change.changedAt ?? (() => 0),
    onDamage: (file) => damaged.push(file),
    onOverlay: (_, overlay) => overlays.push(overlay),
    clock: fastClock,
  });
  const idle = async () => {
    await eventually(() => indexer.isSettled);
  };
  return { indexer, parsed, overlays, damaged, idle };
}

function poolOf(parsed: string[]): Pool<WorkerTask, WorkerResult> {
  return inlineThread(
    workerTask(
      undefined,
      testParsers((text) => parsed.push(text)),
    ),
  );
}

const go = (path: string, content: string): TestDocument => ({ path, content, language: "Go" });

test("every shard gets symbols, which are copied for contents already parsed in any repository", async () => {
  const directory = await openIndex([
    {
      id: 1,
      segments: [[go("a.go", "def a\n"), go("b.go", "def b\n"), { path: "c.txt", content: "def c\n" }]],
    },
    { id: 2, segments: [[go("copy/a.go", "def a\n"), go("d.go", "def d\n")]] },
  ]);
  const { indexer, parsed, idle } = start(directory, { changedAt: (id) => -id });
  assert.equal(indexer.isReady(1), false);
  await idle();
  assert.deepEqual(parsed, ["def a\n", "def b\n", "def d\n"]);
  assert.deepEqual([indexer.isReady(1), indexer.isReady(2), indexer.isReady(3)], [true, true, false]);
  await publish(
    directory,
    { id: 1, segments: [[go("moved.go", "def b\n"), go("e.go", "def e\n")]] },
    { keepSegments: true },
  );
  assert.equal(indexer.isReady(1), false);
  await idle();
  assert.deepEqual(parsed.slice(3), ["def e\n"]);
  assert.equal(indexer.isReady(1), true);
  await indexer.close();
});

test("the same text in another language is parsed separately", async () => {
  const content = "def a\n";
  const directory = await openIndex([
    {
      id: 1,
      segments: [[go("a.go", content), { path: "a.py", content, language: "Python" }, go("b.go", content)]],
    },
  ]);
  const { indexer, parsed, idle } = start(directory);
  await idle();
  assert.ok(parsed.length >= 2);
  await indexer.close();
});

test("repositories in use are parsed first, then recently changed ones, but none while text is indexed", async () => {
  const directory = await openIndex(
    [1, 2, 3].map((id) => ({ id, segments: [[go("a.go", `def a${id}\n`)]] })),
  );
  let isBusy = true;
  let polls = 0;
  const { indexer, parsed, idle } = start(directory, {
    isBusy: () => ++polls > 0 && isBusy,
    changedAt: (id) => id,
  });
  indexer.prioritize([1]);
  await eventually(() => polls >= 3);
  assert.deepEqual(parsed, []);
  isBusy = false;
  await idle();
  assert.deepEqual(parsed, ["def a1\n", "def a3\n", "def a2\n"]);
  await indexer.close();
});

test("while other drafts take the disk space, a shard waits for it and everything else goes on", async () => {
  const directory = await openIndex([{ id: 1, segments: [[go("a.go", "def a\n")]] }]);
  const open = openGate(directory);
  let hasRoom = false;
  let refusedCount = 0;
  const gate: DraftGate = {
    ...open,
    async write(task) {
      if (hasRoom) return await open.write(task);
      refusedCount++;
      throw new IndexFull({ canRetry: true });
    },
  };
  const { indexer, parsed, idle } = start(directory, { gate });
  await eventually(() => refusedCount > 0);
  assert.equal(indexer.isReady(1), false);
  setTimeout(() => {
    hasRoom = true;
  }, 1);
  await idle();
  assert.deepEqual([parsed, indexer.isReady(1)], [["def a\n"], true]);
  await indexer.close();
});

test("symbols are deleted with their shard, and kept when it is compacted", async () => {
  const directory = await openIndex(
    Array.from({ length: 20 }, (_, at) => ({ id: at + 1, segments: [[go("a.go", `def a${at}\n`)]] })),
  );
  const { indexer, parsed, idle } = start(directory);
  await idle();
  assert.equal(parsed.length, 20);
  const compactor = new Compactor({
    directory,
    gate: openGate(directory),
    pool: poolOf(parsed),
    log: silentLog,
    isBusy: () => false,
    onDamage: assert.fail,
    clock: fastClock,
  });
  const filesOf = (ending: string) => readdirSync(directory.folder).filter((name) => name.endsWith(ending));
  await eventually(() => filesOf(".shard").length === 1);
  await compactor.close();
  await idle();
  assert.equal(parsed.length, 20);
  assert.equal(filesOf(".symbols").length, 1);
  assert.equal(indexer.isReady(7), true);
  for (let id = 1; id <= 20; id++) await directory.remove(id);
  assert.deepEqual([filesOf(".shard"), filesOf(".symbols")], [[], []]);
  await indexer.close();
});

test("a shard that is compacted while partly parsed is parsed completely", async () => {
  const directory = await openIndex(
    Array.from({ length: 20 }, (_, at) => ({
      id: at + 1,
      segments: [[go("a.go", `def a${at}\n`), { path: "b.txt", content: `${at}\n` }]],
    })),
  );
  let isBusy = false;
  const { indexer, parsed, idle } = start(directory, { isBusy: () => isBusy });
  await eventually(() => parsed.length >= 5);
  isBusy = true;
  const compactor = new Compactor({
    directory,
    gate: openGate(directory),
    pool: poolOf(parsed),
    log: silentLog,
    isBusy: () => false,
    onDamage: assert.fail,
    clock: fastClock,
  });
  const shards = () => readdirSync(directory.folder).filter((name) => name.endsWith(".shard"));
  await eventually(() => shards().length === 1);
  await compactor.close();
  isBusy = false;
  await idle();
  assert.equal(parsed.length, 20);
  for (let id = 1; id <= 20; id++) assert.equal(indexer.isReady(id), true);
  await indexer.close();
});

test("a restart keeps existing symbols, and deletes those of deleted shards", async () => {
  const directory = await openIndex([{ id: 1, segments: [[go("a.go", "def a\n")]] }]);
  const first = start(directory);
  await first.idle();
  await first.indexer.close();
  const again = await ShardDirectory.open(directory.folder);
  const second = start(again);
  assert.equal(second.indexer.isReady(1), true);
  await second.indexer.close();
  const [symbols] = readdirSync(directory.folder).filter((name) => name.endsWith(".symbols"));
  await again.dropSymbols(symbols ?? "");
  const third = start(await ShardDirectory.open(directory.folder));
  await third.idle();
  assert.deepEqual(third.parsed, ["def a\n"]);
  await third.indexer.close();
});

test("a file that crashes the parser keeps its reason, and is not retried", async () => {
  const directory = await openIndex([{ id: 1, segments: [[go("a.go", "crash\n"), go("b.go", "def b\n")]] }]);
  const { indexer, parsed, idle } = start(directory);
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
  await indexer.close();
});

test("only changed files of a working tree are parsed", async () => {
  const directory = await openIndex([{ id: 1, segments: [[go("a.go", "def a\n")]] }]);
  const { indexer, parsed, overlays, idle } = start(directory);
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
    await eventually(() => overlays.length >= count);
  };
  indexer.setOverlay(1, overlayOf(["def x\n", "def a\n"]));
  await overlaid(1);
  // Contents shared with the commit were parsed with that.
  assert.deepEqual(parsed, ["def a\n", "def x\n"]);
  indexer.setOverlay(1, overlayOf(["def x\n", "def y\n"]));
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
  await indexer.close();
});

test("unparsed documents are listed with their reasons while a ref contains them", async () => {
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
    const request = {
      repositoryId: 1,
      segmentPaths: segments.map((segment) => directory.pathOf(segment)),
      symbolPaths: segments.map(({ file }) => {
        const symbolFile = directory.symbols.of(file);
        return symbolFile === undefined ? undefined : join(directory.folder, symbolFile);
      }),
      slots: [0],
    };
    const documents = await listUnparsed(poolOf([]), request, signal);
    return documents.map(({ path, language, reason, sizeBytes }) => [path, language, reason, sizeBytes]);
  };
  assert.deepEqual(await unparsed(), []);
  const { indexer, idle } = start(directory);
  await idle();
  assert.deepEqual(await unparsed(), [
    ["a.go", "Go", "crashed", 6],
    ["sub/b.go", "Go", "crashed", 8],
  ]);
  const repaired = {
    documents: [go("a.go", "def a\n")],
    overrides: [{ segment: 0, document: 1, slots: [] }],
  };
  await publish(directory, { id: 1, segments: [repaired] }, { keepSegments: true });
  await idle();
  assert.deepEqual(await unparsed(), [["sub/b.go", "Go", "crashed", 8]]);
  await indexer.close();
});
