import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isServiceError } from "#base/error";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import { createSearchTask } from "#engine/embedded/searchTask";
import type { PresentedFiles, SearchThread } from "#engine/embedded/task";
import type { FileMatch } from "#model/match";
import { thisThread } from "#platform/workers";
import type { Limits } from "#query/limits";
import type { ShardDirectory } from "#shard/directory";
import { filesBelow } from "#test/support/corpus";
import {
  literal,
  openEngine,
  openIndex,
  planOf,
  publish,
  rangeLines,
  regexp,
  search,
  type TestEngine,
} from "#test/support/engines";

const isCancelled = (error: unknown) => isServiceError(error, "CANCELLED");

/** Looks beyond lines from every place of every text, which takes long and is cut by the time limit. */
const slow = regexp("(?s)(.*){1,32}[\u0001]");

describe("limits", () => {
  let over: TestEngine;
  before(async () => {
    const directory = await openIndex([
      { id: 1, segments: [filesBelow("server/src", 600_000)] },
      { id: 2, segments: [filesBelow("node_modules/fastify", 1_500_000)] },
      { id: 3, segments: [[{ path: "bad.txt", content: Buffer.from("\xefneedle\xff\r\n", "latin1") }]] },
    ]);
    over = openEngine(directory, { workerCount: 2, threads: true });
  });
  after(() => over.engine.close());

  test("a deadline that is over gives nothing, and says why", async () => {
    const { files, stats, exhaustive } = await search(over.engine, literal("export"), {
      deadline: Date.now() - 1,
    });
    assert.deepEqual(
      [files.length, stats.totalMatchCount, stats.flushReason, exhaustive],
      [0, 0, "TIME_LIMIT", false],
    );
  });

  test("a deadline in the middle", async () => {
    const startedAt = Date.now();
    const { stats } = await search(over.engine, slow, { deadline: startedAt + 700 });
    assert.equal(stats.flushReason, "TIME_LIMIT");
    assert.ok(Date.now() - startedAt < 4000);
    assert.ok(stats.duration > 1e8 && Number.isInteger(stats.duration));
  });

  test("cancelled before, at once and in the middle", async () => {
    await assert.rejects(over.engine.search(planOf(literal("a")), AbortSignal.abort()), isCancelled);
    const atOnce = new AbortController();
    const asked = over.engine.search(planOf(literal("e")), atOnce.signal);
    atOnce.abort();
    await assert.rejects(asked, isCancelled);
    for (const query of [slow, literal("e")]) {
      const middle = new AbortController();
      let isAborted = false;
      let late = 0;
      const streamed = over.engine.search(planOf(query), middle.signal, () => {
        if (isAborted) late++;
      });
      const ended = assert.rejects(streamed, isCancelled);
      await sleep(query === slow ? 500 : 1);
      middle.abort();
      isAborted = true;
      const abortedAt = performance.now();
      await ended;
      assert.ok(performance.now() - abortedAt < 500);
      await sleep(20);
      assert.equal(late, 0);
    }
    assert.equal((await search(over.engine, literal("needle"))).files.length > 0, true);
  });

  test("an expression that is none", async () => {
    for (const source of ["(", "a{2,1}", "(?=a)", "\\1", "x{1001}"]) {
      await assert.rejects(search(over.engine, regexp(source)), (error) =>
        isServiceError(error, "FAILED_TO_PARSE_QUERY"),
      );
    }
  });

  test("counting brings no files", async () => {
    const counted = await search(over.engine, literal("export"), { maxDisplayedMatches: 0 });
    const found = await search(over.engine, literal("export"));
    assert.deepEqual([counted.files, counted.exhaustive], [[], true]);
    assert.equal(counted.stats.totalMatchCount, found.stats.totalMatchCount);
    assert.equal(counted.stats.fileCount, found.stats.fileCount);
    assert.equal(counted.stats.actualMatchCount, 0);
  });

  test("a limit cuts ranges, not files, and is told", async () => {
    const all = await search(over.engine, literal("export"));
    for (const maxMatches of [1, 2, 5, 30]) {
      const { files, stats, exhaustive } = await search(over.engine, literal("export"), { maxMatches });
      assert.equal(rangeLines(files).length, maxMatches);
      assert.deepEqual(
        [stats.actualMatchCount, stats.flushReason, exhaustive],
        [maxMatches, "MATCH_LIMIT", false],
      );
      for (const { path, repositoryId, matchCount, chunks } of files) {
        const whole = all.files.find((file) => file.path === path && file.repositoryId === repositoryId);
        assert.equal(matchCount, whole?.matchCount);
        assert.ok(chunks.every(({ matchRanges }) => matchRanges.length > 0));
      }
    }
  });

  test("all there is, and not one more, is exhaustive", async () => {
    const { stats } = await search(over.engine, literal("ShardWriter"));
    const again = await search(over.engine, literal("ShardWriter"), { maxMatches: stats.totalMatchCount });
    assert.equal(again.exhaustive, true);
    const less = await search(over.engine, literal("ShardWriter"), { maxMatches: stats.totalMatchCount - 1 });
    assert.deepEqual([less.exhaustive, less.stats.flushReason], [false, "MATCH_LIMIT"]);
  });

  test("bytes of an answer", async () => {
    for (const streams of [false, true]) {
      const taken: FileMatch[] = [];
      const plan = planOf(literal("export"), { maxAnswerBytes: 30_000, whole: true });
      const onFiles = streams ? (files: readonly FileMatch[]) => void taken.push(...files) : undefined;
      const { files, stats, exhaustive } = await over.engine.search(
        plan,
        new AbortController().signal,
        onFiles,
      );
      const shown = streams ? taken : files;
      const bytes = shown.reduce(
        (sum, { content, chunks }) =>
          sum + content.length + chunks.reduce((all, chunk) => all + chunk.content.length, 0),
        0,
      );
      assert.ok(shown.length > 0);
      // Each worker that streams has its own share.
      assert.ok(bytes <= (streams ? 60_000 : 30_000), `${bytes}`);
      assert.deepEqual([stats.flushReason, exhaustive], ["BYTE_LIMIT", false]);
    }
  });

  test("whole files", async () => {
    const { files } = await search(over.engine, literal("needle", { caseSensitive: true }), { whole: true });
    const bad = files.find(({ path }) => path === "bad.txt");
    assert.equal(bad?.content, "\ufffdneedle\ufffd\r\n");
    assert.equal(bad?.chunks[0]?.content, bad?.content);
    assert.equal(bad?.chunks[0]?.matchRanges[0]?.start.column, 2);
    const { files: without } = await search(over.engine, literal("needle"));
    assert.ok(without.every(({ content }) => content === ""));
  });
});

test("a worker that dies: the answer says so, and the next one is whole again", async () => {
  const directory = await openIndex(
    [1, 2, 3, 4].map((id) => ({ id, segments: [[{ path: `${id}.ts`, content: "needle\n" }]] })),
  );
  const { engine, threads, damage } = openEngine(directory, { workerCount: 2, threads: true });
  try {
    assert.equal((await search(engine, literal("needle"))).files.length, 4);
    await threads[0]?.close();
    const during = await search(engine, literal("needle"));
    assert.deepEqual(
      [during.files.length, during.stats.flushReason, during.exhaustive],
      [2, "ENGINE_PARTIAL", false],
    );
    assert.equal(during.stats.crashes, 1);
    await publish(directory, { id: 5, segments: [[{ path: "5.ts", content: "needle\n" }]] });
    for (;;) {
      const { files, exhaustive } = await search(engine, literal("needle"));
      if (!exhaustive) {
        await sleep(20);
        continue;
      }
      assert.equal(files.length, 5);
      break;
    }
    assert.equal(threads.length, 3);
    const asked = search(engine, slow, { deadline: Date.now() + 5000 });
    await sleep(100);
    await Promise.all(threads.slice(3).map((thread) => thread.close()));
    const { stats } = await asked;
    assert.ok(["NONE", "ENGINE_PARTIAL", "TIME_LIMIT"].includes(stats.flushReason));
    assert.deepEqual(damage, []);
  } finally {
    await engine.close();
  }
});

test("searches that go on while the index changes see one state of each repository", async () => {
  const segmentsOf = (version: number) =>
    [0, 1, 2].map((part) => [{ path: `${part}.txt`, content: `needle version ${version}\n` }]);
  const directory = await openIndex([1, 2].map((id) => ({ id, segments: [segmentsOf(0)[0] ?? []] })));
  const { engine, damage } = openEngine(directory, { workerCount: 2, threads: true });
  let isDone = false;
  const changes = async () => {
    for (let version = 1; version <= 15; version++) {
      for (const id of [1, 2]) {
        // The first segment takes the place of all: a search sees one to three segments of the same version.
        await publish(directory, { id, segments: segmentsOf(version) });
      }
    }
    isDone = true;
  };
  const searches = async () => {
    let count = 0;
    for (; !isDone; count++) {
      const { files, exhaustive, stats } = await search(engine, regexp("version \\d+"));
      assert.equal(exhaustive, true, stats.flushReason);
      for (const id of [1, 2]) {
        const seen = files.filter((file) => (file.repositoryId as number) === id);
        const versions = new Set(seen.map(({ chunks }) => chunks[0]?.content));
        assert.equal(versions.size, 1);
        assert.deepEqual(
          seen.map(({ path }) => path).sort(),
          ["0.txt", "1.txt", "2.txt"].slice(0, seen.length),
        );
      }
    }
    return count;
  };
  const [, ...counts] = await Promise.all([changes(), searches(), searches(), searches()]);
  assert.ok(counts.every((count) => count > 5));
  assert.deepEqual(damage, []);
  const { files } = await search(engine, literal("version 15"));
  assert.equal(files.length, 6);
  await engine.close();
});

test("an engine that is closed while it searches", async () => {
  const directory = await openIndex([{ id: 1, segments: [filesBelow("server/src", 300_000)] }]);
  const { engine } = openEngine(directory, { workerCount: 2, threads: true });
  const asked = search(engine, slow, { deadline: Date.now() + 10_000 });
  await sleep(200);
  await engine.close();
  const exhaustive = await asked.then(
    (result) => result.exhaustive,
    (error) => !isServiceError(error, "ENGINE_UNAVAILABLE"),
  );
  assert.equal(exhaustive, false);
});

/** An engine on this thread; `watch` stands between it and its worker. */
function watchedEngine(directory: ShardDirectory, watch: (run: SearchThread["run"]) => SearchThread["run"]) {
  const startThread = () => {
    const thread = thisThread(createSearchTask());
    return { ...thread, run: watch(thread.run) };
  };
  return new EmbeddedEngine({ directory, workerCount: 1, startThread, onDamage: assert.fail });
}

const manyFiles = Array.from({ length: 200 }, (_, at) => ({
  path: `${at}.txt`,
  content: "needle in a line\n".repeat(100),
}));

test("an answer of many files crosses in pieces, whole and in order", async () => {
  const directory = await openIndex([{ id: 1, segments: [manyFiles] }]);
  const pieces: number[] = [];
  const count = (files: PresentedFiles) =>
    pieces.push(files.reduce((sum, file) => sum + (file?.byteCount ?? 0), 0));
  const engine = watchedEngine(directory, (run) => async (call, signal, onPartial) => {
    const answer = await run(call, signal, (piece) => {
      count(piece as PresentedFiles);
      return onPartial?.(piece);
    });
    if (answer.kind === "presented") count(answer.files);
    return answer;
  });
  const plain = openEngine(directory);
  const { files, exhaustive } = await search(engine, literal("needle"));
  assert.deepEqual(files, (await search(plain.engine, literal("needle"))).files);
  assert.deepEqual([files.length, rangeLines(files).length, exhaustive], [200, 20_000, true]);
  assert.ok(pieces.length > 10);
  // A piece may be longer by the file that fills it.
  assert.ok(Math.max(...pieces) < 160_000, `${Math.max(...pieces)}`);
});

test("what could not be presented in time is missing, and the answer says so", async () => {
  const directory = await openIndex([{ id: 1, segments: [manyFiles] }]);
  let isPresenting = false;
  const engine = watchedEngine(directory, (run) => (call, signal, onPartial) => {
    if (call.kind === "present") isPresenting = true;
    if (call.kind !== "search") return run(call, signal, onPartial);
    // The time is over in the moment in which everything has been found.
    const limits: Limits = {
      ...call.limits,
      get deadline() {
        return isPresenting ? 0 : Number.POSITIVE_INFINITY;
      },
    };
    return run({ ...call, limits }, signal, onPartial);
  });
  const { files, stats, exhaustive } = await search(engine, literal("needle"));
  const all = await search(openEngine(directory).engine, literal("needle"));
  assert.ok(files.length > 0 && files.length < 200, `${files.length} files`);
  assert.deepEqual(files, all.files.slice(0, files.length));
  assert.deepEqual(
    [stats.flushReason, stats.totalMatchCount, stats.actualMatchCount, exhaustive],
    ["TIME_LIMIT", 20_000, rangeLines(files).length, false],
  );
});
