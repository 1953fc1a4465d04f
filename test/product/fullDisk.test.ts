/**
 * The disk that holds the index is full: an error that says so, answers from the old index, and everything as it
 * should be once there is room again.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Catalogue } from "#catalogue/catalogue";
import type { RepositoryItem } from "#contract/repositories";
import { diskFiles, type Files } from "#platform/files";
import { silentLog } from "#platform/log";
import { thisThread } from "#platform/workers";
import { ShardDirectory } from "#shard/directory";
import { Sync } from "#sync/sync";
import { indexWork } from "#sync/work";
import { Random } from "#test/support/corpus";
import { indexedLines } from "#test/support/indexed";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { serve, until } from "#test/support/served";
import { trawl } from "#test/support/trawl";

const noRoom = /no space left on device/;

/** A file system of its own with so many megabytes, or why there is none. */
function smallDisk(megabytes: number): { readonly path: string } | { readonly reason: string } {
  if (process.platform !== "linux") return { reason: `no tmpfs on ${process.platform}` };
  if (process.getuid?.() !== 0) return { reason: "only root may mount" };
  const path = temporaryFolder();
  const size = `size=${megabytes}m,mode=700`;
  const { status, stderr } = spawnSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", path]);
  if (status !== 0) return { reason: `mount: ${String(stderr).trim()}` };
  after(() => {
    spawnSync("umount", ["-l", path]);
  });
  return { path };
}

/** Takes all room but so many bytes, until the file is removed. */
function fill(path: string, leftBytes: number): void {
  const descriptor = openSync(path, "w");
  const { bavail, bsize } = statfsSync(path);
  const piece = Buffer.alloc(64 * 1024, "x");
  try {
    for (let left = bavail * bsize - leftBytes; left > 0; left -= piece.length) {
      writeSync(descriptor, piece, 0, Math.min(left, piece.length));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Adds files with so much text, all different. */
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

test("on a small file system", async (t) => {
  const disk = smallDisk(48);
  if ("reason" in disk) return t.diagnostic(`Nothing was mounted: ${disk.reason}. See the test below.`);
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

  await t.test("indexing ends with the reason; what was indexed is found", async () => {
    fill(ballast, 3_000_000);
    const indexed = await run("index", large.path);
    assert.equal(indexed.code, 1, indexed.stderr);
    assert.match(indexed.stderr, /^trawl: large could not be indexed: /m);
    assert.match(indexed.stderr, noRoom);
    const { small: first, large: second } = await states();
    assert.equal(first?.state, "ready");
    assert.equal(second?.state, "failed");
    assert.match(second?.lastError ?? "", noRoom);
    const found = await run("search", "needle0");
    assert.deepEqual([found.code, found.stdout], [0, "small/a.txt:1:needle0\n"]);
    assert.match(found.stderr, /not everything is indexed/);
    assert.deepEqual(leftovers(), []);
  });

  await t.test("a server goes on with the old index, and catches up", async (t) => {
    const server = await serve(dataDir);
    t.after(() => server.kill());
    await server.ready();
    grow(small, 6000, 2);
    const stateOf = async (name: string) =>
      (await server.repositories()).find(({ repoName }) => repoName === name);
    await until("failed", async () => (await stateOf("small"))?.state === "failed");
    assert.match((await stateOf("small"))?.lastError ?? "", noRoom);
    const found = await server.search("needle0");
    assert.deepEqual(
      found.files.map(({ repository }) => repository),
      ["small"],
    );
    assert.equal(found.isSearchExhaustive, false);
    // Definitions may be being written.
    await until("drafts are gone", () => leftovers().length === 0);

    rmSync(ballast);
    // By itself with the next change, or when asked.
    small.write("a.txt", "needle0 again\n");
    small.git("commit", "-q", "-a", "-m", "Two");
    await until("ready", async () => (await stateOf("small"))?.state === "ready");
    assert.equal((await server.search("repo:small needle2")).stats.totalMatchCount, 60);
    const indexed = await run("index", large.path);
    assert.equal(indexed.code, 0, indexed.stderr);
    await until("complete", async () => (await server.search("needle0 or needle1")).isSearchExhaustive);
    assert.equal((await server.search("needle0 or needle1")).stats.totalMatchCount, 62);
    assert.equal((await server.stop()).code, 0);
  });

  await t.test("not a byte is left", async (t) => {
    const server = await serve(dataDir);
    t.after(() => server.kill());
    await server.ready();
    fill(ballast, 0);
    small.write("a.txt", "needle3\n");
    small.git("commit", "-q", "-a", "-m", "Three");
    await until("failed", async () =>
      (await server.repositories()).some(({ repoName, state }) => repoName === "small" && state === "failed"),
    );
    assert.equal((await server.search("needle1")).stats.totalMatchCount, 60);
    // What was saved since lies in memory and is found without the disk.
    assert.equal((await server.search("needle2")).stats.totalMatchCount, 60);
    const { code, stderr } = await server.stop();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /defect/);

    // The lock is a file as well: where not even that can be written, no process begins.
    fill(rest, 0);
    for (const args of [["index", small.path], ["search", "needle1"], ["status"], ["serve", "--port", "0"]]) {
      const refused = await run(...args);
      assert.deepEqual([refused.code, refused.stdout], [args[0] === "search" ? 2 : 1, ""]);
      assert.match(refused.stderr, /^trawl: The data directory .* cannot be used: .*no space left on device/);
    }
    rmSync(ballast);
    rmSync(rest);
    const again = await run("index", small.path);
    assert.equal(again.code, 0, again.stderr);
    const found = await run("search", "needle3");
    assert.deepEqual([found.code, found.stdout], [0, "small/a.txt:1:needle3\n"]);
    assert.deepEqual(leftovers(), []);
    assert.deepEqual(readdirSync(dataDir).sort(), ["catalogue.json", "format", "shards"]);
  });
});

/** The same where nothing can be mounted: in this process, with files that are full when they are told to be. */
test("with files that are full", async (t) => {
  let isFull = false;
  const write: Files["write"] = (descriptor, bytes) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    diskFiles.write(descriptor, bytes);
  };
  const files = { ...diskFiles, write };
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"), files);
  const catalogue = Catalogue.open(data, { log: silentLog, files });
  const sync = new Sync({
    catalogue,
    directory,
    pool: thisThread(indexWork(files)),
    wanted: { branches: ["**"], tags: ["**"], newestTags: 20 },
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
  assert.equal(catalogue.get(added.id)?.state, "failed");
  assert.match(catalogue.get(added.id)?.lastError ?? "", noRoom);
  assert.deepEqual(await indexedLines(directory, added.id), ["a.txt [main]: one|"]);

  isFull = false;
  sync.refresh(added.id);
  await sync.idle();
  assert.equal(catalogue.get(added.id)?.state, "ready");
  assert.deepEqual(await indexedLines(directory, added.id), ["a.txt [main]: two|"]);
  assert.deepEqual(
    readdirSync(join(data, "shards")).filter((name) => name.endsWith(".draft")),
    [],
  );
});
