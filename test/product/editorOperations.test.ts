/** Operations for editors other than search, of the built server over LSP. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Clones, InstanceState, Siblings } from "#contract/editor";
import type { IndexingProgress } from "#contract/local";
import type { RepositoryItem } from "#contract/repositories";
import type { SearchResult } from "#contract/search";
import { type Editor, openEditor } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";

const text = "= main: First\na.txt\n| a needle\n";
const folder = temporaryFolder();
const dataDir = join(temporaryFolder(), "data");
const open = repo(text, { path: join(folder, "open") });
const inside = repo(text, { path: join(folder, "open/inside") });
repo(text, { path: join(folder, "beside") });
repo(text, { path: join(folder, "group/deeper") });
repo(text, { path: join(folder, "group/too/deep") });

let editor: Editor;
before(async () => {
  editor = await openEditor(dataDir, { folders: [open.path] });
  await editor.call("addPaths", { paths: [open.path] });
  await editor.call("indexing");
});
after(() => editor.kill());

const instance = () => editor.call<InstanceState>("instance");
const repositories = async () =>
  (await editor.call<{ items: RepositoryItem[] }>("repos")).items.sort(
    (left, right) => left.repoId - right.repoId,
  );
const names = async () => (await repositories()).map(({ repoName }) => repoName);

async function failure(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => assert.fail("it did not fail"),
    (error) => `${error.data.statusCode} ${error.data.errorCode} ${error.message}`,
  );
}

test("the instance operation reports the state of the server", async () => {
  const { version, pid, memoryBytes, uptimeSeconds, indexBytes, ...rest } = await instance();
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal(pid, editor.pid);
  assert(memoryBytes > 0 && indexBytes > 0 && uptimeSeconds >= 0);
  assert.deepEqual(rest, {
    dataDir,
    isPaused: false,
    paths: 1,
    repositories: 2,
    ready: 2,
    failed: 0,
    polled: 0,
    contentBytes: 18,
    evicted: 0,
  });
});

test("the clones operation returns the paths of all clones", async () => {
  const { clones } = await editor.call<Clones>("clones");
  const paths = clones.map(({ folder: path, isBare }) => [path, isBare]);
  assert.deepEqual(paths.sort(), [
    [open.path, false],
    [inside.path, false],
  ]);
});

test("siblings are clones near the open folder, without known and deeply nested ones", async () => {
  const { repositories: found, isComplete } = await editor.call<Siblings>("siblings");
  assert.equal(isComplete, true);
  assert.deepEqual(
    found.map(({ name, path }) => [name, path]),
    [
      ["beside", join(folder, "beside")],
      ["deeper", join(folder, "group/deeper")],
    ],
  );
  assert(found.every(({ sizeBytes }) => sizeBytes > 0));
});

test("siblings are not repositories that are being added", async () => {
  const paths = [join(folder, "beside")];
  const [, { repositories: found }] = await Promise.all([
    editor.call("addPaths", { paths }),
    editor.call<Siblings>("siblings"),
  ]);
  await editor.call("removePaths", { paths });
  assert.deepEqual(
    found.map(({ name }) => name),
    ["deeper"],
  );
});

test("two windows share one port, and either can close it", async () => {
  const other = await openEditor(dataDir);
  try {
    const first = await editor.call<{ url: string }>("startEndpoint", { port: 0 });
    assert.deepEqual(await other.call("startEndpoint"), first);
    assert.deepEqual(await other.call("startEndpoint", { port: Number(new URL(first.url).port) }), first);
    assert.equal((await instance()).url, first.url);
    assert.equal((await fetch(`${first.url}/api/health`)).status, 200);
    await eventually(async () => {
      const { files } = await other.call<SearchResult>("search", { query: "needle repo:open$" });
      return files[0]?.webUrl.startsWith(first.url) === true;
    });

    const reopened = await other.call<{ url: string }>("startEndpoint", {
      allowedOrigins: ["https://example.com"],
    });
    assert.deepEqual(reopened, first);
    const headers = { origin: "https://example.com" };
    assert.equal((await fetch(`${first.url}/api/repos`, { headers })).status, 200);
    assert.equal(
      (await fetch(`${first.url}/api/repos`, { headers: { origin: "https://no.example" } })).status,
      403,
    );

    await other.call("stopEndpoint");
    await other.call("stopEndpoint");
    assert.equal((await instance()).url, undefined);
    await assert.rejects(fetch(`${first.url}/api/health`));
  } finally {
    await other.kill();
  }
});

test("a port in use is reported, and the open port stays open", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  const expected = `400 INVALID_REQUEST_BODY Cannot listen on 127.0.0.1, port ${port}: the port is in use.`;
  assert.equal(await failure(editor.call("startEndpoint", { port })), expected);
  const { url } = await editor.call<{ url: string }>("startEndpoint", { port: 0 });
  assert.equal(await failure(editor.call("startEndpoint", { port })), expected);
  assert.equal((await fetch(`${url}/api/health`)).status, 200);
  taken.close();
  await editor.call("stopEndpoint");
});

test("while indexing is paused, searches work and changes wait", async () => {
  await editor.call("pauseIndexing", { isPaused: true });
  assert.equal((await instance()).isPaused, true);
  const fresh = repo(text);
  await editor.call("addPaths", { paths: [fresh.path] });
  open.write("new.txt", "thimble\n");
  const found = async (query: string) =>
    (await editor.call<SearchResult>("search", { query })).stats.totalMatchCount;
  assert.equal(await found("needle"), 2);
  // Returns at once, because nothing is being indexed.
  await editor.call("indexing");
  assert.deepEqual(
    (await repositories()).map(({ state }) => state),
    ["ready", "ready", "queued"],
  );
  assert.equal(await found("thimble"), 0);
  await editor.call("pauseIndexing", { isPaused: false });
  await editor.call("indexing");
  await eventually(async () => (await found("needle")) === 3 && (await found("thimble")) === 1);
  await editor.call("removePaths", { paths: [fresh.path] });
});

test("reindex rebuilds the index of a repository", async () => {
  const name = (await names())[0] ?? "";
  const before = (await repositories())[0]?.indexedAt ?? "";
  await editor.call("reindex", { repositories: [name] });
  await editor.call("indexing");
  const [first] = await repositories();
  assert.equal(first?.state, "ready");
  assert(before < (first?.indexedAt ?? ""));
  assert.equal(
    await failure(editor.call("reindex", { repositories: [name, "none"] })),
    '404 NOT_FOUND Repository "none" not found.',
  );
});

test("a removed repository is not indexed again with its folder, only by itself", async () => {
  const before = await names();
  const [outer = "", inner = ""] = before;
  assert.equal(
    await failure(editor.call("removeRepositories", { repositories: [inner, "none"] })),
    '404 NOT_FOUND Repository "none" not found.',
  );
  assert.deepEqual(await names(), before);
  await editor.call("addPaths", { paths: [folder] });
  const all = await names();
  const events: IndexingProgress[] = [];
  const following = editor.follow(
    "indexing",
    { follow: true },
    (event: IndexingProgress) => void events.push(event),
  );
  following.ended.catch(() => undefined);
  await editor.call("removeRepositories", { repositories: [outer] });
  await eventually(() => events.at(-1)?.total === all.length - 1);
  const rest = all.filter((name) => name !== outer);
  assert.deepEqual([rest.includes(inner), await names()], [true, rest]);
  await editor.call("addPaths", { paths: [folder] });
  assert.deepEqual(await names(), rest);
  await editor.call("addPaths", { paths: [open.path] });
  assert((await names()).includes(outer));
});
