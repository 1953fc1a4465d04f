/** Changes are found by file-system events, by polling when the system runs out of watchers, and in git's index. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { Overlay } from "#overlay/overlay";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { type WatchFolder, watchFolder } from "#sync/watch";
import { type WorkerResult, type WorkerTask, workerTask } from "#sync/workerTasks";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { indexedLines, shardLines } from "#test/support/indexed";
import { repo, temporaryFolder } from "#test/support/repo";
import { replaceGit, restoreGit } from "#test/support/watchedGit";

const signal = new AbortController().signal;

async function open(t: TestContext, watch: WatchFolder = watchFolder, pool = inlineThread(workerTask())) {
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"));
  const catalog = Catalog.open(data, { log: silentLog });
  const overlays = new Map<number, Overlay>();
  const sync = new Sync({
    catalog,
    directory,
    pool,
    settings: { branches: ["**"], tags: ["**"], newestTags: 20 },
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
  return { sync, catalog, directory, overlay };
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

/** Fails after `limit` folders, as when `fs.inotify.max_user_watches` is reached. */
function limitedWatch(maxFolders: number): WatchFolder {
  let watched = 0;
  return (path, onEntry) => {
    if (watched >= maxFolders)
      throw Object.assign(new Error("ENOSPC: System limit for number of file watchers reached"), {
        code: "ENOSPC",
      });
    watched++;
    return watchFolder(path, onEntry);
  };
}

for (const limit of [0, 3, 1000]) {
  test(`changed files and new commits are found if the system watches at most ${limit} folders`, async (t) => {
    const { sync, directory, overlay } = await open(t, limitedWatch(limit));
    const repository = repo(text);
    const [found] = await sync.addPaths([repository.path], signal);
    await sync.idle();
    const id = found?.id ?? assert.fail();
    assert.equal(sync.isPolled(id), limit < 1000);

    repository.write("new.txt", "new\n");
    await eventuallyEqual(() => overlay(id), ["new.txt: new|"]);
    // Editors save by renaming a new file.
    repository.write("src/.b.swp", "better\n");
    renameSync(join(repository.path, "src/.b.swp"), join(repository.path, "src/b.txt"));
    await eventuallyEqual(() => overlay(id), ["new.txt: new|", "src/b.txt: better|"]);
    repository.write("deep/er/c.txt", "in new folders\n");
    await eventuallyEqual(
      () => overlay(id),
      ["deep/er/c.txt: in new folders|", "new.txt: new|", "src/b.txt: better|"],
    );
    repository.git("add", "-A");
    repository.git("commit", "-qm", "Second");
    await eventuallyEqual(() => overlay(id), []);
    const committed = [
      ".gitignore [main]: *.log|",
      "a.txt [main]: one|",
      "deep/er/c.txt [main]: in new folders|",
      "new.txt [main]: new|",
      "src/b.txt [main]: better|",
    ];
    assert.deepEqual(await indexedLines(directory, id), committed);
    repository.git("branch", "team/topic");
    await eventuallyEqual(
      () => indexedLines(directory, id),
      committed.map((line) => line.replace("[main]", "[main team/topic]")),
    );
  });
}

test("a new repository below a remembered folder is found at any depth", {
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
  await eventuallyEqual(() => directory.manifests().size, 2);

  rmSync(join(folder, "first"), { recursive: true });
  await eventuallyEqual(() => directory.manifests().size, 1);
});

test("an ignored file is indexed only while git tracks it", async (t) => {
  const { sync, overlay } = await open(t);
  const repository = repo(text);
  writeFileSync(join(repository.path, "x.log"), "ignored\n");
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  const id = found?.id ?? assert.fail();
  assert.deepEqual(await overlay(id), []);
  repository.git("add", "-f", "x.log");
  await eventuallyEqual(() => overlay(id), ["x.log: ignored|"]);
  repository.git("rm", "-q", "--cached", "x.log");
  await eventuallyEqual(() => overlay(id), []);
});

test("a removed repository below a remembered folder stays removed until its own path is added", async (t) => {
  const { sync } = await open(t);
  const folder = temporaryFolder();
  const paths = ["a", "b"].map((name) => repo(text, { path: join(folder, name) }).path);
  const names = async (added: readonly string[]) =>
    (await sync.addPaths(added, signal)).map(({ path }) => path).sort();
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

test("a working tree is scanned once, although its path is added again and a file changes meanwhile", async (t) => {
  const repository = repo(text);
  const task = workerTask();
  let scanCount = 0;
  const pool = inlineThread<WorkerTask, WorkerResult>(async (work, context) => {
    const isScan = work.kind === "overlay" && work.paths === undefined;
    if (isScan && ++scanCount === 1) await sync.addPaths([repository.path], signal);
    const result = await task(work, context);
    if (isScan && scanCount === 1) repository.write("src/b.txt", "later\n");
    return result;
  });
  const { sync, overlay } = await open(t, watchFolder, pool);
  const [found] = await sync.addPaths([repository.path], signal);
  await eventuallyEqual(() => overlay(found?.id ?? assert.fail()), ["src/b.txt: later|"]);
  await sync.idle();
  assert.equal(scanCount, 1);
});

test("a tracked folder that does not exist on disk causes no endless work", {
  timeout: 30_000,
}, async (t) => {
  const repository = repo(text);
  rmSync(join(repository.path, "src"), { recursive: true });
  const { sync, overlay } = await open(t);
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  repository.write("new.txt", "new\n");
  await eventuallyEqual(() => overlay(found?.id ?? assert.fail()), ["new.txt: new|"]);
  await sync.idle();
});

test("a new folder is watched if git begins to track its files while untracked ones are listed", async (t) => {
  const { sync, overlay } = await open(t);
  const repository = repo(text);
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  const id = found?.id ?? assert.fail();
  t.after(restoreGit);
  replaceGit(`case "$*" in *ls-files*) PATH="\${PATH#*:}" git -C ${repository.path} add -A;; esac\nreal`);
  repository.write("deep/er/c.txt", "new\n");
  await eventuallyEqual(() => overlay(id), ["deep/er/c.txt: new|"]);
  await sync.idle();
  repository.write("deep/er/c.txt", "changed\n");
  await eventuallyEqual(() => overlay(id), ["deep/er/c.txt: changed|"]);
});

test("a folder that is deleted and created again at once stays watched", async (t) => {
  const { sync, overlay } = await open(t);
  const repository = repo(`${text}  src/in/c.txt\n  | three\n`);
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  const id = found?.id ?? assert.fail();
  for (const round of ["first", "second"]) {
    rmSync(join(repository.path, "src"), { recursive: true });
    repository.write("src/b.txt", "two\n");
    repository.write("src/in/c.txt", `${round}\n`);
    await eventuallyEqual(() => overlay(id), [`src/in/c.txt: ${round}|`]);
    await sync.idle();
    repository.write("src/in/c.txt", `${round}, changed\n`);
    await eventuallyEqual(() => overlay(id), [`src/in/c.txt: ${round}, changed|`]);
  }
});

test("new commits of a branch are found after its folder was deleted and created again", async (t) => {
  const { sync, directory } = await open(t);
  const repository = repo(text);
  repository.git("branch", "team/a");
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  const id = found?.id ?? assert.fail();
  const revisions = () => directory.manifest(id)?.revisions.map(({ name }) => name) ?? [];
  repository.git("branch", "-D", "team/a");
  repository.git("branch", "team/b");
  await eventuallyEqual(revisions, ["refs/heads/main", "refs/heads/team/b"]);
  await sync.idle();
  repository.git("branch", "team/c");
  await eventuallyEqual(revisions, ["refs/heads/main", "refs/heads/team/b", "refs/heads/team/c"]);
});

test("a git directory that is deleted and created again is watched", async (t) => {
  const { sync, catalog, directory } = await open(t);
  const repository = repo(text);
  const [found] = await sync.addPaths([repository.path], signal);
  await sync.idle();
  const id = found?.id ?? assert.fail();
  const gitDir = join(repository.path, ".git");
  const copy = join(temporaryFolder(), "git");
  cpSync(gitDir, copy, { recursive: true });
  rmSync(gitDir, { recursive: true });
  await eventually(() => catalog.get(id)?.state === "failed");
  cpSync(copy, gitDir, { recursive: true });
  for (const [branch, expected] of [
    ["topic", ["refs/heads/main", "refs/heads/topic"]],
    ["z", ["refs/heads/main", "refs/heads/topic", "refs/heads/z"]],
  ] as const) {
    repository.git("branch", branch);
    await eventuallyEqual(() => directory.manifest(id)?.revisions.map(({ name }) => name), [...expected]);
    await sync.idle();
  }
});

test("a plain folder that changes a lot while it is indexed stays watched", async (t) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "a.txt"), "a\n");
  const thread = inlineThread(workerTask());
  let written = 0;
  const pool: typeof thread = {
    ...thread,
    run(task, ...rest) {
      // Too much has changed for an overlay, after the first build and again after the second.
      if (task.kind === "overlay" && written < 2) {
        written++;
        for (let at = 0; at < 2001; at++) writeFileSync(join(folder, `${written}-${at}.txt`), "x\n");
      }
      return thread.run(task, ...rest);
    },
  };
  const { sync, directory, overlay } = await open(t, watchFolder, pool);
  const [found] = await sync.addPaths([folder], signal);
  const id = found?.id ?? assert.fail();
  await eventually(async () => (await indexedLines(directory, id)).length === 1 + 2 * 2001);
  await sync.idle();
  writeFileSync(join(folder, "a.txt"), "changed\n");
  await eventuallyEqual(() => overlay(id), ["a.txt: changed|"]);
});
