/** Several processes on one data folder: one leads, and when it goes another takes its place. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { InstanceState } from "#contract/editor";
import type { IndexingProgress } from "#contract/local";
import type { SearchResult } from "#contract/search";
import { type Editor, type EditorOptions, openEditor, until } from "#test/support/editor";
import { repo, temporaryFolder } from "#test/support/repo";
import { startTrawl } from "#test/support/trawl";

const text = `
  = main: First
  src/one.ts
  | export const needle = 1;
  two.md
  | # A needle
`;
const matches = 2;

/** Within this time another process leads and its answers are whole. */
const limitMs = 2000;
/** A call waits so long for the next leader. */
const patienceMs = 3000;

function window(t: TestContext, dataDir: string, options: EditorOptions = {}): Promise<Editor> {
  return openEditor(dataDir, options, t);
}

const dataFolder = () => join(temporaryFolder(), "data");

async function leaderOf(editor: Editor): Promise<number> {
  return (await editor.call<InstanceState>("instance")).pid;
}

/** Empty while nobody leads. */
function endpointOf(dataDir: string): { readonly url?: string; readonly pid?: number } {
  try {
    return JSON.parse(readFileSync(join(dataDir, "endpoint.json"), "utf8"));
  } catch {
    return {};
  }
}

/** Searches again and again; notes when an answer was whole, and each failure. */
function searchOn(editor: Editor) {
  const failures: unknown[] = [];
  const slowest = { ms: 0 };
  let wholeAt = 0;
  let isOver = false;
  const ended = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      try {
        const { stats, isSearchExhaustive } = await editor.call<SearchResult>("search", { query: "needle" });
        assert(stats.totalMatchCount === matches || !isSearchExhaustive);
        if (stats.totalMatchCount === matches && isSearchExhaustive) wholeAt = performance.now();
      } catch (error) {
        failures.push(error);
      }
      slowest.ms = Math.max(slowest.ms, performance.now() - startedAt);
    }
  })();
  return {
    failures,
    slowest,
    wholeAfter: (time: number) => wholeAt > time,
    async stop() {
      isOver = true;
      await ended;
    },
  };
}

for (const [name, end] of [
  ["is killed", (editor: Editor) => editor.kill()],
  ["ends", (editor: Editor) => editor.close().then(() => undefined)],
] as const) {
  test(`when the leader ${name} a follower leads within two seconds, and no search fails`, async (t) => {
    const dataDir = dataFolder();
    const repository = repo(text);
    const first = await window(t, dataDir, { folders: [repository.path] });
    await first.call("addPaths", { paths: [repository.path] });
    await first.call("indexing");
    const openedAt = performance.now();
    const second = await window(t, dataDir, { folders: [repository.path] });
    // A machine that is busy with other things takes longer for everything.
    const allowedMs = Math.max(limitMs, 2 * (performance.now() - openedAt));
    assert.equal(await leaderOf(second), first.pid);
    const told: IndexingProgress[] = [];
    const following = second.follow("indexing", { follow: true }, (event: IndexingProgress) => {
      told.push(event);
    });
    following.ended.catch(() => undefined);
    const searches = searchOn(second);
    await until(() => searches.wholeAfter(0));

    const endedAt = performance.now();
    await end(first);
    const tookMs = await until(
      () => searches.wholeAfter(endedAt + 1) && endpointOf(dataDir).pid === second.pid,
    );
    await searches.stop();
    t.diagnostic(
      `complete again after ${tookMs.toFixed(0)} ms; slowest answer ${searches.slowest.ms.toFixed(0)} ms`,
    );
    assert(tookMs < allowedMs, `${tookMs} ms`);
    if (searches.slowest.ms < patienceMs) assert.deepEqual(searches.failures, []);
    assert.equal(await leaderOf(second), second.pid);

    // It indexes, watches, and goes on telling.
    told.length = 0;
    repository.write("three.md", "another needle\n");
    await until(async () => {
      const { stats } = await second.call<SearchResult>("search", { query: "needle" });
      return stats.totalMatchCount === matches + 1;
    });
    const other = repo("= main: First\nb.txt\n| more\n");
    await second.call("addPaths", { paths: [other.path] });
    await until(() => told.some(({ total }) => total === 2));
    assert.equal(await second.close(), 0);
    assert.deepEqual(existsSync(join(dataDir, "owner.lock")), false);
  });
}

test("of three processes one takes over, and the other follows it", async (t) => {
  const dataDir = dataFolder();
  const repository = repo(text);
  const windows = [];
  for (let count = 0; count < 4; count++)
    windows.push(await window(t, dataDir, { folders: [repository.path] }));
  const [first, ...others] = windows as [Editor, ...Editor[]];
  await first.call("addPaths", { paths: [repository.path] });
  await first.call("indexing");
  await first.kill();
  await until(async () => others.some(({ pid }) => pid === endpointOf(dataDir).pid));
  const leaders = await Promise.all(others.map(leaderOf));
  assert.equal(new Set(leaders).size, 1);
  assert(others.some(({ pid }) => pid === leaders[0]));
  for (const other of others) {
    await until(async () => {
      const { stats } = await other.call<SearchResult>("search", { query: "needle" });
      return stats.totalMatchCount === matches;
    });
  }
});

test("leaders go one after another, and indexing rests with each as it did with the one before", async (t) => {
  const dataDir = dataFolder();
  const repository = repo(text);
  const open = () => window(t, dataDir, { folders: [repository.path] });
  let windows: readonly [Editor, ...Editor[]] = [await open(), await open(), await open(), await open()];
  const found = async (editor: Editor) =>
    (await editor.call<SearchResult>("search", { query: "needle" })).stats.totalMatchCount;
  await windows[0].call("addPaths", { paths: [repository.path] });
  await windows[0].call("indexing");
  await windows[0].call("pauseIndexing", { isPaused: true });
  const { url } = await windows[0].call<{ url: string }>("startEndpoint", { port: 0 });
  // Each has heard of both by now.
  for (const each of windows) {
    await until(async () => {
      const { files } = await each.call<SearchResult>("search", { query: "needle" });
      return files[0]?.webUrl.startsWith(url) === true;
    });
  }
  while (windows.length > 1) {
    const [leader] = new Set(await Promise.all(windows.map(leaderOf)));
    const first = windows.find(({ pid }) => pid === leader);
    windows = windows.filter((each) => each !== first) as [Editor, ...Editor[]];
    await (windows.length % 2 === 0 ? first?.kill() : first?.close());
    const states = await Promise.all(windows.map((each) => each.call<InstanceState>("instance")));
    assert.deepEqual(new Set(states.map(({ pid, isPaused }) => `${pid} ${isPaused}`)).size, 1);
    assert(windows.some(({ pid }) => pid === states[0]?.pid));
    assert.deepEqual([states[0]?.isPaused, states[0]?.url], [true, url]);
    assert.deepEqual(
      await Promise.all(windows.map(found)),
      windows.map(() => matches),
    );
  }
});

test("the next leader listens on the port of the one before", async (t) => {
  const dataDir = dataFolder();
  const first = await window(t, dataDir);
  const openedAt = performance.now();
  const second = await window(t, dataDir);
  const allowedMs = Math.max(limitMs, 2 * (performance.now() - openedAt));
  const { url } = await second.call<{ url: string }>("startEndpoint", { port: 0 });
  assert.equal(endpointOf(dataDir).url, url);
  assert.equal((await fetch(`${url}/api/health`)).status, 200);
  await first.kill();
  const tookMs = await until(async () => {
    const answer = await fetch(`${url}/api/health`).catch(() => undefined);
    return answer?.status === 200;
  });
  t.diagnostic(`the port answers again after ${tookMs.toFixed(0)} ms`);
  assert(tookMs < allowedMs, `${tookMs} ms`);
  assert.equal((await second.call<InstanceState>("instance")).url, url);
  assert.equal(endpointOf(dataDir).url, url);
  await second.call("stopEndpoint");
  await assert.rejects(fetch(`${url}/api/health`));
  assert.equal(endpointOf(dataDir).url, undefined);
});

test("a window that follows trawl serve takes its place, port and all", async (t) => {
  const dataDir = dataFolder();
  const repository = repo(text);
  const served = startTrawl(["serve", "--port", "0", "--data-dir", dataDir, repository.path]);
  t.after(() => served.process.kill("SIGKILL"));
  await served.line(/^Ready/);
  const { url } = endpointOf(dataDir);
  const editor = await window(t, dataDir);
  assert.equal(await leaderOf(editor), served.process.pid);
  served.process.kill("SIGTERM");
  await served.ended;
  await until(() => endpointOf(dataDir).pid === editor.pid);
  assert.equal(await leaderOf(editor), editor.pid);
  const { stats } = await editor.call<SearchResult>("search", { query: "needle" });
  assert.equal(stats.totalMatchCount, matches);
  await until(async () => (await fetch(`${url}/api/health`).catch(() => undefined))?.status === 200);
});

test("a process that serves beside an editor's takes its place", async (t) => {
  const dataDir = dataFolder();
  const repository = repo(text);
  const editor = await window(t, dataDir, { folders: [repository.path] });
  await editor.call("addPaths", { paths: [repository.path] });
  const served = startTrawl(["serve", "--port", "0", "--data-dir", dataDir]);
  t.after(() => served.process.kill("SIGKILL"));
  const url = (await served.line(/^Listening on /)).slice("Listening on ".length);
  await served.line(/^Ready/);
  await editor.kill();
  const answer = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "needle" }),
  });
  const { stats } = (await answer.json()) as SearchResult;
  assert.equal(stats.totalMatchCount, matches);
  await until(() => endpointOf(dataDir).pid === served.process.pid);
  assert.equal(endpointOf(dataDir).url, url);
});
