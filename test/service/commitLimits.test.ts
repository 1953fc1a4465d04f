/** How many git processes requests about commits need. A script on the PATH logs git's calls and can delay them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { runTool } from "#agents/runTool";
import { isServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import type { OperationName } from "#contract/operations";
import type { ResponseOf } from "#contract/service";
import { parseHashList } from "#git/history/log";
import { refsFingerprint } from "#git/refs/refsFingerprint";
import { ChangedTextSearch } from "#service/history/changedText";
import { History } from "#service/history/history";
import { eventually } from "#test/support/eventually";
import { hostileHistory, importOn } from "#test/support/history";
import { gitRepositoryOf, repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, viewOf } from "#test/support/service";
import { calls, isAlive, replaceGit, restoreGit } from "#test/support/watchedGit";

const past = hostileHistory();
const many = Array.from({ length: 12 }, (_, at) => repo(`= main: Number ${at}\na\n| a`).path);
const bare = join(temporaryFolder(), "bare.git");
past.git("clone", "-q", "--bare", ".", bare);
const gate = join(temporaryFolder(), "gate");

afterEach(() => {
  restoreGit();
  rmSync(gate, { force: true });
});

/** Waits until the refs of `past` are old enough that responses are cached. */
async function refsSettled(): Promise<void> {
  const gitDir = join(past.path, ".git");
  await eventually(() => refsFingerprint({ gitDir, commonDir: gitDir }));
}

function open({ gitTimeLimitMs = 30_000, timeLimitMs = 30_000 } = {}) {
  const repositories = viewOf([
    repository(1, "past", { path: past.path }),
    repository(100, "bare", { path: bare, kind: "bare" }),
    ...many.map((path, at) => repository(at + 2, `many/${at}`, { path })),
  ]);
  const history = new History({ repositories, gitTimeLimitMs });
  const caller = callerOf({ repositories, history }, { timeLimitMs });
  return {
    caller,
    close: () => history.close(),
    ask<Name extends OperationName>(
      name: Name,
      request: object,
      { client = "one", signal = new AbortController().signal } = {},
    ): Promise<ResponseOf<Name>> {
      return caller(name, request, { credentials: { kind: "local" }, signal, client });
    },
  };
}

const requests: readonly (readonly [OperationName, Record<string, unknown>, number])[] = [
  ["commits", { repo: "past" }, 0],
  ["commits", { repo: "past", perPage: 3 }, 1],
  ["commits", { repo: "past", ref: "v1.0", query: "verse", author: "bob" }, 1],
  ["commits", { repo: "past", path: "music/song.txt" }, 1],
  ["commits", { repo: "past", path: "music/song.txt", since: "2017-01-01T00:00:00Z" }, 2],
  ["commits", { repo: "past", path: "music/song.txt", lines: "3-4" }, 2],
  ["commits", { repo: "past", changedText: "verse" }, 2],
  ["commits", { repo: "past", changedText: "verse", path: "music/song.txt", author: "ann" }, 3],
  ["commit", { repo: "past", ref: "v1.0" }, 0],
  ["commit", { repo: "past", ref: "v1.0", containedIn: true }, 2],
  ["authors", { repo: "past" }, 1],
  ["authors", { repo: "past", path: "music/song.txt" }, 1],
  ["diff", { repo: "past", base: "v0.1", head: "v1.0" }, 1],
  ["diff", { repo: "past", base: "v0.1", head: "v1.0", path: "README.md", mergeBase: true }, 2],
];

for (const [name, request, cost] of requests) {
  test(`${name} ${JSON.stringify(request)} runs git ${cost} times, and not again when repeated`, async () => {
    const { ask, close } = open();
    await refsSettled();
    replaceGit("real");
    const first = await ask(name, request);
    assert.equal(calls().length, cost);
    assert.deepEqual(await ask(name, request), first);
    assert.equal(calls().length, cost);
    close();
  });
}

for (const [name, request, cost] of requests.filter(([, , count]) => count > 0)) {
  test(`${name} ${JSON.stringify(request)} runs git ${cost} times for five concurrent requests`, async () => {
    const { ask, close } = open();
    await refsSettled();
    replaceGit(`while [ ! -e ${gate} ]; do sleep 0.02; done\nreal`);
    const responses = ["one", "two", "three", "four", "five"].map((client) => ask(name, request, { client }));
    await eventually(() => calls().length > 0);
    writeFileSync(gate, "");
    const [first, ...others] = await Promise.all(responses);
    for (const other of others) assert.deepEqual(other, first);
    assert.equal(calls().length, cost);
    close();
  });
}

test("further pages of a list do not run git", async () => {
  const { ask, close } = open();
  const request = { repo: "past", query: "e", perPage: 2 };
  await ask("commits", request);
  replaceGit("real");
  await ask("commits", { ...request, page: 2 });
  assert.deepEqual(calls(), []);
  close();
});

test("the renames of a file are followed once for all filters", async () => {
  const { ask, close } = open();
  const request = { repo: "past", path: "music/song.txt" };
  await ask("commits", request);
  replaceGit("real");
  await ask("commits", { ...request, author: "bob" });
  assert.equal(calls().length, 1);
  assert.match(calls()[0]?.line ?? "", /--no-walk/);
  close();
});

test("a new branch, a moved tag and a changed .mailmap take effect at once", async () => {
  const { ask, close } = open();
  const request = { repo: "past", ref: past.git("rev-parse", "v2.0") };
  const refs = async () => (await ask("commit", request)).refs;
  assert.equal(await refs(), "tag: v2.0");
  past.git("branch", "topic/deep", "v2.0");
  assert.equal(await refs(), "tag: v2.0, topic/deep");
  await refsSettled();
  assert.equal(await refs(), "tag: v2.0, topic/deep");
  past.git("tag", "-f", "v2.0", "v2.0~1");
  assert.equal(await refs(), "topic/deep");
  await refsSettled();
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

test("a moved branch has another history", async () => {
  const { ask, close } = open();
  const { total } = await ask("commits", { repo: "past" });
  importOn(past.path, "main", { on: "main", message: "One more" });
  const after = await ask("commits", { repo: "past" });
  assert.equal(after.total, total + 1);
  assert.equal(after.items[0]?.message, "One more");
  close();
});

for (const [name, path] of [
  ["past", past.path],
  ["bare", bare],
] as const) {
  test(`commits are counted from scratch once; then only differences are counted (${name})`, async () => {
    const { ask, close } = open();
    const request = { repo: name, perPage: 3 };
    const { total } = await ask("commits", request);
    importOn(path, "main", { on: "main", message: "Next" });
    replaceGit("real");
    assert.equal((await ask("commits", request)).total, total + 1);
    assert.deepEqual(countsOfGit(), []);
    // An older commit, whose page does not contain the counted one.
    const older = await ask("commits", { ...request, ref: "main~5" });
    assert.match(countsOfGit().join(), /^[^,]*--left-right[^,]*$/);
    assert.equal(older.total, Number(runGit(path, ["rev-list", "--count", "main~5"])));
    close();
  });
}

function countsOfGit(): string[] {
  return calls()
    .map(({ line }) => line)
    .filter((line) => line.includes("rev-list"));
}

test("a search of all repositories does not block other callers", async () => {
  replaceGit(`while [ ! -e ${gate} ]; do sleep 0.02; done\nreal`);
  const { ask, close } = open();
  const searched = ask("search", { query: "type:commit number" });
  await eventually(() => calls().length === 2);
  const other = ask("authors", { repo: "past" }, { client: "two" });
  await eventually(() => calls().length === 3);
  // Requests that need no git give further processes the chance to start; none may.
  for (let turn = 0; turn < 20; turn++) await ask("source", { repo: "past", path: "README.md" });
  assert.equal(calls().length, 3);
  writeFileSync(gate, "");
  await other;
  const { commits = [] } = await searched;
  assert.equal(commits.length, many.length);
  close();
});

test("a search of commits that takes too long is stopped and reports the time limit", async () => {
  replaceGit("exec sleep 60");
  const { ask, close } = open({ timeLimitMs: 300 });
  const { commits, stats, isSearchExhaustive } = await ask("search", { query: "type:commit x" });
  assert.deepEqual([commits, stats.flushReason, isSearchExhaustive], [[], "TIME_LIMIT", false]);
  await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
  close();
});

test("a slow repository does not affect results of the others", async () => {
  replaceGit(`case "$PWD" in ${many[3]}) exec sleep 60;; esac\nreal`);
  const { ask, close } = open({ gitTimeLimitMs: 1000 });
  const { commits, stats } = await ask("search", { query: "type:commit number" });
  assert.deepEqual([commits?.length, stats.flushReason], [many.length - 1, "TIME_LIMIT"]);
  close();
});

test("a broken repository does not affect results of the others, even if git parses a date there", async () => {
  replaceGit(`case "$PWD" in ${many[0]}) exit 128;; esac\nreal`);
  const { ask, close } = open();
  const query = 'type:commit number until:"1 day ago"';
  const { commits, stats } = await ask("search", { query });
  assert.deepEqual([commits?.length, stats.flushReason], [many.length - 1, "ENGINE_PARTIAL"]);
  close();
});

test("canceling a search of commits kills its git processes", async () => {
  replaceGit("exec sleep 60");
  const { ask, close } = open();
  const controller = new AbortController();
  const searched = ask("search", { query: "type:commit x" }, { signal: controller.signal });
  await eventually(() => calls().length === 2);
  controller.abort();
  await assert.rejects(searched, { code: "CANCELLED" });
  await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
  assert.equal(calls().length, 2);
  close();
});

test("a search for a changed text that takes too long continues with the next request", async () => {
  const { ask, close } = open({ gitTimeLimitMs: 2_000 });
  const request = { repo: "past", changedText: "verse", perPage: 100 };
  const { items: all, incomplete } = await open().ask("commits", request);
  assert.equal(incomplete, undefined);
  const order = (await ask("commits", { repo: "past", perPage: 100 })).items.map(({ hash }) => hash);
  slowDownDiffTree();
  let before = 0;
  for (let turn = 0; turn < 2; turn++) {
    let partial: ResponseOf<"commits"> = { items: [], total: 0 };
    const { checked, total, last } = await progressOf(async () => {
      partial = await ask("commits", request);
      return partial.incomplete;
    });
    assert.ok(checked > before && checked < total);
    before = checked;
    const reached = order.slice(0, checked);
    assert.deepEqual(
      partial.items,
      all.filter(({ hash }) => reached.includes(hash)),
    );
    assert.equal(partial.total, partial.items.length);
    assert.deepEqual([total, last], [order.length, reached.at(-1)?.slice(0, 12)]);
  }
  assert.ok(calls().every(({ pid }) => !isAlive(pid)));
  replaceGit("real");
  assert.deepEqual(await ask("commits", request), { items: all, total: all.length });
  close();
});

test("a search since a relative date continues although time has passed", async () => {
  const { ask, close } = open({ gitTimeLimitMs: 2_000 });
  const request = { repo: "past", changedText: "verse", since: "1500 weeks ago" };
  let now = 1_800_000_000;
  const askLater = () => {
    slowDownDiffTree(`export GIT_TEST_DATE_NOW=${now++}`);
    return ask("commits", request);
  };
  const first = await progressOf(async () => (await askLater()).incomplete);
  const second = await progressOf(async () => (await askLater()).incomplete);
  assert.ok(second.checked > first.checked);
  close();
});

/** Lets git finish six commits of each process. That the sixth one is complete cannot be known. */
function slowDownDiffTree(setup = ":"): void {
  const inDiffTree = 'head -n 6 | run "$@"; exec sleep 60';
  replaceGit(`${setup}\nrun() { real; }\ncase "$*" in *diff-tree*) ${inDiffTree};; *) run "$@";; esac`);
}

/** Asks until git was fast enough to check a commit, and returns how far the search has come. */
function progressOf(ask: () => Promise<string | null | undefined>) {
  return eventually(async () => {
    const message = await ask().catch((error: unknown) => {
      if (!isServiceError(error, "TIMED_OUT")) throw error;
      return undefined;
    });
    const [, checked, total, last] =
      /^Searched (\d+) of (\d+) commits before the time limit, down to ([0-9a-f]{12}) of /.exec(
        message ?? "",
      ) ?? [];
    return checked === undefined ? undefined : { checked: Number(checked), total: Number(total), last };
  });
}

test("REST and the tool for agents report how far a search for a changed text has come", async () => {
  const { caller, close } = open({ gitTimeLimitMs: 2_000 });
  const listener = await openListener(caller);
  const url = `${listener.url}/api/commits?repo=past&changedText=verse`;
  slowDownDiffTree();
  let response = new Response();
  const { checked } = await progressOf(async () => {
    response = await fetch(url);
    return response.headers.get("x-incomplete");
  });
  const { length } = (await response.json()) as readonly unknown[];
  assert.equal(length, Number(response.headers.get("x-total-count")));
  assert.match(response.headers.get("x-incomplete") ?? "", / Repeat the request to continue/);
  // Otherwise, the client would keep it.
  assert.equal(response.headers.get("etag"), null);
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  const onDefect = (error: unknown) => assert.ifError(error);
  const options = { isStructured: true, onDefect };
  let structured: object | undefined;
  const later = await progressOf(async () => {
    const result = await runTool("history", { repo: "past", text: "verse" }, caller, call, options);
    structured = result.structured;
    return /^(?:No commit found|\d+ commits?) so far\.\n(.*)/.exec(result.text)?.[1];
  });
  assert.ok(later.checked > checked);
  const { isExhaustive, reason } = structured as { isExhaustive?: unknown; reason?: unknown };
  assert.deepEqual([isExhaustive, reason], [false, "TIME_LIMIT"]);
  replaceGit("real");
  assert.equal((await fetch(url)).headers.get("x-incomplete"), null);
  await listener.close();
  close();
});

test("a search for a changed text that cannot check a single commit in time fails", async () => {
  const { ask, close } = open({ gitTimeLimitMs: 1_000 });
  replaceGit('case "$*" in *diff-tree*) exec sleep 60;; esac\nreal');
  await assert.rejects(ask("commits", { repo: "past", changedText: "verse" }), { code: "TIMED_OUT" });
  await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
  close();
});

test("canceling a search for a changed text kills git, and the next request searches", async () => {
  const { ask, close } = open();
  const request = { repo: "past", changedText: "verse" };
  const expected = await open().ask("commits", request);
  replaceGit('case "$*" in *diff-tree*) exec sleep 60;; esac\nreal');
  const controller = new AbortController();
  const searched = ask("commits", request, { signal: controller.signal });
  await eventually(() => calls().some(({ line }) => line.includes("diff-tree")));
  controller.abort();
  await assert.rejects(searched, { code: "CANCELLED" });
  await eventually(() => calls().every(({ pid }) => !isAlive(pid)));
  replaceGit("real");
  assert.deepEqual(await ask("commits", request), expected);
  close();
});

/** Returns a search in the history of `past`, and a function that continues it. */
function openTextSearch() {
  const hashes = past.git("rev-list", "main");
  const search = new ChangedTextSearch(parseHashList(Buffer.from(`${hashes}\n`)), {
    text: "verse",
    paths: [],
  });
  const run = ({ timeLimitMs = 30_000, signal = new AbortController().signal } = {}) => {
    const gitRepository = gitRepositoryOf({ path: past.path });
    const limits = { client: "one", limiter: new Limiter(4), timeLimitMs };
    return search.run({ gitRepository, signal, ...limits }, 30_000);
  };
  return { search, run, total: hashes.split("\n").length };
}

/** Checks that the search is complete. */
function checkFound({ search, total }: ReturnType<typeof openTextSearch>): void {
  const expected = past.git("log", "--format=%H", "-Sverse", "main").split("\n");
  assert.equal(search.checked, total);
  assert.deepEqual(
    search.found.slice(0, total).map(({ hash }) => hash),
    expected,
  );
}

test("what git printed before a search was canceled does not affect the next one", async () => {
  const opened = openTextSearch();
  const printed = join(temporaryFolder(), "printed");
  const print = `head -n 6 | run "$@"; touch ${printed}; exec sleep 60`;
  replaceGit(`run() { real; }\nwhile [ ! -e ${gate} ]; do sleep 0.02; done\n${print}`);
  const controller = new AbortController();
  const canceled = opened.run({ signal: controller.signal });
  await eventually(() => calls().length === 1);
  replaceGit("real");
  writeFileSync(gate, "");
  // While this thread waits, it does not read the output.
  spawnSync("sh", ["-c", `until [ -e ${printed} ]; do sleep 0.02; done`], { timeout: 30_000 });
  controller.abort();
  await Promise.all([assert.rejects(canceled, { code: "CANCELLED" }), opened.run()]);
  checkFound(opened);
});

test("a search continues after a git process that takes too long", async () => {
  const opened = openTextSearch();
  const once = `if [ ! -e ${gate} ]; then touch ${gate}; head -n 6 | run "$@"; exec sleep 60; fi`;
  replaceGit(`run() { real; }\n${once}\nrun "$@"`);
  await opened.run({ timeLimitMs: 4_000 });
  assert.equal(calls().length, 2);
  checkFound(opened);
});

test("a repository that git does not trust is refused with instructions to allow it", async () => {
  replaceGit("export GIT_TEST_ASSUME_DIFFERENT_OWNER=1\nreal");
  const { ask, close } = open();
  for (const [name, request, cost] of requests) {
    // Only git reads a bare repository.
    const asked = cost > 0 ? request : { ...request, repo: "bare" };
    await assert.rejects(ask(name, asked), { code: "REPOSITORY_NOT_TRUSTED", message: /safe\.directory/ });
  }
  const { commits, stats } = await ask("search", { query: "type:commit x" });
  assert.deepEqual([commits, stats.flushReason], [[], "ENGINE_PARTIAL"]);
  close();
});

test("malformed output of git does not crash the service", async () => {
  for (const script of ["echo nonsense", "head -c 100000 /dev/urandom"]) {
    replaceGit(script);
    const { ask, close } = open();
    for (const [name, request] of requests) await ask(name, request).catch(() => undefined);
    await ask("search", { query: "type:commit x" });
    close();
  }
});
