import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isServiceError } from "#base/error";
import type { Query } from "#query/query";
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

/** What makes backtracking slow, among ordinary files. */
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
const evil: Readonly<Record<string, Query>> = {
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
  "a long literal of no ASCII": literal("äöü ".repeat(2500)),
  "10 KB of groups": regexp(`${"(?:a".repeat(900)}${")*".repeat(900)}b`),
  "10 KB of classes": regexp("[a-z0-9_]?".repeat(1000)),
  "1000 alternations": regexp(wide),
  "1000 alternations in any case": regexp(`(?i)${wide}`),
  "a name": regexp("(.+)+(.+)+(.+)+Q", { where: "name" }),
  "under a not": { kind: "and", children: [literal("a"), { kind: "not", child: regexp("(a+)+$") }] },
};

describe("no pattern makes the service slow", () => {
  let over: TestEngine;
  before(async () => {
    const directory = await openIndex([
      { id: 1, segments: [hostileDocuments()] },
      { id: 2, segments: [filesBelow("server/src", 400_000)] },
    ]);
    over = openEngine(directory, { workerCount: 2, threads: true });
    await search(over.engine, literal("warm"));
  });
  after(() => over.engine.close());

  /** How long answers may come after their deadline; a search in the slow lane looks at it this often. */
  const patienceMs = 1500;
  const timeLimitMs = 2000;

  for (const [name, query] of Object.entries(evil)) {
    test(name, async () => {
      let isEvilDone = false;
      const startedAt = performance.now();
      const limits = { deadline: Date.now() + timeLimitMs, maxDisplayedMatches: 100 };
      const asked = search(over.engine, query, limits).then(
        ({ stats }) => ({ took: performance.now() - startedAt, reason: stats.flushReason }),
        (error: unknown) => {
          if (isServiceError(error, "FAILED_TO_PARSE_QUERY")) return undefined;
          throw error;
        },
      );
      const evilSearch = asked.finally(() => {
        isEvilDone = true;
      });
      let slowest = 0;
      let beforeTheEvil = 0;
      for (let count = 0; count < 20; count++) {
        const from = performance.now();
        const { files } = await search(over.engine, literal("export function"), { maxMatches: 50 });
        assert.ok(files.length > 0);
        slowest = Math.max(slowest, performance.now() - from);
        if (!isEvilDone) beforeTheEvil++;
      }
      const answer = await evilSearch;
      assert.ok(slowest < 2000, `a simple search took ${slowest} ms`);
      if (answer === undefined) return;
      assert.ok(answer.took < timeLimitMs + patienceMs, `took ${answer.took} ms`);
      assert.ok(["MATCH_LIMIT", "TIME_LIMIT", "NONE"].includes(answer.reason), answer.reason);
      if (answer.took > 1900) assert.equal(beforeTheEvil, 20);
    });
  }

  test("a runaway that is cancelled", async () => {
    const controller = new AbortController();
    const asked = over.engine.search(planOf(evil["(.*){1,32}[bc]"] ?? assert.fail()), controller.signal);
    setTimeout(() => controller.abort(), 300);
    const startedAt = performance.now();
    await assert.rejects(asked, (error) => isServiceError(error, "CANCELLED"));
    assert.ok(performance.now() - startedAt < 1000);
    assert.equal(
      (await search(over.engine, literal("export function"), { maxMatches: 5 })).files.length > 0,
      true,
    );
  });

  test("many of them at once", async () => {
    const startedAt = performance.now();
    const deadline = Date.now() + timeLimitMs;
    const asked = Array.from({ length: 12 }, (_, at) =>
      search(over.engine, regexp(`(a+)+${at}$`), { deadline }),
    );
    const simple = await search(over.engine, literal("export function"), { maxMatches: 50 });
    const simpleMs = performance.now() - startedAt;
    assert.ok(simple.files.length > 0);
    await Promise.all(asked);
    assert.ok(performance.now() - startedAt < timeLimitMs + 2 * patienceMs);
    assert.ok(simpleMs < 2500, `${simpleMs} ms`);
  });

  test("what takes long in one document has all the matches of the others", async () => {
    const { files, stats } = await search(over.engine, regexp("(a+)+!$"), { deadline: Date.now() + 20_000 });
    const found = files.map(({ path }) => path);
    assert.ok(found.includes("a/lines.txt"), stats.flushReason);
  });
});

test("large documents with many matches are no runaways", async () => {
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
        deadline: Date.now() + 30_000,
      });
      assert.equal(stats.totalMatchCount % (6 * 30_000), 0, source);
      assert.ok(stats.totalMatchCount > 0, source);
    }
  } finally {
    await engine.close();
  }
});
