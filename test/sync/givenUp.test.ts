/** A revision that is indexed because somebody searches it, and given up with the search. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Catalogue } from "#catalogue/catalogue";
import { silentLog } from "#platform/log";
import { thisThread } from "#platform/workers";
import { ShardDirectory } from "#shard/directory";
import { Sync } from "#sync/sync";
import { indexWork } from "#sync/work";
import { repo, temporaryFolder } from "#test/support/repo";
import { calls, isAlive, replaceGit, restoreGit } from "#test/support/watchedGit";

const longMs = 60_000;
/** Objects are read for ever; everything else is git. */
const slowObjects = `case "$*" in *"cat-file --batch"*) exec sleep 600;; *) real;; esac`;

/** A repository whose newest commit is indexed, and the hash of the one before, which has a thousand other files. */
async function open(t: TestContext) {
  const folder = temporaryFolder();
  const directory = await ShardDirectory.open(join(folder, "shards"));
  const catalogue = Catalogue.open(folder, { log: silentLog, known: [] });
  const sync = new Sync({
    catalogue,
    directory,
    pool: thisThread(indexWork()),
    wanted: { branches: ["**"], tags: ["**"], newestTags: 20 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay: () => {},
  });
  t.after(async () => {
    restoreGit();
    await sync.close();
    catalogue.close();
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

const reading = () => calls().filter(({ line }) => line.includes("cat-file --batch"));

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); await sleep(10)) assert.ok(Date.now() < end, "in time");
}

test("git ends when the last one gives up who waits for a revision", async (t) => {
  const { sync, id, old, revisions } = await open(t);
  replaceGit(slowObjects);
  const one = new AbortController();
  const other = new AbortController();
  const waiting = [one, other].map(({ signal }) => sync.bringRevision(id, old, longMs, signal));
  await until(() => reading().length === 1);
  const [git] = reading();
  assert.ok(git !== undefined);
  one.abort();
  await waiting[0];
  await sleep(200);
  assert.equal(isAlive(git.pid), true, "the other one waits on");
  other.abort();
  await until(() => !isAlive(git.pid));
  assert.deepEqual(await Promise.all(waiting), [undefined, undefined]);
  await sync.idle();
  assert.equal(reading().length, 1, "nobody asks again");
  assert.deepEqual(revisions(), ["refs/heads/main"]);

  restoreGit();
  assert.equal(await sync.bringRevision(id, old, longMs, new AbortController().signal), true);
  assert.deepEqual(revisions(), ["refs/heads/main", old]);
});

test("what only takes long goes on, for those who ask again", async (t) => {
  const { sync, id, old, revisions } = await open(t);
  const { signal } = new AbortController();
  assert.equal(await sync.bringRevision(id, old, 0, signal), undefined);
  await sync.idle();
  assert.deepEqual(revisions(), ["refs/heads/main", old]);
});
