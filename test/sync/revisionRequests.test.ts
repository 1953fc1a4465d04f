/** Revisions that are indexed on request; the work is canceled with its last caller. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { runProcess } from "#platform/process";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { workerTask } from "#sync/workerTasks";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { calls, isAlive, replaceGit, restoreGit } from "#test/support/watchedGit";

const longMs = 60_000;
/** A git that never finishes reading objects. */
const slowObjects = `case "$*" in *"cat-file --batch"*) exec sleep 600;; *) real;; esac`;

/** Indexes the newest commit of a repository; `old` is its parent, with a thousand other files. */
async function open(t: TestContext) {
  const folder = temporaryFolder();
  const directory = await ShardDirectory.open(join(folder, "shards"));
  const catalog = Catalog.open(folder, { log: silentLog, known: [] });
  const sync = new Sync({
    catalog,
    directory,
    pool: inlineThread(workerTask()),
    settings: { branches: ["**"], tags: ["**"], newestTags: 20 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay: () => {},
  });
  t.after(async () => {
    restoreGit();
    await sync.close();
    catalog.close();
  });
  const names = Array.from({ length: 1000 }, (_, index) => `f${index}.txt`);
  const many = repo(`= main: Many\n${names.map((name, index) => `${name}\n| ${index}\n`).join("")}`);
  const old = many.git("rev-parse", "HEAD").trim();
  many.more(`= main: Few\n${names.map((name) => `- ${name}\n`).join("")}few.txt\n| few\n`);
  const [found] = await sync.addPaths([many.path], new AbortController().signal);
  assert.ok(found !== undefined);
  await sync.idle();
  const revisions = () => directory.manifest(found.id)?.revisions.map(({ name }) => name);
  assert.deepEqual(revisions(), ["refs/heads/main"]);
  return { sync, id: found.id, old, revisions };
}

const reads = () => calls().filter(({ line }) => line.includes("cat-file --batch"));

test("git is stopped when the last caller waiting for a revision disconnects", async (t) => {
  const { sync, id, old, revisions } = await open(t);
  replaceGit(slowObjects);
  const one = new AbortController();
  const other = new AbortController();
  const requests = [one, other].map(({ signal }) => sync.indexRevision(id, old, longMs, signal));
  await eventually(() => reads().length === 1);
  const [git] = reads();
  assert.ok(git !== undefined);
  one.abort();
  await requests[0];
  // A signal to git would have been handled before another process starts and exits.
  await runProcess(process.execPath, ["-e", ""]);
  assert.equal(isAlive(git.pid), true, "the other caller still waits");
  other.abort();
  await eventually(() => !isAlive(git.pid));
  assert.deepEqual(await Promise.all(requests), [undefined, undefined]);
  await sync.idle();
  assert.equal(reads().length, 1, "objects are not read again");
  assert.deepEqual(revisions(), ["refs/heads/main"]);

  restoreGit();
  assert.equal(await sync.indexRevision(id, old, longMs, new AbortController().signal), true);
  assert.deepEqual(revisions(), ["refs/heads/main", old]);
});

test("indexing a revision continues after a caller's time limit", async (t) => {
  const { sync, id, old, revisions } = await open(t);
  const { signal } = new AbortController();
  assert.equal(await sync.indexRevision(id, old, 0, signal), undefined);
  await sync.idle();
  assert.deepEqual(revisions(), ["refs/heads/main", old]);
});

test("a request about a repository that has just been removed is answered at once", async (t) => {
  const { sync, id, old } = await open(t);
  await sync.removeRepositories([id]);
  assert.equal(await sync.indexRevision(id, old, longMs, new AbortController().signal), false);
});
