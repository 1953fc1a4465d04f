import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isServiceError } from "#base/error";
import { monotonicNow } from "#platform/clock";
import type { Query } from "#query/query";
import { Contention } from "#test/support/contention";
import { filesBelow } from "#test/support/corpus";
import {
  literal,
  openEngine,
  openIndex,
  planOf,
  regexp,
  search,
  type TestEngine,
} from "#test/support/engines";

/** Documents that make backtracking slow. */
function hostileDocuments() {
  const documents = [
    { path: "a/run.txt", content: `${"a".repeat(65_536)}!` },
    { path: "a/lines.txt", content: `${"a".repeat(4000)}!\n`.repeat(50) },
    { path: "blanks/run.txt", content: `${" ".repeat(65_536)}x` },
    { path: "blanks/lines.txt", content: `x${" ".repeat(3000)}x\n`.repeat(100) },
    { path: "mixed/ab.txt", content: `${"ab".repeat(30_000)}c` },
    { path: "mixed/x.txt", content: "x".repeat(50_000) },
    { path: "long/line.js", content: "var a=1;function f(b){return b+a}".repeat(63_000) },
    { path: "long/letters.txt", content: `${"äöü ".repeat(100_000)}!` },
    { path: "many/spaces.txt", content: `${"word word  word\t".repeat(5000)}\n` },
  ];
  for (let copy = 0; copy < 20; copy++)
    documents.push({ path: `copy/${copy}.txt`, content: "a".repeat(30_000 + copy) });
  return documents;
}

const wide = Array.from({ length: 1000 }, (_, at) => `word${at * 7}x`).join("|");
const slowQueries: Readonly<Record<string, Query>> = {
  "(a+)+$": regexp("(a+)+$"),
  "(x*)*y": regexp("(x*)*y"),
  "(.*){1,32}[bc]": regexp("(.*){1,32}[bc]"),
  "\\s+$": regexp("\\s+$"),
  "(a|aa)+$": regexp("(a|aa)+$"),
  "(a|a?)+b": regexp("(a|a?)+b"),
  "^(([a-z])+.)+[A-Z]([a-z])+$": regexp("^(([a-z])+.)+[A-Z]([a-z])+$"),
  ".*.*.*.*=.*": regexp(".*.*.*.*=.*#"),
  "(?s).*.*.*y": regexp("(?s).*.*.*y"),
  "[^x]*[^x]*[^x]*x$": regexp("[^x]*[^x]*[^x]*x$"),
  "a{0,500}b": regexp("a{0,500}b"),
  "(?i) of a long literal": regexp(`(?i)${"aK s".repeat(500)}`),
  "a long literal": literal("a".repeat(9999)),
  "a long non-ASCII literal": literal("äöü ".repeat(2500)),
  "10 KB of groups": regexp(`${"(?:a".repeat(900)}${")*".repeat(900)}b`),
  "10 KB of classes": regexp("[a-z0-9_]?".repeat(1000)),
  "1000 alternations": regexp(wide),
  "1000 alternations, ignoring case": regexp(`(?i)${wide}`),
  "a name": regexp("(.+)+(.+)+(.+)+Q", { where: "name" }),
  "under a not": { kind: "and", children: [literal("a"), { kind: "not", child: regexp("(a+)+$") }] },
};

describe("no pattern makes the service slow", () => {
  let opened: TestEngine;
  const contention = new Contention(process.pid);
  before(async () => {
    const directory = await openIndex([
      { id: 1, segments: [hostileDocuments()] },
      { id: 2, segments: [filesBelow("server/src", 400_000)] },
    ]);
    opened = openEngine(directory, { workerCount: 2, threads: true });
    await search(opened.engine, literal("warm"));
  });
  after(() => {
    contention.end();
    return opened.engine.close();
  });

  /** How late a result may be: a search in the slow lane checks its deadline this often. */
  const toleranceMs = 1500;
  const timeLimitMs = 2000;

  const simpleCount = 20;

  /** The milliseconds since then, without those in which threads of this process waited for a processor. */
  const elapsedMs = (since: number) => performance.now() - since - contention.ofAllThreads(since);

  /** Runs simple searches one after another. Returns how long the slowest one took, as `elapsedMs`. */
  async function simpleSearches(onDone = () => {}): Promise<number> {
    let slowest = 0;
    for (let count = 0; count < simpleCount; count++) {
      const from = performance.now();
      const { files } = await search(opened.engine, literal("export function"), { maxMatches: 50 });
      assert.ok(files.length > 0);
      slowest = Math.max(slowest, elapsedMs(from));
      onDone();
    }
    return slowest;
  }

  for (const [name, query] of Object.entries(slowQueries)) {
    test(name, async () => {
      const aloneAt = performance.now();
      await simpleSearches();
      const aloneMs = performance.now() - aloneAt;
      let isSlowDone = false;
      const startedAt = performance.now();
      const limits = { deadline: monotonicNow() + timeLimitMs, maxDisplayedMatches: 100 };
      const pending = search(opened.engine, query, limits).then(
        ({ stats }) => ({
          took: performance.now() - startedAt,
          ownMs: elapsedMs(startedAt),
          reason: stats.flushReason,
        }),
        (error: unknown) => {
          if (isServiceError(error, "FAILED_TO_PARSE_QUERY")) return undefined;
          throw error;
        },
      );
      const slowSearch = pending.finally(() => {
        isSlowDone = true;
      });
      let finishedBefore = 0;
      const slowest = await simpleSearches(() => {
        if (!isSlowDone) finishedBefore++;
      });
      const outcome = await slowSearch;
      assert.ok(slowest < 2000, `a simple search took ${slowest} ms`);
      if (outcome === undefined) return;
      assert.ok(outcome.ownMs < timeLimitMs + toleranceMs, `took ${outcome.took} ms`);
      assert.ok(["MATCH_LIMIT", "TIME_LIMIT", "NONE"].includes(outcome.reason), outcome.reason);
      if (outcome.took > Math.max(1900, 4 * aloneMs)) assert.equal(finishedBefore, simpleCount);
    });
  }

  test("a runaway expression can be canceled", async () => {
    const controller = new AbortController();
    const pending = opened.engine.search(
      planOf(slowQueries["(.*){1,32}[bc]"] ?? assert.fail()),
      controller.signal,
    );
    setTimeout(() => controller.abort(), 300);
    const startedAt = performance.now();
    await assert.rejects(pending, (error) => isServiceError(error, "CANCELLED"));
    const ownMs = elapsedMs(startedAt);
    assert.ok(ownMs < 1000, `${ownMs} ms`);
    assert.equal(
      (await search(opened.engine, literal("export function"), { maxMatches: 5 })).files.length > 0,
      true,
    );
  });

  test("many concurrent slow searches end at their deadline and do not block a simple one", async () => {
    const startedAt = performance.now();
    const deadline = monotonicNow() + timeLimitMs;
    const pending = Array.from({ length: 12 }, (_, at) =>
      search(opened.engine, regexp(`(a+)+${at}$`), { deadline }),
    );
    const simple = await search(opened.engine, literal("export function"), { maxMatches: 50 });
    const simpleMs = elapsedMs(startedAt);
    assert.ok(simple.files.length > 0);
    await Promise.all(pending);
    const ownMs = elapsedMs(startedAt);
    assert.ok(ownMs < timeLimitMs + 2 * toleranceMs, `${ownMs} ms`);
    assert.ok(simpleMs < 2500, `${simpleMs} ms`);
  });

  test("a search that is too slow in one document finds all matches in the others", async () => {
    const { files, stats } = await search(opened.engine, regexp("(a+)+!$"), {
      deadline: monotonicNow() + 20_000,
    });
    const found = files.map(({ path }) => path);
    assert.ok(found.includes("a/lines.txt"), stats.flushReason);
  });
});

test("large documents with many matches do not count as runaway searches", async () => {
  const line = "  const value_name = compute(other_name, 42); // comment\n";
  const documents = Array.from({ length: 6 }, (_, at) => ({
    path: `${at}.ts`,
    content: line.repeat(30_000),
  }));
  const directory = await openIndex([{ id: 1, segments: [documents] }]);
  const { engine } = openEngine(directory, { workerCount: 2, threads: true });
  try {
    for (const source of ["(\\w+)\\((\\w+)_", "\\w+\\s*=\\s*\\w+\\(.*\\);", "[a-z]+_[a-z]+"]) {
      const { stats } = await search(engine, regexp(source), {
        maxDisplayedMatches: 10,
        deadline: monotonicNow() + 30_000,
      });
      assert.equal(stats.totalMatchCount % (6 * 30_000), 0, source);
      assert.ok(stats.totalMatchCount > 0, source);
    }
  } finally {
    await engine.close();
  }
});
