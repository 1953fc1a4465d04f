import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { Overlay } from "#overlay/overlay";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { defaultSyncSettings } from "#sync/syncSettings";
import { type WorkerResult, type WorkerTask, workerTask } from "#sync/workerTasks";
import { eventuallyEqual } from "#test/support/eventually";
import { indexedLines, shardLines } from "#test/support/indexed";
import { repo, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;
const revisionSettings = { branches: ["**"], tags: ["**"], newestTags: 20 };

type IndexPool = Pool<WorkerTask, WorkerResult>;

async function open(
  t: TestContext,
  folder = temporaryFolder(),
  pool: IndexPool = inlineThread(workerTask()),
) {
  const directory = await ShardDirectory.open(join(folder, "shards"));
  const catalog = Catalog.open(folder, { log: silentLog, known: directory.manifests().values() });
  const overlays = new Map<number, Overlay>();
  const sync = new Sync({
    catalog,
    directory,
    pool,
    settings: revisionSettings,
    hosts: {},
    log: silentLog,
    watches: true,
    onOverlay: (id, overlay) => (overlay ? overlays.set(id, overlay) : overlays.delete(id)),
  });
  t.after(async () => {
    await sync.close();
    catalog.close();
  });
  /** Formats an overlay: its documents, then hidden paths. */
  const overlay = async (id: number) => {
    const known = overlays.get(id);
    if (!known) return ["none"];
    const hidden = known.hiddenPaths.map((path) => `hides ${Buffer.from(path).toString()}`).sort();
    return [...(await shardLines(known.bytes)), ...hidden];
  };
  return { directory, catalog, sync, overlay, folder };
}

const text = `
  = main: First
  .gitignore
  | *.log
  | out/
  a.txt
  | one
  src/b.txt
  | two
  src/link -> b.txt
`;

test("changes in a clone and its working tree are indexed", async (t) => {
  const { directory, catalog, sync, overlay } = await open(t);
  const repository = repo(text, { origin: "git@github.com:o/r.git" });
  repository.write("new.txt", "untracked\n");
  repository.write("x.log", "ignored\n");
  sync.start();
  const [found] = await sync.addPaths([repository.path], signal);
  assert.equal(found?.name, "github.com/o/r");
  await sync.idle();
  const id = found.id;
  assert.equal(catalog.get(id)?.state, "ready");
  assert.equal(catalog.get(id)?.documentCount, 4);
  assert.equal(catalog.get(id)?.pushedAt, Date.UTC(2020, 0, 1));
  const committed = [
    ".gitignore [main]: *.log|out/|",
    "a.txt [main]: one|",
    "src/b.txt [main]: two|",
    "src/link [main]: b.txt",
  ];
  assert.deepEqual(await indexedLines(directory, id), committed);
  assert.deepEqual(await overlay(id), ["new.txt: untracked|", "hides new.txt"]);

  repository.write("a.txt", "changed\n");
  repository.remove("new.txt");
  await eventuallyEqual(() => overlay(id), ["a.txt: changed|", "hides a.txt"]);

  // Editors save by renaming a new file.
  repository.write("src/.b.txt.swp", "better\n");
  renameSync(join(repository.path, "src/.b.txt.swp"), join(repository.path, "src/b.txt"));
  await eventuallyEqual(
    () => overlay(id),
    ["a.txt: changed|", "src/b.txt: better|", "hides a.txt", "hides src/b.txt"],
  );

  repository.remove("src/link");
  repository.write("a.txt", "one\n");
  await eventuallyEqual(() => overlay(id), ["src/b.txt: better|", "hides src/b.txt", "hides src/link"]);

  repository.write("deep/er/c.txt", "in a new folder\n");
  repository.write("out/made.txt", "ignored\n");
  await eventuallyEqual(
    () => overlay(id),
    [
      "deep/er/c.txt: in a new folder|",
      "src/b.txt: better|",
      "hides deep/er/c.txt",
      "hides src/b.txt",
      "hides src/link",
    ],
  );

  repository.git("add", "-A");
  repository.git("commit", "-qm", "All");
  await eventuallyEqual(() => overlay(id), ["none"]);
  assert.deepEqual(await indexedLines(directory, id), [
    ".gitignore [main]: *.log|out/|",
    "a.txt [main]: one|",
    "deep/er/c.txt [main]: in a new folder|",
    "src/b.txt [main]: better|",
  ]);
  assert.equal(catalog.get(id)?.documentCount, 4);

  repository.write("deep/er/c.txt", "watched\n");
  await eventuallyEqual(() => overlay(id), ["deep/er/c.txt: watched|", "hides deep/er/c.txt"]);
  repository.git("checkout", "-q", "-f", "-b", "team/topic");
  repository.write(".gitignore", "");
  await eventuallyEqual(
    () => overlay(id),
    [
      ".gitignore: ",
      "out/made.txt: ignored|",
      "x.log: ignored|",
      "hides .gitignore",
      "hides out/made.txt",
      "hides x.log",
    ],
  );
  assert.equal(catalog.get(id)?.defaultRevision, "refs/heads/team/topic");
});

test("skipped and unparsed files are listed although their shards are deleted meanwhile", async (t) => {
  const pool = inlineThread(workerTask());
  let id = 0;
  const deletingPool: IndexPool = {
    ...pool,
    async run(task, ...rest) {
      if (task.kind === "inspect" || task.kind === "unparsed") await directory.remove(id);
      return pool.run(task, ...rest);
    },
  };
  const { sync, directory } = await open(t, temporaryFolder(), deletingPool);
  for (const list of [sync.skipped.bind(sync), sync.unparsed.bind(sync)]) {
    const [found = assert.fail()] = await sync.addPaths([repo(text).path], signal);
    await sync.idle();
    id = found.id;
    assert.ok(directory.manifest(id));
    assert.deepEqual(await list(found.id, signal), []);
  }
});

test("a restart rebuilds only what has changed", async (t) => {
  const data = temporaryFolder();
  const clone = repo(text);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "plain.txt"), "plain\n");
  const first = await open(t, data);
  const found = await first.sync.addPaths([clone.path, folder], signal);
  await first.sync.idle();
  const generations = found.map(({ id }) => first.directory.manifest(id)?.generation);
  await first.sync.close();
  first.catalog.close();

  clone.write("a.txt", "meanwhile\n");
  const second = await open(t, data);
  assert.deepEqual(
    second.catalog.all().map(({ state }) => state),
    ["ready", "ready"],
  );
  second.sync.start();
  await second.sync.idle();
  assert.deepEqual(
    found.map(({ id }) => second.directory.manifest(id)?.generation),
    generations,
  );
  assert.deepEqual(await second.overlay(found[0]?.id ?? 0), ["a.txt: meanwhile|", "hides a.txt"]);
});

test("changes in a plain folder are indexed", async (t) => {
  const { directory, sync, overlay, catalog } = await open(t);
  const folder = temporaryFolder();
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "sub/a.txt"), "a\n");
  writeFileSync(join(folder, "b.bin"), Buffer.from([0, 1, 2]));
  sync.start();
  const [found] = await sync.addPaths([folder], signal);
  await sync.idle();
  const id = found?.id;
  assert.ok(id);
  assert.equal(found?.kind, "folder");
  assert.deepEqual(await indexedLines(directory, id), ["b.bin []: (binary)", "sub/a.txt []: a|"]);
  assert.deepEqual(await sync.skipped(id, signal), [{ path: "b.bin", reason: "binary", sizeBytes: 3 }]);
  writeFileSync(join(folder, "sub/a.txt"), "aa\n");
  writeFileSync(join(folder, "c.txt"), "c\n");
  rmSync(join(folder, "b.bin"));
  await eventuallyEqual(
    () => overlay(id),
    ["c.txt: c|", "sub/a.txt: aa|", "hides b.bin", "hides c.txt", "hides sub/a.txt"],
  );
  assert.equal(catalog.get(id)?.state, "ready");
  const generation = directory.manifest(id)?.generation;
  mkdirSync(join(folder, "new/er"), { recursive: true });
  writeFileSync(join(folder, "new/er/d.txt"), "d\n");
  const all = ["c.txt: c|", "new/er/d.txt: d|", "sub/a.txt: aa|"];
  const hidden = ["hides b.bin", "hides c.txt", "hides new/er/d.txt", "hides sub/a.txt"];
  await eventuallyEqual(() => overlay(id), [...all, ...hidden]);
  renameSync(join(folder, "new"), join(folder, "other"));
  await eventuallyEqual(
    () => overlay(id),
    [...all, ...hidden].map((line) => line.replace("new/er", "other/er")).sort(byHidden),
  );
  assert.equal(directory.manifest(id)?.generation, generation);
});

/** Sorts documents first, then hidden paths. */
function byHidden(left: string, right: string): number {
  const key = (line: string) => (line.startsWith("hides ") ? `1${line}` : `0${line}`);
  return key(left) < key(right) ? -1 : 1;
}

test("a plain folder is not rebuilt after a restart unless much has changed", async (t) => {
  const data = temporaryFolder();
  const folder = temporaryFolder();
  for (let at = 0; at < 3000; at++) writeFileSync(join(folder, `${at}.txt`), `${at}\n`);
  const first = await open(t, data);
  const [found] = await first.sync.addPaths([folder], signal);
  assert.ok(found);
  await first.sync.idle();
  await first.sync.close();
  first.catalog.close();
  writeFileSync(join(folder, "7.txt"), "seven\n");
  rmSync(join(folder, "8.txt"));
  // Files written in the same second as the shards count as changed, so make them look old.
  const second = await open(t, data);
  const before = second.catalog.indexedState(found.id);
  second.catalog.markIndexed(found.id, { digest: before?.digest ?? "", since: Date.now() + 60_000 });
  second.sync.start();
  await second.sync.idle();
  assert.equal(second.directory.manifest(found.id)?.generation, 1);
  assert.deepEqual(await second.overlay(found.id), ["7.txt: seven|", "hides 7.txt", "hides 8.txt"]);
  for (let at = 0; at < 2500; at++) writeFileSync(join(folder, `${at}.txt`), `again ${at}\n`);
  second.sync.refresh(found.id);
  await second.sync.idle();
  assert.equal(second.directory.manifest(found.id)?.generation, 2);
  assert.ok((await indexedLines(second.directory, found.id)).includes("7.txt []: again 7|"));
});

test("removing a path deletes its index", async (t) => {
  const { directory, catalog, sync } = await open(t);
  const parent = temporaryFolder();
  repo(text, { path: join(parent, "x") });
  repo(text, { path: join(parent, "y.git"), bare: true });
  repo("", { path: join(parent, "empty") });
  await sync.addPaths([parent], signal);
  await sync.idle();
  assert.deepEqual(
    catalog.all().map(({ name, state }) => `${name} ${state}`),
    ["empty ready", "x ready", "y ready"],
  );
  assert.equal(directory.manifests().size, 3);
  await sync.removePaths([parent]);
  assert.equal(directory.manifests().size, 0);
  assert.deepEqual(catalog.all(), []);
  assert.deepEqual(catalog.paths, []);
});

/** Returns a pool whose scans of `path` call `beforeEnd` when its folders have been read. */
function scanPool(path: string, beforeEnd: () => Promise<unknown>): IndexPool {
  const task = workerTask();
  return inlineThread<WorkerTask, WorkerResult>(async (work, context) => {
    const result = await task(work, context);
    if (work.kind === "scan" && work.path === path) await beforeEnd();
    return result;
  });
}

test("a path that is removed while it is scanned again stays removed", async (t) => {
  const repository = repo(text);
  let isAddedYet = false;
  const pool = scanPool(repository.path, async () => {
    if (isAddedYet) await sync.removePaths([repository.path]);
  });
  const { sync, catalog, directory } = await open(t, temporaryFolder(), pool);
  await sync.addPaths([repository.path], signal);
  sync.start();
  await sync.idle();
  isAddedYet = true;
  sync.rescan();
  await sync.idle();
  assert.deepEqual(catalog.paths, []);
  assert.deepEqual(catalog.all(), []);
  assert.equal(directory.manifests().size, 0);
});

test("a path that is added while all paths are scanned again stays added", async (t) => {
  const [first, second] = [repo(text), repo(text)];
  let isRescan = false;
  const pool = scanPool(first.path, async () => {
    if (isRescan) await sync.addPaths([second.path], signal);
  });
  const { sync, catalog } = await open(t, temporaryFolder(), pool);
  await sync.addPaths([first.path], signal);
  sync.start();
  await sync.idle();
  isRescan = true;
  sync.configure({ ...defaultSyncSettings, scanDepth: 2 });
  await sync.idle();
  assert.deepEqual(
    catalog
      .all()
      .map(({ path }) => path)
      .sort(),
    [first.path, second.path].sort(),
  );
});

test("an open folder that is removed while it is scanned again stays removed", async (t) => {
  const repository = repo(text);
  let isAddedYet = false;
  const pool = scanPool(repository.path, async () => {
    if (isAddedYet) await sync.removePaths([repository.path]);
  });
  const { sync, catalog } = await open(t, temporaryFolder(), pool);
  await sync.addPaths([repository.path], signal, true);
  isAddedYet = true;
  assert.deepEqual(await sync.addPaths([repository.path], signal, true), []);
  assert.deepEqual(catalog.paths, []);
  assert.deepEqual(catalog.all(), []);
});

test("settings that change while an added path is scanned apply to it", async (t) => {
  const folder = temporaryFolder();
  repo(text, { path: join(folder, "near") });
  repo(text, { path: join(folder, "not/so/near") });
  const pool = scanPool(folder, async () => sync.configure({ ...defaultSyncSettings, scanDepth: 1 }));
  const { sync, catalog } = await open(t, temporaryFolder(), pool);
  sync.start();
  await sync.idle();
  await sync.addPaths([folder], signal);
  await sync.idle();
  assert.deepEqual(
    catalog.all().map(({ name }) => name),
    ["near"],
  );
});
