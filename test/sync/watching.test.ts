/** What is told of changes where the system watches folders, where it stops doing so, and of git's index. */
import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Catalogue } from "#catalogue/catalogue";
import type { Overlay } from "#overlay/overlay";
import { silentLog } from "#platform/log";
import { thisThread } from "#platform/workers";
import { ShardDirectory } from "#shard/directory";
import { Sync } from "#sync/sync";
import { type WatchFolder, watchFolder } from "#sync/watch";
import { indexWork } from "#sync/work";
import { indexedLines, shardLines } from "#test/support/indexed";
import { repo, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function open(t: TestContext, watch: WatchFolder = watchFolder) {
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"));
  const catalogue = Catalogue.open(data, { log: silentLog });
  const overlays = new Map<number, Overlay>();
  const sync = new Sync({
    catalogue,
    directory,
    pool: thisThread(indexWork()),
    wanted: { branches: ["**"], tags: ["**"], newestTags: 20 },
    hosts: {},
    log: silentLog,
    watches: true,
    watchFolder: watch,
    onOverlay: (id, overlay) => (overlay ? overlays.set(id, overlay) : overlays.delete(id)),
  });
  t.after(() => sync.close());
  const overlay = async (id: number) => {
    const known = overlays.get(id);
    return known === undefined ? [] : await shardLines(known.bytes);
  };
  return { sync, directory, overlay };
}

async function eventually(look: () => Promise<readonly string[]>, expected: readonly string[]) {
  for (const end = Date.now() + 5000; Date.now() < end; await sleep(10)) {
    if ((await look()).join("\n") === expected.join("\n")) return;
  }
  assert.deepEqual(await look(), expected);
}

const text = `
  = main: First
  .gitignore
  | *.log
  a.txt
  | one
  src/b.txt
  | two
`;

/** As where fs.inotify.max_user_watches is reached. */
function limited(most: number): WatchFolder {
  let watched = 0;
  return (place, onEntry) => {
    if (watched >= most)
      throw Object.assign(new Error("ENOSPC: System limit for number of file watchers reached"), {
        code: "ENOSPC",
      });
    watched++;
    return watchFolder(place, onEntry);
  };
}

for (const most of [0, 3, 1000]) {
  test(`where the system watches ${most} folders, files and commits are found`, async (t) => {
    const { sync, directory, overlay } = await open(t, limited(most));
    const repository = repo(text);
    const [found] = await sync.addPaths([repository.path], signal);
    await sync.idle();
    const id = found?.id ?? assert.fail();
    assert.equal(sync.isPolled(id), most < 1000);

    repository.write("new.txt", "new\n");
    await eventually(() => overlay(id), ["new.txt: new|"]);
    // As editors save: beside, then renamed.
    repository.write("src/.b.swp", "better\n");
    renameSync(join(repository.path, "src/.b.swp"), join(repository.path, "src/b.txt"));
    await eventually(() => overlay(id), ["new.txt: new|", "src/b.txt: better|"]);
    repository.write("deep/er/c.txt", "in new folders\n");
    await eventually(
      () => overlay(id),
      ["deep/er/c.txt: in new folders|", "new.txt: new|", "src/b.txt: better|"],
    );
    repository.git("add", "-A");
    repository.git("commit", "-qm", "Second");
    await eventually(() => overlay(id), []);
    const committed = [
      ".gitignore [main]: *.log|",
      "a.txt [main]: one|",
      "deep/er/c.txt [main]: in new folders|",
      "new.txt [main]: new|",
      "src/b.txt [main]: better|",
    ];
    assert.deepEqual(await indexedLines(directory, id), committed);
    repository.git("branch", "team/topic");
    await eventually(
      () => indexedLines(directory, id),
      committed.map((line) => line.replace("[main]", "[main team/topic]")),
    );
  });
}

test("a repository that appears below a remembered folder is found, however deep", {
  timeout: 60_000,
}, async (t) => {
  const { sync, directory } = await open(t);
  const folder = temporaryFolder();
  const first = repo(text);
  renameSync(first.path, join(folder, "first"));
  await sync.addPaths([folder], signal);
  await sync.idle();
  assert.equal(directory.manifests().size, 1);

  mkdirSync(join(folder, "group"));
  const second = repo(text);
  renameSync(second.path, join(folder, "group/second"));
  const end = Date.now() + 30_000;
  while (directory.manifests().size < 2 && Date.now() < end) await sleep(50);
  assert.equal(directory.manifests().size, 2);

  rmSync(join(folder, "first"), { recursive: true });
  while (directory.manifests().size > 1 && Date.now() < end + 30_000) await sleep(50);
  assert.equal(directory.manifests().size, 1);
});

test("an ignored file that git tracks from now on is found, and one that it no longer tracks is not", async (t) => {
  const { sync, overlay } = await open(t);
  const repository = repo(text);
  writeFileSync(join(repository.path, "x.log"), "ignored\n");
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  const id = found?.id ?? assert.fail();
  assert.deepEqual(await overlay(id), []);
  repository.git("add", "-f", "x.log");
  await eventually(() => overlay(id), ["x.log: ignored|"]);
  repository.git("rm", "-q", "--cached", "x.log");
  await eventually(() => overlay(id), []);
});

test("a repository that was removed below a remembered folder stays away until it is added itself", async (t) => {
  const { sync } = await open(t);
  const folder = temporaryFolder();
  const paths = ["a", "b"].map((name) => repo(text, { path: join(folder, name) }).path);
  const names = async (given: readonly string[]) =>
    (await sync.addPaths(given, signal)).map(({ path }) => path).sort();
  assert.deepEqual(await names([folder]), paths);
  await sync.idle();
  const removed = await sync.removePaths([paths[0] ?? ""]);
  assert.deepEqual(
    removed.map(({ path }) => path),
    [paths[0]],
  );
  assert.deepEqual(await names([folder]), [paths[1]]);
  assert.deepEqual(await names([paths[0] ?? ""]), [paths[0]]);
  assert.deepEqual(await names([folder]), paths);
  await sync.idle();
});

test("a folder that git tracks and the disk has not leaves nothing to do", { timeout: 30_000 }, async (t) => {
  const repository = repo(text);
  rmSync(join(repository.path, "src"), { recursive: true });
  const { sync, overlay } = await open(t);
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  repository.write("new.txt", "new\n");
  await eventually(() => overlay(found?.id ?? assert.fail()), ["new.txt: new|"]);
  await sync.idle();
});
