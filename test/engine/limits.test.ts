import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isServiceError } from "#base/error";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { SearchThread } from "#engine/embedded/searchMessages";
import { createSearchTask } from "#engine/embedded/searchTask";
import type { SearchPlan } from "#engine/engine";
import { decodeChunks, type FileMatch } from "#model/match";
import type { PackedFiles } from "#model/packedFile";
import type { RepositoryId } from "#model/repository";
import { monotonicNow } from "#platform/clock";
import { inlineThread } from "#platform/inlineThread";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import type { ShardDirectory } from "#shard/directory/directory";
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
import { eventually } from "#test/support/eventually";

const isCanceled = (error: unknown) => isServiceError(error, "CANCELLED");

/** Slow in both engines: V8 tries all combinations of lengths, and the linear engine tracks a thousand states. */
const slow = regexp("(?s)e.{1,400}a.{1,400}[\\x01\\x02]");

/** Waits until all threads of this process together have used `ms` of processor time. */
async function computed(ms: number): Promise<void> {
  const start = process.cpuUsage();
  await eventually(() => process.cpuUsage(start).user > ms * 1000);
}

describe("limits", () => {
  let opened: TestEngine;
  before(async () => {
    const directory = await openIndex([
      { id: 1, segments: [filesBelow("server/src", 600_000)] },
      { id: 2, segments: [filesBelow("node_modules/fastify", 1_500_000)] },
      { id: 3, segments: [[{ path: "bad.txt", content: Buffer.from("\xefneedle\xff\r\n", "latin1") }]] },
    ]);
    opened = openEngine(directory, { workerCount: 2, threads: true });
  });
  after(() => opened.engine.close());

  test("a search past its deadline returns only the reason", async () => {
    const { files, stats, isExhaustive } = await search(opened.engine, literal("export"), {
      deadline: monotonicNow() - 1,
    });
    assert.deepEqual(
      [files.length, stats.totalMatchCount, stats.flushReason, isExhaustive],
      [0, 0, "TIME_LIMIT", false],
    );
  });

  test("a deadline ends a search", async () => {
    const startedAt = monotonicNow();
    const { stats } = await search(opened.engine, slow, { deadline: startedAt + 700 });
    assert.equal(stats.flushReason, "TIME_LIMIT");
    assert.ok(monotonicNow() - startedAt < 4000);
    assert.ok(stats.duration > 1e8 && Number.isInteger(stats.duration));
  });

  test("a search can be canceled before it starts, at once, and while it runs", async () => {
    await assert.rejects(opened.engine.search(planOf(literal("a")), AbortSignal.abort()), isCanceled);
    const immediate = new AbortController();
    const pending = opened.engine.search(planOf(literal("e")), immediate.signal);
    immediate.abort();
    await assert.rejects(pending, isCanceled);
    for (const query of [slow, literal("e")]) {
      const controller = new AbortController();
      let abortedAt = 0;
      let late = 0;
      const abort = () => {
        abortedAt = performance.now();
        controller.abort();
      };
      const streamed = opened.engine.search(planOf(query), controller.signal, () => {
        if (controller.signal.aborted) late++;
        else if (query !== slow) abort();
      });
      const ended = assert.rejects(streamed, isCanceled);
      if (query === slow) {
        await computed(500);
        abort();
      }
      await ended;
      assert.ok(performance.now() - abortedAt < 500);
      // Late files would arrive before those of another search.
      assert.ok((await search(opened.engine, literal("needle"))).files.length > 0);
      assert.equal(late, 0);
    }
  });

  test("invalid expressions are rejected", async () => {
    for (const source of ["(", "a{2,1}", "(?=a)", "\\1", "x{1001}"]) {
      await assert.rejects(search(opened.engine, regexp(source)), (error) =>
        isServiceError(error, "FAILED_TO_PARSE_QUERY"),
      );
    }
  });

  test("counting returns no files", async () => {
    const counted = await search(opened.engine, literal("export"), { maxDisplayedMatches: 0 });
    const found = await search(opened.engine, literal("export"));
    assert.deepEqual([counted.files, counted.isExhaustive], [[], true]);
    assert.equal(counted.stats.totalMatchCount, found.stats.totalMatchCount);
    assert.equal(counted.stats.fileCount, found.stats.fileCount);
    assert.equal(counted.stats.actualMatchCount, 0);
  });

  test("a limit cuts ranges, not files, and is reported", async () => {
    const all = await search(opened.engine, literal("export"));
    for (const maxMatches of [1, 2, 5, 30]) {
      const { files, stats, isExhaustive } = await search(opened.engine, literal("export"), { maxMatches });
      assert.equal(rangeLines(files).length, maxMatches);
      assert.deepEqual(
        [stats.actualMatchCount, stats.flushReason, isExhaustive],
        [maxMatches, "MATCH_LIMIT", false],
      );
      for (const file of files) {
        const { path, repositoryId, matchCount } = file;
        const whole = all.files.find((each) => each.path === path && each.repositoryId === repositoryId);
        assert.equal(matchCount, whole?.matchCount);
        assert.ok(decodeChunks(file).every(({ matchRanges }) => matchRanges.length > 0));
      }
    }
  });

  test("a limit per file leaves room for more files, and counts stay right", async () => {
    const flood = Buffer.from("needle\n".repeat(500));
    const single = (path: string) => ({ path, content: Buffer.from("needle\n") });
    const segments = (id: number) => [
      [{ path: `${id}.txt`, content: flood }, single("y.txt"), single("z.txt")],
    ];
    const directory = await openIndex([1, 2, 3].map((id) => ({ id, segments: segments(id) })));
    for (const workerCount of [1, 2]) {
      const { engine } = openEngine(directory, { workerCount });
      const shown = ({ path, matchCount, rangeCount }: FileMatch) => [path, matchCount, rangeCount];
      const limits = { maxMatches: 400, maxMatchesPerFile: 4 };
      const { files, stats, isExhaustive } = await search(engine, literal("needle"), limits);
      assert.deepEqual(
        [stats.totalMatchCount, stats.actualMatchCount, stats.fileCount, isExhaustive],
        [1506, 3 * 6, 9, true],
      );
      assert.deepEqual(
        new Set(files.map(shown).map(String)),
        new Set(["1.txt,500,4", "2.txt,500,4", "3.txt,500,4", "y.txt,1,1", "z.txt,1,1"]),
      );
      assert.equal(rangeLines(files).length, 3 * 6);
      const streamed: FileMatch[] = [];
      await engine.search(
        planOf(literal("needle"), limits),
        new AbortController().signal,
        (found) => void streamed.push(...found),
      );
      assert.deepEqual(streamed.map(shown).map(String).sort(), files.map(shown).map(String).sort());
      const less = await search(engine, literal("needle"), { maxMatches: 7, maxMatchesPerFile: 4 });
      assert.deepEqual([less.stats.actualMatchCount, less.stats.flushReason], [7, "MATCH_LIMIT"]);
      const names = await search(engine, literal("needle"), { ...limits, omitsChunks: true });
      assert.deepEqual(names.files.map(shown), files.map(shown));
      assert.ok(names.files.every((file) => decodeChunks(file).length === 0));
      assert.equal(names.stats.actualMatchCount, stats.actualMatchCount);
      await engine.close();
    }
  });

  test("files with the phrase come first, however many others contain its words", async () => {
    const words = Array.from({ length: 40 }, (_, number) => ({
      path: `words${number}.c`,
      content: Buffer.from("new Error;\nint Error(); // return new\n"),
    }));
    const segment = (id: number) => [
      ...words,
      { path: "z.c", content: Buffer.from(`${id};\n  return new Error(1);\n`) },
    ];
    const directory = await openIndex([1, 2, 3].map((id) => ({ id, segments: [segment(id)] })));
    const query: Query = { kind: "and", children: ["return", "new", "Error"].map((word) => literal(word)) };
    const phrase = { kind: "literal", text: "return new Error", caseSensitive: true } as const;
    for (const workerCount of [1, 2]) {
      const { engine } = openEngine(directory, { workerCount });
      const limits = { maxMatches: 10, explainsScores: true };
      const { files, stats, phraseMatchCount } = await search(engine, query, limits, { phrase });
      assert.equal(phraseMatchCount, 3);
      assert.deepEqual(
        files.slice(0, 4).map(({ path, repositoryId }) => `${repositoryId} ${path}`),
        ["1 z.c", "2 z.c", "3 z.c", "1 words0.c"],
      );
      assert.match(files[0]?.explanation ?? "", /phrase 20000/);
      assert.equal(stats.flushReason, "MATCH_LIMIT");
      const counted = await search(engine, query, { maxDisplayedMatches: 0 }, { phrase });
      assert.equal(counted.stats.totalMatchCount, 3 * (40 * 5 + 3));
      await engine.close();
    }
  });

  test("in a file with the phrase, its lines come first and are the last to be left out", async () => {
    const content = Buffer.from(`${"new Error; return\n".repeat(20)}\n  return new Error(1);\nnew\n`);
    const directory = await openIndex([{ id: 1, segments: [[{ path: "a.c", content }]] }]);
    const { engine } = openEngine(directory, { workerCount: 1 });
    const query: Query = { kind: "and", children: ["return", "new", "Error"].map((word) => literal(word)) };
    const phrase = { kind: "literal", text: "return new Error", caseSensitive: true } as const;
    const linesWith = async (limits: Partial<Limits>) => {
      const [file] = (await search(engine, query, limits, { phrase })).files;
      return (
        file &&
        decodeChunks(file).map(({ contentStart, matchRanges }) => [
          contentStart.lineNumber,
          matchRanges.length,
        ])
      );
    };
    assert.deepEqual((await linesWith({}))?.slice(0, 3), [
      [22, 3],
      [1, 3],
      [2, 3],
    ]);
    assert.deepEqual(await linesWith({ maxDisplayedMatches: 5 }), [
      [22, 3],
      [1, 2],
    ]);
    assert.deepEqual(await linesWith({ maxDisplayedMatches: 2 }), [[22, 2]]);
    await engine.close();
  });

  test("an unsaved document with the phrase comes before saved ones", async () => {
    const content = Buffer.from("new Error; // return");
    const directory = await openIndex([{ id: 1, segments: [[{ path: "return new.c", content }]] }]);
    const { engine } = openEngine(directory, { workerCount: 1 });
    const query: Query = {
      kind: "and",
      children: ["return", "new"].map((word) => literal(word, { where: "both" })),
    };
    const phrase = { kind: "literal", text: "return new", caseSensitive: true } as const;
    const document = { repositoryId: 1 as RepositoryId, language: "", version: "1" };
    const unsaved = [
      { ...document, path: "z.c", text: "return new Error();" },
      { ...document, path: "y.c", text: "new Error(); return" },
    ];
    const { files, phraseMatchCount } = await search(engine, query, {}, { phrase, unsaved });
    assert.deepEqual([files[0]?.path, files.length, phraseMatchCount], ["z.c", 3, 1]);
    await engine.close();
  });

  test("a limit that equals the number of matches is exhaustive", async () => {
    const query = literal("ServiceError");
    const { stats } = await search(opened.engine, query);
    assert.ok(stats.totalMatchCount > 1);
    const again = await search(opened.engine, query, { maxMatches: stats.totalMatchCount });
    assert.equal(again.isExhaustive, true);
    const less = await search(opened.engine, query, { maxMatches: stats.totalMatchCount - 1 });
    assert.deepEqual([less.isExhaustive, less.stats.flushReason], [false, "MATCH_LIMIT"]);
  });

  test("the size limit of a result is enforced and reported", async () => {
    const sizeOf = (files: readonly FileMatch[]) =>
      files.reduce((sum, { content, chunks }) => sum + content.length + chunks.length, 0);
    const { files: all } = await search(opened.engine, literal("export"), { returnsContent: true });
    // Each file is shorter, but not all of them together.
    const maxResponseBytes = Math.max(...all.map((file) => sizeOf([file]))) + 10_000;
    assert.ok(sizeOf(all) > maxResponseBytes);
    for (const streams of [false, true]) {
      const received: FileMatch[] = [];
      const plan = planOf(literal("export"), { maxResponseBytes, returnsContent: true });
      const onFiles = streams ? (files: readonly FileMatch[]) => void received.push(...files) : undefined;
      const { files, stats, isExhaustive } = await opened.engine.search(
        plan,
        new AbortController().signal,
        onFiles,
      );
      const shown = streams ? received : files;
      const bytes = sizeOf(shown);
      assert.ok(shown.length > 0);
      // When streaming, each worker has its own limit.
      assert.ok(bytes <= (streams ? 2 * maxResponseBytes : maxResponseBytes), `${bytes}`);
      assert.deepEqual([stats.flushReason, isExhaustive], ["BYTE_LIMIT", false]);
    }
  });

  test("whole files are returned on request", async () => {
    const { files } = await search(opened.engine, literal("needle", { caseSensitive: true }), {
      returnsContent: true,
    });
    const bad = files.find(({ path }) => path === "bad.txt");
    assert.equal(bad?.content, "\ufffdneedle\ufffd\r\n");
    const [chunk] = bad === undefined ? [] : decodeChunks(bad);
    assert.equal(chunk?.content, bad?.content);
    assert.equal(chunk?.matchRanges[0]?.start.column, 2);
    const { files: without } = await search(opened.engine, literal("needle"));
    assert.ok(without.every(({ content }) => content === ""));
  });
});

test("a result reports an exited worker, and a later one is complete again", async () => {
  const directory = await openIndex(
    [1, 2, 3, 4].map((id) => ({ id, segments: [[{ path: `${id}.ts`, content: "needle\n" }]] })),
  );
  const { engine, threads, damage } = openEngine(directory, { workerCount: 2, threads: true });
  try {
    assert.equal((await search(engine, literal("needle"))).files.length, 4);
    await threads[0]?.close();
    const during = await search(engine, literal("needle"));
    assert.deepEqual(
      [during.files.length, during.stats.flushReason, during.isExhaustive],
      [2, "ENGINE_PARTIAL", false],
    );
    assert.equal(during.stats.crashes, 1);
    await publish(directory, { id: 5, segments: [[{ path: "5.ts", content: "needle\n" }]] });
    const found = await eventually(async () => {
      const { files, isExhaustive } = await search(engine, literal("needle"));
      return isExhaustive && files;
    });
    assert.equal(found.length, 5);
    assert.equal(threads.length, 3);
    const pending = search(engine, slow, { deadline: monotonicNow() + 5000 });
    await computed(100);
    await Promise.all(threads.slice(3).map((thread) => thread.close()));
    const { stats } = await pending;
    assert.ok(["NONE", "ENGINE_PARTIAL", "TIME_LIMIT"].includes(stats.flushReason));
    assert.deepEqual(damage, []);
  } finally {
    await engine.close();
  }
});

test("searches during index changes see one state of each repository", async () => {
  const segmentsOf = (version: number) =>
    [0, 1, 2].map((part) => [{ path: `${part}.txt`, content: `needle version ${version}\n` }]);
  const directory = await openIndex([1, 2].map((id) => ({ id, segments: [segmentsOf(0)[0] ?? []] })));
  const { engine, damage } = openEngine(directory, { workerCount: 2, threads: true });
  let isDone = false;
  const changes = async () => {
    for (let version = 1; version <= 15; version++) {
      for (const id of [1, 2]) {
        // The first segment replaces all others, so a search sees one to three segments of one version.
        await publish(directory, { id, segments: segmentsOf(version) });
      }
    }
    isDone = true;
  };
  const searches = async () => {
    let count = 0;
    for (; !isDone; count++) {
      const { files, isExhaustive, stats } = await search(engine, regexp("version \\d+"));
      assert.equal(isExhaustive, true, stats.flushReason);
      for (const id of [1, 2]) {
        const seen = files.filter((file) => (file.repositoryId as number) === id);
        const versions = new Set(seen.map((file) => decodeChunks(file)[0]?.content));
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

test("closing an engine ends its searches without a complete result", async () => {
  const directory = await openIndex([{ id: 1, segments: [filesBelow("server/src", 300_000)] }]);
  const { engine } = openEngine(directory, { workerCount: 2, threads: true });
  const pending = search(engine, slow, { deadline: monotonicNow() + 10_000 });
  await computed(200);
  await engine.close();
  const isExhaustive = await pending.then(
    (result) => result.isExhaustive,
    (error) => !isServiceError(error, "ENGINE_UNAVAILABLE"),
  );
  assert.equal(isExhaustive, false);
});

/** Opens an engine on this thread; `watch` wraps the calls to its worker. */
function watchedEngine(
  directory: ShardDirectory,
  watch: (run: SearchThread["run"]) => SearchThread["run"],
  workerCount = 1,
) {
  const startThread = () => {
    const thread = inlineThread(createSearchTask());
    return { ...thread, run: watch(thread.run) };
  };
  return new EmbeddedEngine({ directory, workerCount, startThread, onDamage: assert.fail });
}

/** The result will not contain all matches, so files are loaded only once they have been chosen. */
const chosenFirst = { maxDisplayedMatches: 20_000 };

const manyFiles = Array.from({ length: 200 }, (_, at) => ({
  path: `${at}.txt`,
  content: "needle in a line\n".repeat(100),
}));

test("many files are transferred in pieces, complete and in order", async () => {
  const directory = await openIndex([{ id: 1, segments: [manyFiles] }]);
  const pieces: number[] = [];
  const count = ({ bytes }: PackedFiles) => pieces.push(bytes.length);
  const engine = watchedEngine(directory, (run) => async (call, signal, onPartial) => {
    const response = await run(call, signal, (piece) => {
      count(piece as PackedFiles);
      return onPartial?.(piece);
    });
    if (response.kind === "files") count(response.last);
    if (response.kind === "hits" && response.attached !== undefined) count(response.attached);
    return response;
  });
  const plain = openEngine(directory);
  for (const limits of [{}, chosenFirst]) {
    pieces.length = 0;
    const { files, isExhaustive } = await search(engine, literal("needle"), limits);
    assert.deepEqual(files, (await search(plain.engine, literal("needle"))).files);
    assert.deepEqual([files.length, rangeLines(files).length, isExhaustive], [200, 20_000, true]);
    assert.ok(pieces.length > 10);
    // The last file of a piece may exceed its limit.
    assert.ok(Math.max(...pieces) < 160_000, `${Math.max(...pieces)}`);
  }
});

test("files that are loaded while they are found are those that would be requested", async () => {
  const directory = await openIndex(
    [1, 2, 3, 4].map((id) => ({
      id,
      segments: [
        Array.from({ length: 150 }, (_, at) => ({
          path: `${at}.txt`,
          content:
            `needle ${at}\nhay\n`.repeat(1 + ((at * 37 + id) % 60)) + (at % 9 === 0 ? "needle hay" : ""),
          category: at % 4 === 0 ? ("test" as const) : ("source" as const),
        })),
      ],
    })),
  );
  let requested = 0;
  const engineOf = (isEarly: boolean) =>
    watchedEngine(
      directory,
      (run) => (call, signal, onPartial) => {
        if (call.kind === "files" && isEarly) requested += call.picks.shards.length;
        const isLate = call.kind === "search" && !isEarly;
        return run(isLate ? { ...call, maxEarlyMatches: 0 } : call, signal, onPartial);
      },
      2,
    );
  const [early, late] = [engineOf(true), engineOf(false)];
  const found = literal("needle");
  const phrase = { phrase: { kind: "literal", text: "needle hay", caseSensitive: true } } as const;
  const total = (await search(late, found)).stats.totalMatchCount;
  assert.ok(total > 15_000, `${total}`);
  const cases: readonly (readonly [Partial<Limits>, Partial<SearchPlan>, (count: number) => boolean])[] = [
    [{}, {}, (count) => count === 0],
    [{ contextLines: 2 }, phrase, (count) => count === 0],
    [{ maxMatchesPerFile: 3 }, {}, (count) => count === 0],
    // At most the last file is cut, and requested again.
    [{ maxMatches: total - 1000 }, {}, (count) => count <= 1],
    // Some of the best files are found after enough were loaded.
    [{ maxMatches: 2 * total, maxDisplayedMatches: total - 8000 }, {}, (count) => count > 1 && count < 300],
    // Too many matches, or too much text: all files are requested.
    [{ maxMatches: 1000 }, {}, (count) => count > 10],
    [{ maxResponseBytes: 400_000 }, {}, (count) => count > 100],
  ];
  // The expression runs under a time limit.
  const queries = [found, regexp("(n|ne|nee)*dle")];
  const all = queries.flatMap((query) => cases.map((each) => [query, ...each] as const));
  for (const [query, limits, change, isExpected] of all) {
    requested = 0;
    const results = await Promise.all([early, late].map((engine) => search(engine, query, limits, change)));
    const [one, other] = results.map(({ files, isExhaustive, stats }) => [
      files,
      isExhaustive,
      stats.totalMatchCount,
      stats.actualMatchCount,
      stats.flushReason,
    ]);
    assert.deepEqual(one, other);
    assert.ok(isExpected(requested), `${JSON.stringify(limits)}: ${requested} files were requested`);
  }
});

test("workers skip shards if others have found enough matches in earlier ones", async () => {
  const documents = [{ path: "many.txt", content: "needle\n".repeat(400) }];
  const directory = await openIndex([1, 2, 3].map((id) => ({ id, segments: [documents] })));
  let calls = 0;
  // They search one after the other, so that the others know what the first one has found.
  let previous: Promise<unknown> = Promise.resolve();
  const startThread = (): SearchThread => {
    const thread = inlineThread(createSearchTask());
    const run: SearchThread["run"] = (call, ...others) => {
      if (call.kind !== "search") return thread.run(call, ...others);
      calls++;
      const response = previous.then(() => thread.run(call, ...others));
      previous = response;
      return response;
    };
    return { ...thread, run };
  };
  const engine = new EmbeddedEngine({ directory, workerCount: 3, startThread, onDamage: assert.fail });
  const { stats } = await search(engine, literal("needle"), { maxMatches: 350 });
  assert.deepEqual(
    [calls, stats.shardsScanned, stats.shardsSkipped, stats.totalMatchCount, stats.flushReason],
    [3, 1, 2, 400, "MATCH_LIMIT"],
  );
  const all = await search(engine, literal("needle"), { maxMatches: 1000 });
  assert.deepEqual([all.stats.shardsScanned, all.stats.totalMatchCount], [3, 1200]);
  await engine.close();
});

test("files that are loaded while they are found, but not chosen, do not count for the size of the result", async () => {
  const documents = (count: number, path: string, line: string) =>
    Array.from({ length: count }, (_, at) => ({ path: `${path}${at}.txt`, content: line.repeat(10) }));
  const directory = await openIndex([
    {
      id: 1,
      segments: [
        [
          ...documents(60, "none", "nothing\n"),
          ...documents(100, "weak", `xneedlex ${"y".repeat(400)}\n`),
          ...documents(100, "good", `needle ${"y".repeat(150)}\n`),
        ],
      ],
    },
  ]);
  const { engine } = openEngine(directory);
  const limits = { maxMatches: 2000, maxDisplayedMatches: 1000 };
  const weak = await search(engine, literal("xneedlex"));
  // Enough for the weak files and a few others, but not for all.
  const maxResponseBytes = weak.files.reduce((sum, { chunks }) => sum + chunks.length + 500, 0);
  const bounded = await search(engine, literal("needle"), { ...limits, maxResponseBytes });
  assert.equal(weak.files.length, 100);
  assert.deepEqual(
    [bounded.files.length, bounded.files.every(({ path }) => path.startsWith("good"))],
    [100, true],
  );
});

test("files that could not be loaded in time are missing, and the result reports it", async () => {
  const directory = await openIndex([{ id: 1, segments: [manyFiles] }]);
  // The deadline passes just after everything has been found.
  const engine = watchedEngine(
    directory,
    (run) => (call, signal, onPartial) =>
      run(call.kind === "files" ? { ...call, until: 0 } : call, signal, onPartial),
  );
  const { files, stats, isExhaustive } = await search(engine, literal("needle"), chosenFirst);
  const all = await search(openEngine(directory).engine, literal("needle"));
  assert.ok(files.length > 0 && files.length < 200, `${files.length} files`);
  assert.deepEqual(files, all.files.slice(0, files.length));
  assert.deepEqual(
    [stats.flushReason, stats.totalMatchCount, stats.actualMatchCount, isExhaustive],
    ["TIME_LIMIT", 20_000, rangeLines(files).length, false],
  );
});

test("a search does not wait past its deadline for a thread, and returns the others' files", async () => {
  const directory = await openIndex(
    [1, 2].map((id) => ({ id, segments: [[{ path: `${id}.ts`, content: "needle\n" }]] })),
  );
  const waiting: (() => void)[] = [];
  let threads = 0;
  const startThread = (): SearchThread => {
    const thread = inlineThread(createSearchTask());
    const isSlow = threads++ === 1;
    const run: SearchThread["run"] = async (call, signal, onPartial) => {
      if (isSlow && call.kind === "search") await new Promise<void>((resolve) => waiting.push(resolve));
      return thread.run(call, signal, onPartial);
    };
    return { ...thread, run };
  };
  const engine = new EmbeddedEngine({ directory, workerCount: 2, startThread, onDamage: assert.fail });
  for (const streams of [false, true]) {
    const streamed: FileMatch[] = [];
    const onFiles = streams ? (files: readonly FileMatch[]) => void streamed.push(...files) : undefined;
    const plan = planOf(literal("needle"), { deadline: monotonicNow() + 300 });
    const { files, stats, isExhaustive } = await engine.search(plan, new AbortController().signal, onFiles);
    assert.equal((streams ? streamed : files).length, 1);
    assert.deepEqual(
      [stats.flushReason, stats.totalMatchCount, stats.fileCount, isExhaustive],
      ["TIME_LIMIT", 1, 1, false],
    );
  }
  for (const release of waiting) release();
  await engine.close();
});
