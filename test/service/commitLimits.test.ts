/** What questions about commits cost: git is watched, and made slow, by a program of its name. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { OperationName } from "#contract/operations";
import type { AnswerOf } from "#contract/service";
import { History } from "#service/history";
import { hostileHistory, importOn } from "#test/support/history";
import { repo, temporaryFolder } from "#test/support/repo";
import { until } from "#test/support/served";
import { callerOf, repository, viewOf } from "#test/support/service";
import { calls, isAlive, replaceGit, restoreGit } from "#test/support/watchedGit";

const past = hostileHistory();
const many = Array.from({ length: 12 }, (_, at) => repo(`= main: Number ${at}\na\n| a`).path);
const gate = join(temporaryFolder(), "gate");

afterEach(() => {
  restoreGit();
  rmSync(gate, { force: true });
});

function open({ gitTimeLimitMs = 30_000, timeLimitMs = 30_000 } = {}) {
  const repositories = viewOf([
    repository(1, "past", { path: past.path }),
    ...many.map((path, at) => repository(at + 2, `many/${at}`, { path })),
  ]);
  const history = new History({ repositories, gitTimeLimitMs });
  const caller = callerOf({ repositories, history, timeLimitMs });
  return {
    close: () => history.close(),
    ask<Name extends OperationName>(
      name: Name,
      request: object,
      { client = "one", signal = new AbortController().signal } = {},
    ): Promise<AnswerOf<Name>> {
      return caller(name, request, { credentials: { kind: "local" }, signal, client });
    },
  };
}

const questions: readonly (readonly [OperationName, Record<string, unknown>, number])[] = [
  ["commits", { repo: "past" }, 2],
  ["commits", { repo: "past", ref: "v1.0", query: "verse", author: "bob" }, 2],
  ["commits", { repo: "past", path: "music/song.txt" }, 2],
  ["commits", { repo: "past", path: "music/song.txt", since: "2017-01-01T00:00:00Z" }, 3],
  ["commits", { repo: "past", path: "music/song.txt", lines: "3-4" }, 3],
  ["commit", { repo: "past", ref: "v1.0" }, 1],
  ["commit", { repo: "past", ref: "v1.0", containedIn: true }, 3],
  ["authors", { repo: "past" }, 1],
  ["authors", { repo: "past", path: "music/song.txt" }, 1],
  ["diff", { repo: "past", base: "v0.1", head: "v1.0" }, 1],
  ["diff", { repo: "past", base: "v0.1", head: "v1.0", path: "README.md", mergeBase: true }, 2],
];

for (const [name, request, cost] of questions) {
  test(`${name} ${JSON.stringify(request)} takes ${cost} of git's processes, and none again`, async () => {
    const { ask, close } = open();
    // What changed a moment ago is not trusted to stay.
    await pause(60);
    replaceGit("real");
    const first = await ask(name, request);
    assert.equal(calls().length, cost);
    assert.deepEqual(await ask(name, request), first);
    assert.equal(calls().length, cost);
    close();
  });
}

for (const [name, request, cost] of questions) {
  test(`${name} ${JSON.stringify(request)} asked five times at once takes ${cost}`, async () => {
    const { ask, close } = open();
    await pause(60);
    replaceGit(`while [ ! -e ${gate} ]; do sleep 0.02; done\nreal`);
    const asked = ["one", "two", "three", "four", "five"].map((client) => ask(name, request, { client }));
    await until("it has begun", () => calls().length > 0);
    writeFileSync(gate, "");
    const [first, ...others] = await Promise.all(asked);
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(calls().length, cost);
    close();
  });
}

test("further pages of a list cost one short call each", async () => {
  const { ask, close } = open();
  const request = { repo: "past", query: "e", perPage: 2 };
  await ask("commits", request);
  replaceGit("real");
  await ask("commits", { ...request, page: 2 });
  assert.equal(calls().length, 1);
  assert.match(calls()[0]?.line ?? "", /--no-walk/);
  close();
});

test("a file is followed once, whatever is then asked of its commits", async () => {
  const { ask, close } = open();
  const request = { repo: "past", path: "music/song.txt" };
  await ask("commits", request);
  replaceGit("real");
  await ask("commits", { ...request, author: "bob" });
  assert.equal(calls().length, 2);
  assert.ok(calls().every(({ line }) => line.includes("--no-walk")));
  close();
});

test("a new branch, a moved tag and a new name of a person are seen at once", async () => {
  const { ask, close } = open();
  const request = { repo: "past", ref: past.git("rev-parse", "v2.0") };
  const refs = async () => (await ask("commit", request)).refs;
  assert.equal(await refs(), "tag: v2.0");
  past.git("branch", "topic/deep", "v2.0");
  assert.equal(await refs(), "tag: v2.0, topic/deep");
  await pause(60);
  assert.equal(await refs(), "tag: v2.0, topic/deep");
  past.git("tag", "-f", "v2.0", "v2.0~1");
  assert.equal(await refs(), "topic/deep");
  await pause(60);
  assert.equal(await refs(), "topic/deep");
  past.git("pack-refs", "--all");
  assert.equal(await refs(), "topic/deep");
  past.git("update-ref", "-d", "refs/heads/topic/deep");
  assert.equal(await refs(), "");
  past.write(".mailmap", "Somebody Else <ann@example.com>\n");
  const people = async () => (await ask("authors", { repo: "past" })).items.map(({ name }) => name);
  assert.ok((await people()).includes("Somebody Else"));
  assert.equal((await ask("commit", request)).authorName, "Somebody Else");
  past.git("checkout", "-q", ".mailmap");
  assert.ok(!(await people()).includes("Somebody Else"));
  close();
});

test("a branch that moved has another history", async () => {
  const { ask, close } = open();
  const { total } = await ask("commits", { repo: "past" });
  importOn(past.path, "main", { on: "main", message: "One more" });
  const after = await ask("commits", { repo: "past" });
  assert.equal(after.total, total + 1);
  assert.equal(after.items[0]?.message, "One more");
  close();
});

test("a search of all repositories leaves others their turn", async () => {
  replaceGit(`while [ ! -e ${gate} ]; do sleep 0.02; done\nreal`);
  const { ask, close } = open();
  const searched = ask("search", { query: "type:commit number" });
  await until("two have begun", () => calls().length === 2);
  const other = ask("commit", { repo: "past", ref: "main" }, { client: "two" });
  await until("the other one has begun, too", () => calls().length === 3);
  await pause(100);
  assert.equal(calls().length, 3);
  writeFileSync(gate, "");
  await other;
  const { commits = [] } = await searched;
  assert.equal(commits.length, many.length);
  close();
});

test("a search of commits that takes too long is ended, and says so", async () => {
  replaceGit("exec sleep 60");
  const { ask, close } = open({ timeLimitMs: 300 });
  const { commits, stats, isSearchExhaustive } = await ask("search", { query: "type:commit x" });
  assert.deepEqual([commits, stats.flushReason, isSearchExhaustive], [[], "TIME_LIMIT", false]);
  await until("nothing is left", () => calls().every(({ pid }) => !isAlive(pid)));
  close();
});

test("one slow repository does not take the others with it", async () => {
  replaceGit(`case "$PWD" in ${many[3]}) exec sleep 60;; esac\nreal`);
  const { ask, close } = open({ gitTimeLimitMs: 1000 });
  const { commits, stats } = await ask("search", { query: "type:commit number" });
  assert.deepEqual([commits?.length, stats.flushReason], [many.length - 1, "TIME_LIMIT"]);
  close();
});

test("one broken repository does not take the others with it, whoever is asked what a date means", async () => {
  replaceGit(`case "$PWD" in ${many[0]}) exit 128;; esac\nreal`);
  const { ask, close } = open();
  const query = 'type:commit number until:"1 day ago"';
  const { commits, stats } = await ask("search", { query });
  assert.deepEqual([commits?.length, stats.flushReason], [many.length - 1, "ENGINE_PARTIAL"]);
  close();
});

test("who gives up a search of commits ends what was started", async () => {
  replaceGit("exec sleep 60");
  const { ask, close } = open();
  const controller = new AbortController();
  const searched = ask("search", { query: "type:commit x" }, { signal: controller.signal });
  await until("two have begun", () => calls().length === 2);
  controller.abort();
  await assert.rejects(searched, { code: "CANCELLED" });
  await until("nothing is left", () => calls().every(({ pid }) => !isAlive(pid)));
  assert.equal(calls().length, 2);
  close();
});

test("a repository that git does not trust is refused, with the way to allow it", async () => {
  replaceGit("export GIT_TEST_ASSUME_DIFFERENT_OWNER=1\nreal");
  const { ask, close } = open();
  for (const [name, request] of questions) {
    await assert.rejects(ask(name, request), { code: "REPOSITORY_NOT_TRUSTED", message: /safe\.directory/ });
  }
  const { commits, stats } = await ask("search", { query: "type:commit x" });
  assert.deepEqual([commits, stats.flushReason], [[], "ENGINE_PARTIAL"]);
  close();
});

test("a git that talks nonsense is not believed", async () => {
  for (const script of ["echo nonsense", "head -c 100000 /dev/urandom"]) {
    replaceGit(script);
    const { ask, close } = open();
    for (const [name, request] of questions) await ask(name, request).catch(() => undefined);
    await ask("search", { query: "type:commit x" });
    close();
  }
});
