/**
 * Ten callers with patterns that make engines slow, over HTTP, and one who asks what people ask: each is answered, what
 * is said to be whole is whole, and the one has the same answers as alone.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SearchResult } from "#contract/search";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve, until } from "#test/support/served";

const alternatives = Array.from({ length: 1000 }, (_, at) => `word${at * 7}x`).join("|");

/** Each with what it finds in the file named `found`, and nowhere else among the files named `hostile`. */
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
];

const hostile: Readonly<Record<string, string>> = {
  "hostile/letters.txt": `${"a".repeat(65_536)}\n`.repeat(3),
  "hostile/lines.txt": `${"a".repeat(4000)} \n`.repeat(100),
  "hostile/x.txt": "x".repeat(100_000),
  "hostile/mixed.txt": `${"ax ".repeat(60_000)}\n`,
  "hostile/wide.txt": `${"\u0101\u0102 ".repeat(60_000)}\n`,
};

type Answer = Readonly<Record<string, unknown>>;

async function ask(served: Served, row: string, body: Answer, caller: string): Promise<string> {
  const response = await fetch(`${served.url}/api/${row}`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": caller },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

/** What people ask, without what measures the answering. */
async function ordinary(served: Served): Promise<unknown[]> {
  const names = { symbolName: "retryHandler", language: "TypeScript", repoName: "code" };
  const rows: readonly (readonly [row: string, body: Answer])[] = [
    ["search", { query: "retryHandler" }],
    ["search", { query: "sym:retry\\w+", isRegexEnabled: true }],
    ["find_definitions", names],
    ["find_references", names],
  ];
  const answers: unknown[] = [];
  for (const [row, body] of rows) {
    const { stats: _, ...rest } = JSON.parse(await ask(served, row, body, "ordinary")) as Answer;
    answers.push(rest);
  }
  return answers;
}

test("patterns that make engines slow, beside questions that people ask", async (t) => {
  const folder = temporaryFolder();
  const configuration = join(folder, "trawl.json");
  writeFileSync(configuration, JSON.stringify({ timeLimitMs: 2000 }));
  const { path, write, git } = repo("= main: One\na.txt\n| text\n", { path: join(folder, "code") });
  for (const [name, text] of Object.entries(hostile)) write(name, text);
  write("found.txt", `${found.join("\n")}\n`);
  write("code.ts", "export function retryHandler() {}\nretryHandler();\n");
  git("add", ".");
  git("commit", "-q", "-m", "Two");
  const served = await serve(join(folder, "data"), [path], { flags: ["--config", configuration] });
  t.after(() => served.kill());
  await served.ready();
  await until("symbols ready", async () => (await served.repositories()).every((each) => each.symbolsReady));
  const alone = await ordinary(served);

  let areEvilDone = false;
  const evil = Promise.all(
    patterns.map(async ([query, count], caller) => {
      const body = { query: `(${query}) file:txt`, isRegexEnabled: true, matches: 1000 };
      const text = await ask(served, "search", body, `evil ${caller}`);
      const { files, stats, isSearchExhaustive } = JSON.parse(text) as SearchResult;
      const lines = files.filter(({ fileName }) => fileName.text === "found.txt");
      const shown = lines.flatMap(({ chunks }) => chunks).flatMap(({ matchRanges }) => matchRanges).length;
      assert.equal(isSearchExhaustive, stats.flushReason === "NONE", query);
      if (isSearchExhaustive) assert.deepEqual([shown, stats.totalMatchCount], [count, count], query);
      else assert.equal(stats.flushReason, "TIME_LIMIT", query);
      assert.ok(shown <= count && stats.totalMatchCount <= count, query);
    }),
  ).finally(() => {
    areEvilDone = true;
  });
  do assert.deepEqual(await ordinary(served), alone);
  while (!areEvilDone);
  await evil;
  assert.deepEqual(await ordinary(served), alone);
  const { code, stderr } = await served.stop();
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /defect/);
});
