/** Many concurrent requests that take too long: each ends by its deadline, which counts from its arrival. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ErrorObject } from "#contract/error";
import type { SearchResult } from "#contract/search";
import { Random } from "#test/support/corpus";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { replaceGit, restoreGit } from "#test/support/watchedGit";

const timeLimitMs = 1000;
/** More than the slots of the dispatch queue, so that some requests wait there until their deadline. */
const clientCount = 20;

interface Timed {
  readonly ms: number;
  readonly status: number;
  readonly text: string;
}

async function timed({ url }: Served, path: string, body?: object): Promise<Timed> {
  const startedAt = performance.now();
  const sent = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(url + path, body === undefined ? {} : sent);
  const text = await response.text();
  return { ms: performance.now() - startedAt, status: response.status, text };
}

/** Scans far ahead from every position of every document, which takes several times the time limit. */
const slow = { query: "(?s)r.{0,400}\\x01", isRegexEnabled: true };
const fileCount = 100;

function textOf(random: Random): string {
  const words = ["retry", "handler", "token", "config", "stream", "buffer", "parse", "request"];
  const line = () => Array.from({ length: 10 }, () => random.pick(words)).join(" ");
  return `${Array.from({ length: 2500 }, line).join("\n")}\n`;
}

test("the deadline counts from arrival, no matter what a request waits for", async (t) => {
  const folder = temporaryFolder();
  const gate = join(folder, "gate");
  // Once the gate exists, git hangs.
  replaceGit(`[ -e ${gate} ] && exec sleep 60\nreal`);
  t.after(() => {
    restoreGit();
    rmSync(gate, { force: true });
  });
  const configuration = join(folder, "trawl.json");
  writeFileSync(configuration, JSON.stringify({ timeLimitMs, gitTimeLimitMs: timeLimitMs }));
  const { path, write, git } = repo("= main: One\na.txt\n| text\n", { path: join(folder, "code") });
  const random = new Random(7);
  for (let n = 0; n < fileCount; n++) write(`${n}.txt`, textOf(random));
  git("add", ".");
  git("commit", "-q", "-m", "Two");
  const served = await serve(join(folder, "data"), [path], { flags: ["--config", configuration] });
  t.after(() => served.kill());
  await served.ready();
  const alone = await timed(served, "/api/search", slow);
  writeFileSync(gate, "");

  const kinds: readonly ((n: number) => Promise<Timed>)[] = [
    () => timed(served, "/api/search", slow),
    () => timed(served, "/api/stream_search", slow),
    () => timed(served, "/api/find_references", { symbolName: "retry", matches: 10_000 }),
    () => timed(served, "/api/search", { query: "type:commit One" }),
    (n) => timed(served, `/api/blame?repo=code&path=${n % fileCount}.txt&ref=HEAD`),
    (n) => timed(served, `/api/commits?repo=code&query=${n}`),
  ];
  let isDone = false;
  const health = (async () => {
    let worst = 0;
    while (!isDone) worst = Math.max(worst, (await timed(served, "/api/health")).ms);
    return worst;
  })();
  const responses = await Promise.all(
    Array.from({ length: clientCount * kinds.length }, async (_, n) => {
      const kind = n % kinds.length;
      return { kind, ...((await kinds[kind]?.(n)) ?? assert.fail()) };
    }),
  );
  isDone = true;

  // A single request takes about as long as the limit. One after another, they would take many times that.
  const bound = 3 * Math.max(timeLimitMs, alone.ms) + 4 * (await health);
  for (const { kind, ms, status, text } of responses) {
    assert.ok(
      ms < bound,
      `kind ${kind} took ${Math.round(ms)} ms of ${Math.round(bound)}: ${text.slice(0, 200)}`,
    );
    if (kind >= 4) {
      assert.deepEqual([status, (JSON.parse(text) as ErrorObject).errorCode], [504, "TIMED_OUT"]);
      continue;
    }
    assert.equal(status, 200, text);
    if (kind === 1) assert.match(text, /\nevent: done\n|^event: done\n/);
    if (kind !== 0 && kind !== 3) continue;
    const { isSearchExhaustive, stats } = JSON.parse(text) as SearchResult;
    assert.deepEqual([isSearchExhaustive, stats.flushReason], [false, "TIME_LIMIT"]);
  }

  rmSync(gate);
  const commits = JSON.parse((await timed(served, "/api/commits?repo=code")).text) as readonly unknown[];
  assert.equal(commits.length, 2);
  assert.equal((await served.search("retry file:^0.txt")).files.length, 1);
});
