/** The threads and parsers that searches on Zoekt nodes share. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CandidateParser } from "#engine/zoekt/candidateParser";
import { type VerifyThread, VerifyThreads } from "#engine/zoekt/verifyThreads";
import { monotonicNow } from "#platform/clock";
import { eventually } from "#test/support/eventually";
import { testParsers } from "#test/support/testLanguage";

type VerifyCall = Parameters<VerifyThread["run"]>[0];

const assignments = { version: 0, repositories: [], byId: new Map() };

/** Threads that only count how many are open. */
function openThreads(count = 1) {
  const open = new Set<VerifyThread>();
  let startCount = 0;
  const threads = new VerifyThreads(count, () => {
    const thread: VerifyThread = {
      run: async () => ({ kind: "ready" }),
      async close() {
        open.delete(thread);
      },
      async end() {
        open.delete(thread);
      },
    };
    open.add(thread);
    startCount++;
    return thread;
  });
  return { threads, open, startCount: () => startCount };
}

/** A slow search that ends when `finish` is called or its signal fires. */
function slowSearch(threads: VerifyThreads) {
  const controller = new AbortController();
  const search = { hasStarted: false, finish: () => {}, cancel: () => controller.abort() };
  const done = threads.runSlow(assignments, controller.signal, async () => {
    search.hasStarted = true;
    await new Promise<void>((resolve) => {
      search.finish = resolve;
      controller.signal.addEventListener("abort", () => resolve());
    });
  });
  return Object.assign(search, { done });
}

test("slow searches share two threads, in the order of their calls", async () => {
  const { threads, open, startCount } = openThreads();
  const searches = Array.from({ length: 4 }, () => slowSearch(threads));
  const started = () => searches.map(({ hasStarted }) => hasStarted);
  await eventually(() => searches[1]?.hasStarted === true);
  assert.deepEqual(started(), [true, true, false, false]);
  searches[0]?.finish();
  await eventually(() => searches[2]?.hasStarted === true);
  assert.deepEqual(started(), [true, true, true, false]);
  assert.equal(startCount(), 2);
  for (const search of searches) {
    await eventually(() => search.hasStarted);
    search.finish();
    await search.done;
  }
  assert.equal(open.size, 2);
  await threads.close();
  assert.equal(open.size, 0);
});

test("a canceled slow search waits no longer, and its thread is not used again", async () => {
  const { threads, open, startCount } = openThreads();
  const [first, second, waiting, last] = Array.from({ length: 4 }, () => slowSearch(threads));
  waiting?.cancel();
  await assert.rejects(waiting?.done ?? Promise.resolve(), { code: "CANCELLED" });
  first?.cancel();
  await first?.done;
  await eventually(() => last?.hasStarted === true);
  assert.deepEqual([open.size, startCount()], [2, 3]);
  second?.finish();
  last?.finish();
  await Promise.all([second?.done, last?.done]);
  await threads.close();
});

test("documents of a node go to the thread that knows them, unless it is busier", async () => {
  const { threads } = openThreads(2);
  /** Starts a call that ends with `finish`. */
  const start = (node: string) => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let on: VerifyThread | undefined;
    const use = (thread: VerifyThread) => {
      on = thread;
      return finished;
    };
    const done = threads.run(assignments, use, node);
    const end = async () => {
      finish();
      await done;
    };
    return { on, end };
  };
  const [a, b] = [start("a"), start("b")];
  assert.notEqual(a.on, b.on);
  await Promise.all([a.end(), b.end()]);
  const calls = ["b", "a", "b", "b", "b"].map(start);
  assert.deepEqual(
    calls.map(({ on }) => (on === a.on ? "a" : "b")),
    ["b", "a", "b", "b", "a"],
  );
  await Promise.all(calls.map(({ end }) => end()));
  await threads.close();
});

test("a search finds its repositories on a thread that knows those of a later one", async () => {
  const calls: unknown[] = [];
  const threads = new VerifyThreads(1, () => ({
    async run(call) {
      calls.push(call.kind === "repositories" ? call.repositories[0]?.node : call.kind);
      return { kind: "ready" };
    },
    async close() {},
    async end() {},
  }));
  const on = (version: number, node: string) => ({
    version,
    repositories: [{ id: 1, name: "a", node, branches: [], defaultRevision: "" }],
    byId: new Map(),
  });
  const call = { kind: "files", token: 1 } as VerifyCall;
  await threads.run(on(1, "old"), async (earlier) => {
    await earlier.run(call);
    await threads.run(on(2, "new"), (later) => later.run(call));
    await earlier.run(call);
    await earlier.run(call);
  });
  assert.deepEqual(calls, ["old", "files", "new", "files", "old", "files", "files"]);
  await threads.close();
});

test("the caches of all threads together are limited, whatever their number", async () => {
  const mib = 1024 * 1024;
  const cachesOf = async (count: number) => {
    const limits: number[] = [];
    const threads = new VerifyThreads(count, (_onExit, cacheBytes) => {
      limits.push(cacheBytes / mib);
      return { run: async () => ({ kind: "ready" }), async close() {}, async end() {} };
    });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const use = () => finished;
    const { signal } = new AbortController();
    const searches = Array.from({ length: count }, () => threads.run(assignments, use));
    searches.push(threads.runSlow(assignments, signal, use), threads.runSlow(assignments, signal, use));
    await eventually(() => limits.length === count + 2);
    finish();
    await Promise.all(searches);
    await threads.close();
    return limits;
  };
  assert.deepEqual(await cachesOf(1), [96, 96, 96]);
  const many = await cachesOf(14);
  assert.deepEqual(
    many,
    Array.from({ length: 16 }, () => 32),
  );
});

test("texts are parsed once, in their order until the time limit, and cached within a limit of bytes", async () => {
  const parsed: string[] = [];
  const parsers = testParsers((text) => parsed.push(text));
  const parser = new CandidateParser(parsers, 20_000);
  const textsOf = (...names: readonly string[]) =>
    names.map((name) => ({ key: `Go ${name}`, language: "Go", content: Buffer.from(`def ${name}\n`) }));
  const { signal } = new AbortController();
  const later = () => monotonicNow() + 10_000;
  const known = await parser.symbolsOf(textsOf("a", "b"), later(), signal);
  assert.deepEqual([...known.keys()], ["Go a", "Go b"]);
  await parser.symbolsOf(textsOf("b", "c"), later(), signal);
  assert.deepEqual(parsed, ["def a\n", "def b\n", "def c\n"]);
  const late = await parser.symbolsOf(textsOf("a", "late"), monotonicNow() - 1, signal);
  assert.deepEqual([...late.keys()].includes("Go a"), true);
  const many = Array.from({ length: 200 }, (_, at) => `name${at}`);
  await parser.symbolsOf(textsOf(...many), later(), signal);
  parsed.length = 0;
  await parser.symbolsOf(textsOf("a", "name199"), later(), signal);
  assert.deepEqual(parsed, ["def a\n"]);
  await assert.rejects(parser.symbolsOf(textsOf("x"), later(), AbortSignal.abort()), { code: "CANCELLED" });
});
