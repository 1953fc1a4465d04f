/**
 * A full disk: indexing fails with the reason, searches use the old index, and everything works again once there is
 * space.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { RepositoryItem } from "#contract/repositories";
import { diskFiles, type Files } from "#platform/files";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { workerTask } from "#sync/workerTasks";
import { Random } from "#test/support/corpus";
import { fill, smallDisk } from "#test/support/disk";
import { eventually } from "#test/support/eventually";
import { indexedLines } from "#test/support/indexed";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const noSpace = /no space left on device/;

/** Commits random text of the given size. */
function grow(repository: TestRepository, kilobytes: number, seed: number): void {
  const random = new Random(seed);
  for (let file = 0; file * 100 < kilobytes; file++) {
    let text = `needle${seed}\n`;
    while (text.length < 100_000) text += `${random.next().toString(36).slice(2)}\n`;
    repository.write(`text${seed}/${file}.txt`, text);
  }
  repository.git("add", ".");
  repository.git("commit", "-q", "-m", `Text ${seed}`);
}

test("with a full disk, the old index stays searchable", async (t) => {
  const disk = smallDisk(48);
  if ("reason" in disk) return t.diagnostic(`Nothing was mounted: ${disk.reason}. See the last test.`);
  const dataDir = join(disk.path, "data");
  const ballast = join(disk.path, "ballast");
  const rest = join(disk.path, "rest");
  const folder = temporaryFolder();
  const small = repo("= main: One\na.txt\n| needle0\n", { path: join(folder, "small") });
  const large = repo("= main: One\nb.txt\n| needle0\n", { path: join(folder, "large") });
  grow(large, 6000, 1);
  const run = (...args: string[]) => trawl([...args, "--data-dir", dataDir]);
  const states = async () => {
    const { stdout } = await run("status", "--json");
    const { repositories } = JSON.parse(stdout) as { repositories: RepositoryItem[] };
    return Object.fromEntries(
      repositories.map(({ repoName, state, lastError }) => [repoName, { state, lastError }]),
    );
  };
  const leftovers = () => readdirSync(join(dataDir, "shards")).filter((name) => name.endsWith(".draft"));
  assert.equal((await run("index", small.path)).code, 0);

  await t.test("indexing fails with the reason, and the old index is searched", async () => {
    fill(ballast, 3_000_000);
    const indexed = await run("index", large.path);
    assert.equal(indexed.code, 1, indexed.stderr);
    assert.match(indexed.stderr, /^trawl: Cannot index large: /m);
    assert.match(indexed.stderr, noSpace);
    const { small: first, large: second } = await states();
    assert.equal(first?.state, "ready");
    assert.equal(second?.state, "failed");
    assert.match(second?.lastError ?? "", noSpace);
    const found = await run("search", "needle0");
    assert.deepEqual([found.code, found.stdout], [0, "small/a.txt:1:needle0\n"]);
    assert.match(found.stderr, /not everything is indexed/);
    assert.deepEqual(leftovers(), []);
  });

  await t.test("a server keeps searching the old index, and catches up", async (t) => {
    const server = await serve(dataDir);
    t.after(() => server.kill());
    await server.ready();
    grow(small, 6000, 2);
    const stateOf = async (name: string) =>
      (await server.repositories()).find(({ repoName }) => repoName === name);
    await eventually(async () => (await stateOf("small"))?.state === "failed");
    assert.match((await stateOf("small"))?.lastError ?? "", noSpace);
    const found = await server.search("needle0");
    assert.deepEqual(
      found.files.map(({ repository }) => repository),
      ["small"],
    );
    assert.equal(found.isSearchExhaustive, false);
    // Symbols may still be being written.
    await eventually(() => leftovers().length === 0);

    rmSync(ballast);
    // Triggered by the next change, or by a command.
    small.write("a.txt", "needle0 again\n");
    small.git("commit", "-q", "-a", "-m", "Two");
    await eventually(async () => (await stateOf("small"))?.state === "ready");
    assert.equal((await server.search("repo:small needle2")).stats.totalMatchCount, 60);
    const indexed = await run("index", large.path);
    assert.equal(indexed.code, 0, indexed.stderr);
    await eventually(async () => (await server.search("needle0 or needle1")).isSearchExhaustive);
    assert.equal((await server.search("needle0 or needle1")).stats.totalMatchCount, 62);
    assert.equal((await server.stop()).code, 0);
  });

  await t.test("without a single byte left, searches work and commands fail with the reason", async (t) => {
    const server = await serve(dataDir);
    t.after(() => server.kill());
    await server.ready();
    fill(ballast, 0);
    small.write("a.txt", "needle3\n");
    small.git("commit", "-q", "-a", "-m", "Three");
    await eventually(async () =>
      (await server.repositories()).some(({ repoName, state }) => repoName === "small" && state === "failed"),
    );
    assert.equal((await server.search("needle1")).stats.totalMatchCount, 60);
    // The overlay of later changes is in memory and needs no disk.
    assert.equal((await server.search("needle2")).stats.totalMatchCount, 60);
    const { code, stderr } = await server.stop();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /defect/);

    // No process starts if not even the lock file can be written.
    fill(rest, 0);
    for (const args of [["index", small.path], ["search", "needle1"], ["status"], ["serve", "--port", "0"]]) {
      const refused = await run(...args);
      assert.deepEqual([refused.code, refused.stdout], [args[0] === "search" ? 2 : 1, ""]);
      assert.match(refused.stderr, /^trawl: Cannot use the data directory .*: .*no space left on device/);
    }
    rmSync(ballast);
    rmSync(rest);
    const again = await run("index", small.path);
    assert.equal(again.code, 0, again.stderr);
    const found = await run("search", "needle3");
    assert.deepEqual([found.code, found.stdout], [0, "small/a.txt:1:needle3\n"]);
    assert.deepEqual(leftovers(), []);
    assert.deepEqual(readdirSync(dataDir).sort(), ["catalogue.json", "format", "shards", "uses.json"]);
  });
});

test("with a full disk, a server refuses requests that it cannot record, and commands still search", async (t) => {
  const disk = smallDisk(24);
  if ("reason" in disk) return t.diagnostic(`Nothing was mounted: ${disk.reason}.`);
  const dataDir = join(disk.path, "data");
  const ballast = join(disk.path, "ballast");
  const { path } = repo("= main: One\na.txt\n| needle\n");
  const server = await serve(dataDir, [path], { flags: ["--anonymous", "off"] });
  t.after(() => server.kill());
  await server.ready();
  const run = (...args: string[]) => trawl([...args, "--data-dir", dataDir]);
  const [key] = /trwl_\S+/.exec((await run("keys", "create", "scripts")).stdout) ?? [];
  const search = async () => {
    const response = await fetch(`${server.url}/api/search`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "needle" }),
    });
    const { errorCode = "", message = "" } = (await response.json()) as Readonly<Record<string, string>>;
    return [response.status, errorCode, message];
  };
  assert.deepEqual(await search(), [200, "", ""]);
  fill(ballast, 0);
  // The free space in allocated blocks of the log is used first.
  await eventually(async () => (await search())[0] !== 200);
  const reason = "trawl.db cannot be written: the disk of the data directory is full. Free some space.";
  for (let round = 0; round < 3; round++)
    assert.deepEqual(await search(), [503, "ENGINE_UNAVAILABLE", reason]);
  assert.equal((await fetch(`${server.url}/api/health`)).status, 200);
  for (const [args, expected] of [
    [["search", "needle"], /^.*a\.txt:1:needle\n$/],
    [["status"], /^Index .*\nServed by process /],
  ] as const) {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    assert.match(stdout, expected);
  }
  const refused = await run("keys", "create", "another");
  assert.deepEqual([refused.code, refused.stderr], [1, `trawl: ${reason}\n`]);
  const backup = await run("backup", join(disk.path, "backup"));
  assert.equal(backup.code, 1);
  assert.match(backup.stderr, /^trawl: .*(no space left|is full)/);

  rmSync(ballast);
  assert.deepEqual(await search(), [200, "", ""]);
  const { code, stderr } = await server.stop();
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /defect|"stack"/);
});

test("search and status work on a read-only data directory that a server uses", async (t) => {
  const disk = smallDisk(24);
  if ("reason" in disk) return t.diagnostic(`Nothing was mounted: ${disk.reason}.`);
  const dataDir = join(disk.path, "data");
  const { path } = repo("= main: One\na.txt\n| needle\n");
  const server = await serve(dataDir, [path]);
  t.after(() => server.kill());
  await server.ready();
  const readOnly = temporaryFolder();
  for (const args of [
    ["--bind", dataDir],
    ["-o", "remount,bind,ro"],
  ]) {
    assert.equal(spawnSync("mount", [...args, readOnly]).status, 0);
  }
  t.after(() => void spawnSync("umount", ["-l", readOnly]));
  const found = await trawl(["search", "needle", "--data-dir", readOnly]);
  assert.equal(found.code, 0, found.stderr);
  const status = await trawl(["status", "--data-dir", readOnly]);
  assert.match(status.stdout, /^Index .*\nServed by process /, status.stderr);
});

/** The same on systems that cannot mount: in this process, with simulated write errors. */
test("indexing fails on write errors and succeeds afterwards", async (t) => {
  let isFull = false;
  const write: Files["write"] = (descriptor, bytes) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    diskFiles.write(descriptor, bytes);
  };
  const files = { ...diskFiles, write };
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"), files);
  const catalog = Catalog.open(data, { log: silentLog, files });
  const sync = new Sync({
    catalog,
    directory,
    pool: inlineThread(workerTask(files)),
    settings: { branches: ["**"], tags: ["**"], newestTags: 20 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay: () => undefined,
  });
  t.after(() => sync.close());
  const repository = repo("= main: One\na.txt\n| one\n");
  const [added] = await sync.addPaths([repository.path], AbortSignal.timeout(60_000));
  assert.ok(added);
  await sync.idle();
  assert.deepEqual(await indexedLines(directory, added.id), ["a.txt [main]: one|"]);

  repository.more("= main: Two\na.txt\n| two\n");
  isFull = true;
  sync.refresh(added.id);
  await sync.idle();
  assert.equal(catalog.get(added.id)?.state, "failed");
  assert.match(catalog.get(added.id)?.lastError ?? "", noSpace);
  assert.deepEqual(await indexedLines(directory, added.id), ["a.txt [main]: one|"]);

  isFull = false;
  sync.refresh(added.id);
  await sync.idle();
  assert.equal(catalog.get(added.id)?.state, "ready");
  assert.deepEqual(await indexedLines(directory, added.id), ["a.txt [main]: two|"]);
  assert.deepEqual(
    readdirSync(join(data, "shards")).filter((name) => name.endsWith(".draft")),
    [],
  );
});
