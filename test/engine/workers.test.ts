import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { EngineResult } from "#engine/engine";
import { decodeChunks, type FileMatch } from "#model/match";
import type { Query } from "#query/query";
import type { ShardDirectory } from "#shard/directory/directory";
import { Random, shapedDocuments } from "#test/support/corpus";
import {
  literal,
  openEngine,
  openIndex,
  planOf,
  rangeLines,
  regexp,
  search,
  type TestDocument,
  type TestEngine,
} from "#test/support/engines";

/** Thirty repositories of various sizes; `needle` is rare, `common` is frequent in some. */
function repositories() {
  const random = new Random(5);
  return Array.from({ length: 30 }, (_, index) => {
    const documents: TestDocument[] = Array.from({ length: random.between(1, 12) }, (_, number) => {
      const count = index % 5 === 0 ? 200 : 3;
      const lines = Array.from({ length: random.between(0, count) }, () =>
        random.pick(["common_word()", "a needle", "uncommon", "Common", "x = 1", "s", ""]),
      );
      return {
        path: `${random.pick(["src", "test", "needle"])}/f${number}.ts`,
        content: `${lines.join("\n")}\n`,
        category: random.pick(["source", "test", "vendored"] as const),
      };
    });
    const half = documents.length >> 1;
    return { id: index + 1, segments: [documents.slice(0, half), documents.slice(half)] };
  });
}

const queries: Readonly<Record<string, Query>> = {
  rare: literal("needle", { where: "both" }),
  common: literal("common", { where: "both" }),
  everywhere: literal("m"),
  expression: regexp("^[cC]om+on"),
  "an expression that needs a guard": regexp("(\\w+)_(\\w+)\\(\\)$"),
  "a tree": {
    kind: "and",
    children: [literal("common"), { kind: "not", child: literal("needle") }, literal("x", { where: "both" })],
  },
  nothing: literal("not anywhere"),
};

/** Compares serialized values first, because most are equal and large. */
function assertSame(actual: unknown, expected: unknown, message?: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assert.deepEqual(actual, expected, message);
}

/** The parts of a result that must not depend on the number of workers. */
function comparable({ files, isExhaustive, stats }: EngineResult) {
  const { totalMatchCount, actualMatchCount, fileCount, flushReason } = stats;
  return { files, isExhaustive, totalMatchCount, actualMatchCount, fileCount, flushReason };
}

describe("results do not depend on how shards are distributed to workers", () => {
  let directory: ShardDirectory;
  const engines: [name: string, TestEngine][] = [];
  before(async () => {
    directory = await openIndex(repositories());
    for (const workerCount of [1, 2, 3]) {
      engines.push([`${workerCount} here`, openEngine(directory, { workerCount })]);
      engines.push([`${workerCount} threads`, openEngine(directory, { workerCount, threads: true })]);
    }
  });
  after(() => Promise.all(engines.map(([, { engine }]) => engine.close())));

  for (const [name, query] of Object.entries(queries)) {
    for (const maxMatches of [1, 7, 250, Number.POSITIVE_INFINITY]) {
      test(`${name}, ${maxMatches} matches`, async () => {
        const limits = { maxMatches, contextLines: 1 };
        const [, first] = engines[0] ?? assert.fail();
        const expected = comparable(await search(first.engine, query, limits));
        assert.ok(rangeLines(expected.files).length <= maxMatches);
        for (const [setup, { engine }] of engines) {
          assertSame(comparable(await search(engine, query, limits)), expected, setup);
          assertSame(comparable(await search(engine, query, limits)), expected, `${setup}, again`);
        }
      });
    }
  }

  test("the limits for found and displayed matches are separate", async () => {
    for (const [maxMatches, maxDisplayedMatches] of [
      [2500, 3],
      [2500, 1000],
      [700, 10],
      [100, 0],
    ] as const) {
      const results = [];
      for (const [, { engine }] of engines)
        results.push(comparable(await search(engine, literal("m"), { maxMatches, maxDisplayedMatches })));
      for (const result of results) assertSame(result, results[0], `${maxMatches}, ${maxDisplayedMatches}`);
      assert.ok((results[0]?.actualMatchCount ?? 0) <= maxDisplayedMatches);
    }
  });

  test("a size limit cuts results", async () => {
    for (const maxResponseBytes of [0, 5000, 50_000]) {
      const results = [];
      for (const [, { engine }] of engines)
        results.push(comparable(await search(engine, literal("m"), { maxResponseBytes })));
      for (const result of results) assertSame(result, results[0], `${maxResponseBytes}`);
      assert.equal(results[0]?.flushReason, "BYTE_LIMIT");
      const decoded = results[0]?.files.map((file) => ({ ...file, chunks: decodeChunks(file) }));
      assert.ok(JSON.stringify(decoded).length < 2 * maxResponseBytes + 100);
    }
  });

  test("repositories open in the editor come first, whichever worker has them", async () => {
    for (const preferred of [[17], [3, 29], []]) {
      const results = [];
      for (const [, { engine }] of engines) {
        const plan = planOf(
          literal("needle", { where: "both" }),
          { maxMatches: 50 },
          { preferred: preferred as never[] },
        );
        results.push(comparable(await engine.search(plan, new AbortController().signal)));
      }
      for (const result of results) assertSame(result, results[0]);
    }
  });

  test("searches of a few repositories, whichever workers have them", async () => {
    for (const ids of [[1], [2], [7, 8], [29, 1000], [1000]]) {
      const results = [];
      for (const [, { engine }] of engines) {
        const plan = planOf(literal("m"), { maxMatches: 250 }, { repositories: new Set(ids) as never });
        results.push(comparable(await engine.search(plan, new AbortController().signal)));
      }
      for (const result of results) assertSame(result, results[0], ids.join());
      const found = new Set(results[0]?.files.map(({ repositoryId }) => repositoryId as number));
      assert.deepEqual(
        [...found].sort((left, right) => left - right),
        ids.filter((id) => id <= 30),
      );
    }
  });

  test("a limit cuts results of which each worker has only a few files", async () => {
    for (const maxMatches of [40, 50, 60, 70, 80, 90, 100]) {
      const results = [];
      for (const [, { engine }] of engines) {
        const plan = planOf(
          literal("needle"),
          { maxMatches, contextLines: 1 },
          { repositories: new Set([6, 7, 8, 9]) as never },
        );
        results.push(comparable(await engine.search(plan, new AbortController().signal)));
      }
      for (const result of results) assertSame(result, results[0], `${maxMatches}`);
      assert.equal(results[0]?.actualMatchCount, Math.min(maxMatches, results[0]?.totalMatchCount ?? 0));
    }
  });

  test("concurrent searches do not affect each other", async () => {
    for (const [setup, { engine }] of engines.slice(2, 4)) {
      const alone = [];
      for (const query of Object.values(queries))
        alone.push(comparable(await search(engine, query, { maxMatches: 250 })));
      const together = await Promise.all(
        [1, 2, 3].flatMap(() =>
          Object.values(queries).map((query) => search(engine, query, { maxMatches: 250 })),
        ),
      );
      assertSame(together.map(comparable), [...alone, ...alone, ...alone], setup);
    }
  });

  test("a stream emits the same files, none twice", async () => {
    for (const [setup, { engine }] of engines.filter(([name]) => name !== "2 here" && name !== "3 here")) {
      for (const [name, query] of Object.entries(queries)) {
        for (const maxMatches of [1, 7, 250, Number.POSITIVE_INFINITY]) {
          const streamed: FileMatch[] = [];
          const result = await engine.search(
            planOf(query, { maxMatches }),
            new AbortController().signal,
            (files) => {
              streamed.push(...files);
            },
          );
          const whole = await search(engine, query, { maxMatches });
          const label = `${setup}, ${name}, ${maxMatches}`;
          const lines = rangeLines(streamed);
          assert.deepEqual(result.files, [], label);
          assert.equal(new Set(lines).size, lines.length, label);
          assert.equal(result.stats.actualMatchCount, lines.length, label);
          assert.equal(lines.length, rangeLines(whole.files).length, label);
          if (maxMatches < 1000) continue;
          assertSame(lines, rangeLines(whole.files), label);
          assert.equal(result.isExhaustive, true, label);
        }
      }
    }
  });
});

test("worker threads and the test process find the same in documents with edge cases", async () => {
  const documents = shapedDocuments(2).filter(({ content }) => content.length < 100_000);
  const directory = await openIndex([
    {
      id: 1,
      segments: [documents.filter((_, at) => at % 2 === 0), documents.filter((_, at) => at % 2 === 1)],
    },
  ]);
  const here = openEngine(directory);
  const threads = openEngine(directory, { workerCount: 2, threads: true });
  try {
    for (const query of [
      literal("key"),
      literal("ключ"),
      regexp("(?i)\\bKIND\\b"),
      regexp("x*"),
      regexp("n\\n"),
    ]) {
      const limits = { contextLines: 2 };
      assert.deepEqual(
        comparable(await search(threads.engine, query, limits)),
        comparable(await search(here.engine, query, limits)),
      );
    }
  } finally {
    await here.engine.close();
    await threads.engine.close();
  }
});
