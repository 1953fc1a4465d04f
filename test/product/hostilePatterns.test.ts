/**
 * Callers with patterns that are slow in most engines, and one caller with ordinary requests: each gets a response,
 * results reported as complete are complete, and the ordinary caller gets the same results as when it is alone.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SearchResult } from "#contract/search";
import { slowdown } from "#test/support/clock";
import { Contention } from "#test/support/contention";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const alternatives = Array.from({ length: 1000 }, (_, at) => `word${at * 7}x`).join("|");

/** Each pattern with its number of matches in found.txt. It matches nothing in the hostile files. */
const patterns: readonly (readonly [pattern: string, count: number])[] = [
  ["(a*)*b_end", 1],
  ["(x+x+)+y", 1],
  [".*.*.*=.*#", 1],
  [alternatives, 2],
  ["\\w{1,1000}_whole", 1],
  [`[${"\\x{100}-\\x{200}".repeat(300)}]+q`, 1],
  ["(a|aa)+!end", 1],
  ["(.*a){12}Z", 1],
  ["([a-z]+)*!!", 1],
  ["\\pL{1,25}zz", 1],
  // V8 would compile these for hours.
  [`${"a?".repeat(60)}aaaaaaaa_q`, 1],
  [`${"(?:ab)?".repeat(400)}abababab_w`, 1],
  [`(?i)${"k?".repeat(60)}kkkkkkkk_e`, 1],
  [`${"\\pL".repeat(25)}_r`, 1],
];

const found = [
  "aaab_end",
  "xxxxy",
  "one = two #",
  "word7x and word6993x",
  "a_whole",
  "\u0101\u0101q",
  "aaaa!end",
  `${"a".repeat(12)}Z`,
  "abc!!",
  "zzz",
  "aaaaaaaa_q",
  "abababab_w",
  "kkkKkkkk_e",
  `${"ä".repeat(25)}_r`,
];

const hostile: Readonly<Record<string, string>> = {
  "hostile/letters.txt": `${"a".repeat(65_536)}\n`.repeat(3),
  "hostile/lines.txt": `${"a".repeat(4000)} \n`.repeat(100),
  "hostile/x.txt": "x".repeat(100_000),
  "hostile/mixed.txt": `${"ax ".repeat(60_000)}\n`,
  "hostile/wide.txt": `${"\u0101\u0102 ".repeat(60_000)}\n`,
};

/** Several times what an ordinary request takes beside the slow ones, so that it also suffices if the load grows. */
const baseLimitMs = 8000;

type JsonObject = Readonly<Record<string, unknown>>;

async function ask(served: Served, endpoint: string, body: JsonObject, caller: string): Promise<string> {
  const response = await fetch(`${served.url}/api/${endpoint}`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": caller },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

/** Sends ordinary requests and returns the responses without their statistics. */
async function ordinaryResponses(served: Served): Promise<unknown[]> {
  const names = { symbolName: "retryHandler", language: "TypeScript", repoName: "code" };
  const rows: readonly (readonly [endpoint: string, body: JsonObject])[] = [
    ["search", { query: "retryHandler" }],
    ["search", { query: "sym:retry\\w+", isRegexEnabled: true }],
    ["find_definitions", names],
    ["find_references", names],
  ];
  const responses: unknown[] = [];
  for (const [endpoint, body] of rows) {
    const { stats: _, ...rest } = JSON.parse(await ask(served, endpoint, body, "ordinary")) as JsonObject;
    responses.push(rest);
  }
  return responses;
}

test("slow patterns do not affect ordinary requests", async (t) => {
  const folder = temporaryFolder();
  const configuration = join(folder, "trawl.json");
  writeFileSync(configuration, JSON.stringify({ timeLimitMs: Math.ceil(baseLimitMs * slowdown()) }));
  const { path, write, git } = repo("= main: One\na.txt\n| text\n", { path: join(folder, "code") });
  for (const [name, text] of Object.entries(hostile)) write(name, text);
  write("found.txt", `${found.join("\n")}\n`);
  write("code.ts", "export function retryHandler() {}\nretryHandler();\n");
  git("add", ".");
  git("commit", "-q", "-m", "Two");
  const served = await serve(join(folder, "data"), [path], { flags: ["--config", configuration] });
  const contention = new Contention(served.process.pid ?? 0);
  t.after(() => {
    contention.end();
    return served.kill();
  });
  await served.ready();
  await eventually(async () => (await served.repositories()).every((each) => each.symbolsReady));
  const alone = await ordinaryResponses(served);

  let areSlowSearchesDone = false;
  const slowSearches = Promise.all(
    patterns.map(async ([query, count], caller) => {
      const body = { query: `(${query}) file:txt`, isRegexEnabled: true, matches: 1000 };
      const text = await ask(served, "search", body, `slow ${caller}`);
      const { files, stats, isSearchExhaustive } = JSON.parse(text) as SearchResult;
      const lines = files.filter(({ fileName }) => fileName.text === "found.txt");
      const foundCount = lines
        .flatMap(({ chunks }) => chunks)
        .flatMap(({ matchRanges }) => matchRanges).length;
      assert.equal(isSearchExhaustive, stats.flushReason === "NONE", query);
      if (isSearchExhaustive) assert.deepEqual([foundCount, stats.totalMatchCount], [count, count], query);
      else assert.equal(stats.flushReason, "TIME_LIMIT", query);
      assert.ok(foundCount <= count && stats.totalMatchCount <= count, query);
    }),
  ).finally(() => {
    areSlowSearchesDone = true;
  });
  do assert.deepEqual(await ordinaryResponses(served), alone);
  while (!areSlowSearchesDone);
  await slowSearches;
  assert.deepEqual(await ordinaryResponses(served), alone);
  // The server stops soon, whatever its threads are doing.
  const pending = Promise.allSettled(
    patterns.map(([query]) => ask(served, "search", { query, isRegexEnabled: true }, "late")),
  );
  const startedAt = performance.now();
  const { code, stderr } = await served.stop();
  const stopMs = performance.now() - startedAt;
  await pending;
  const waitedMs = contention.ofAllThreads(startedAt);
  assert.ok(stopMs < 2000 + waitedMs, `${stopMs} ms, of which its threads waited ${waitedMs} ms`);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /defect/);
});
