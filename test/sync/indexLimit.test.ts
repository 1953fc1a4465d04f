/** The limit of the disk space of the index: what is evicted, what searches say about it, and how it comes back. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Repository } from "#model/repository";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import type { Victim } from "#sync/evictionOrder";
import { Evictions } from "#sync/evictions";
import { workerTask } from "#sync/workerTasks";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import {
  bytesOnDisk,
  type LimitedIndex,
  type LimitedIndexOptions,
  largestShard,
  openLimitedIndex,
  textWith,
} from "#test/support/limitedIndex";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";

const { signal } = new AbortController();

async function open(t: TestContext, options: LimitedIndexOptions = {}): Promise<LimitedIndex> {
  const index = await openLimitedIndex(options);
  t.after(() => index.close());
  return index;
}

/** Creates repositories `r0`, `r1`... of about 30 KB; a later one has the newer commit. `all` is in each of them. */
function some(count: number, kilobytes = 30): readonly TestRepository[] {
  const folder = temporaryFolder();
  return Array.from({ length: count }, (_, at) => {
    const before = Array.from({ length: at }, (__, day) => `= main: ${day}\nday.txt\n| ${day}\n`).join("");
    const lines = textWith(`all word${at}`, kilobytes, at + 1).replaceAll(/^/gm, "| ");
    return repo(`${before}= main: Last\ntext.txt\n${lines}\n`, { path: join(folder, `r${at}`) });
  });
}

async function add(index: LimitedIndex, repositories: readonly TestRepository[]): Promise<void> {
  for (const { path } of repositories) await index.sync.addPaths([path], signal);
  await index.sync.idle();
}

/** Returns the bytes of the index of these repositories without a limit. */
async function unlimitedBytes(t: TestContext, repositories: readonly TestRepository[]): Promise<number> {
  const index = await open(t);
  await add(index, repositories);
  return index.directory.diskBytes;
}

/** Lets everything continue that waits for nothing else. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const evictedNames = ({ states }: LimitedIndex) =>
  Object.entries(states())
    .filter(([, state]) => state === "evicted")
    .map(([name]) => name);

test("the size of the index is what its files take on disk", async (t) => {
  const repositories = some(3);
  const index = await open(t);
  await add(index, repositories);
  assert.equal(index.directory.diskBytes, bytesOnDisk(index));
  assert.ok(index.directory.diskBytes > 60_000);
  await index.sync.removeRepositories([index.catalog.byName("r1")?.id as Repository["id"]]);
  assert.equal(index.directory.diskBytes, bytesOnDisk(index));
});

test("without searches, repositories with the oldest commits have no index, and searches say so", async (t) => {
  const repositories = some(5);
  const bytes = await unlimitedBytes(t, repositories);
  const index = await open(t, { maxIndexBytes: Math.ceil(bytes * 0.65) });
  await add(index, repositories);
  assert.deepEqual(evictedNames(index), ["r0", "r1"]);
  assert.ok(bytesOnDisk(index) <= bytes * 0.65);

  const everything = await index.search("all");
  assert.deepEqual(
    [everything.isSearchExhaustive, everything.stats.flushReason, everything.stats.repositoriesEvicted],
    [false, "REPOSITORY_EVICTED", 2],
  );
  const without = await index.search("all -repo:r0 -repo:r1");
  assert.deepEqual([without.isSearchExhaustive, without.stats.repositoriesEvicted], [true, 0]);
  assert.equal(without.files.length, 3);

  // A higher limit has room for one more, without a request.
  index.setLimit(Math.ceil(bytes * 0.85));
  await index.sync.idle();
  assert.deepEqual(evictedNames(index), ["r0"]);
  assert.ok(bytesOnDisk(index) <= bytes * 0.85);
});

test("a search that names an evicted repository indexes it again, in place of the least recently used", async (t) => {
  const repositories = some(5);
  const bytes = await unlimitedBytes(t, repositories);
  const index = await open(t, { maxIndexBytes: Math.ceil(bytes * 0.65) });
  await add(index, repositories);
  await index.search("word2 repo:r2");
  const found = await index.search("word0 repo:^r0$");
  assert.deepEqual([found.isSearchExhaustive, found.files.length], [true, 1]);
  assert.equal(found.stats.totalMatchCount, (textWith("all word0", 30, 1).match(/word0/g) ?? []).length);
  assert.deepEqual(evictedNames(index), ["r1", "r3"]);
  assert.ok(bytesOnDisk(index) <= bytes * 0.65);

  // Cycles in the background do not index what was evicted.
  const { count } = index.sync.storage.evictions;
  for (const { id } of index.catalog.all()) index.sync.refresh(id, "due");
  await index.sync.idle();
  assert.deepEqual(evictedNames(index), ["r1", "r3"]);
  assert.equal(index.sync.storage.evictions.count, count);
});

test("a filter that names too many repositories indexes none of them again", async (t) => {
  const repositories = some(9, 10);
  const bytes = await unlimitedBytes(t, repositories);
  const index = await open(t, { maxIndexBytes: Math.ceil(bytes * 0.25) });
  await add(index, repositories);
  const evicted = evictedNames(index);
  assert.ok(evicted.length > 5);
  const found = await index.search("all repo:r");
  assert.deepEqual([found.isSearchExhaustive, found.stats.repositoriesEvicted], [false, evicted.length]);
  assert.deepEqual(evictedNames(index), evicted);
});

test("a repository that needs more than the limit is refused once, and the rest stays", async (t) => {
  const small = some(2);
  const bytes = await unlimitedBytes(t, small);
  const large = repo(`= main: Large\nlarge.txt\n${textWith("huge", 300, 9).replaceAll(/^/gm, "| ")}\n`, {
    path: join(temporaryFolder(), "large"),
  });
  const index = await open(t, { maxIndexBytes: Math.ceil(bytes * 1.2) });
  await add(index, [...small, large]);
  assert.deepEqual(index.states(), { large: "evicted", r0: "ready", r1: "ready" });
  assert.equal(index.catalog.byName("large")?.eviction?.reason, "tooLarge");
  const { count } = index.sync.storage.evictions;
  const found = await index.search("huge repo:large");
  assert.deepEqual([found.isSearchExhaustive, found.stats.repositoriesEvicted], [false, 1]);
  await index.sync.idle();
  assert.equal(index.sync.storage.evictions.count, count, "it is not tried again");
  assert.deepEqual(index.states(), { large: "evicted", r0: "ready", r1: "ready" });
});

test("revisions that nobody searches are evicted first, and come back when they are named", async (t) => {
  const [plain] = some(1);
  const lines = (seed: number) => textWith("all", 40, seed).replaceAll(/^/gm, "| ");
  const branched = repo(
    `= main: One\na.txt\n${lines(5)}\n= old from main: Two\na.txt\n${lines(6)}\nold.txt\n| oldest\n`,
    { path: join(temporaryFolder(), "branched") },
  );
  assert.ok(plain !== undefined);
  const bytes = await unlimitedBytes(t, [plain, branched]);
  const index = await open(t, { maxIndexBytes: Math.ceil(bytes * 0.75) });
  await add(index, [branched, plain]);
  const { evictedRevisions, state } = index.catalog.byName("branched") ?? {};
  assert.deepEqual([state, evictedRevisions], ["ready", ["refs/heads/old"]]);
  assert.equal(index.catalog.byName("r0")?.state, "ready");
  assert.ok(bytesOnDisk(index) <= bytes * 0.75);
  const current = await index.search("all");
  assert.deepEqual([current.isSearchExhaustive, current.files.length], [true, 2]);
  const isExhaustive = async (query: string) => (await index.search(query)).isSearchExhaustive;
  assert.deepEqual(await Promise.all(["all rev:*", "all -rev:main", "all rev:main"].map(isExhaustive)), [
    false,
    false,
    true,
  ]);
  const old = await index.search("oldest rev:old");
  assert.deepEqual(
    old.files.map(({ fileName }) => fileName.text),
    ["old.txt"],
  );
  index.setLimit(undefined);
  await index.sync.idle();
  assert.deepEqual(index.states(), { branched: "ready", r0: "ready" });
  assert.equal((await index.search("all rev:*")).isSearchExhaustive, true);
});

function evictionsOf({ catalog, directory, sync }: LimitedIndex): Evictions {
  return new Evictions({
    catalog,
    directory,
    pool: inlineThread(workerTask()),
    log: silentLog,
    signal,
    isRunning: (each) => sync.isRunning(each),
    refresh: (each) => sync.refresh(each, "due"),
    onEvicted: () => undefined,
    onDamage: () => undefined,
  });
}

function victim(id: number, ...revisions: string[]): Victim {
  const candidate = { id, isPackage: false, isOpen: false, usedAt: 0, changedAt: 0, bytes: 0, revisions: [] };
  return { candidate, revisions, rank: [] };
}

test("evicting a revision keeps what is published meanwhile, and brings nothing back that is removed", async (t) => {
  const repositories = some(3);
  for (const each of repositories) each.more("= old from main: Two\nold.txt\n| oldest\n");
  const index = await open(t);
  await add(index, repositories);
  const { catalog, directory } = index;
  const idOf = (name: string) => catalog.byName(name)?.id ?? assert.fail();
  const [whole, changed, removed] = [idOf("r0"), idOf("r1"), idOf("r2")] as const;
  const end = directory.onChange(async ({ kind }) => {
    end();
    assert.equal(kind, "removed");
    const { segments: _, generation: __, ...rest } = directory.manifest(changed) ?? assert.fail();
    const [first] = rest.revisions;
    const revisions = [...rest.revisions, { ...(first ?? assert.fail()), name: "refs/heads/new" }];
    await directory.publish({ ...rest, revisions, keepSegments: true }, []);
    await directory.remove(removed);
  });
  const old = "refs/heads/old";
  await evictionsOf(index).run([victim(whole), victim(changed, old), victim(removed, old)], 1, () => true);
  assert.deepEqual(
    directory.manifest(changed)?.revisions.map(({ name }) => name),
    ["refs/heads/main", "refs/heads/new"],
  );
  assert.equal(directory.manifest(removed), undefined);
});

test("an index that is too large to be rewritten without a revision is removed first, and built again", async (t) => {
  const [branched] = some(1);
  assert.ok(branched !== undefined);
  branched.more("= old from main: Two\nold.txt\n| oldest\n");
  const index = await open(t);
  await add(index, [branched]);
  const { catalog, sync } = index;
  const { id } = catalog.byName("r0") as Repository;
  await evictionsOf(index).run([victim(id, "refs/heads/old")], 1, () => false);
  assert.deepEqual([index.states(), bytesOnDisk(index)], [{ r0: "queued" }, 0]);
  assert.equal((await index.search("all")).isSearchExhaustive, false);
  await sync.idle();
  assert.deepEqual(catalog.byName("r0")?.evictedRevisions, ["refs/heads/old"]);
  assert.deepEqual((await index.search("all")).isSearchExhaustive, true);
  assert.deepEqual((await index.search("all rev:*")).isSearchExhaustive, false);
});

test("an eviction during a search makes that incomplete", async (t) => {
  const repositories = some(2);
  let evict: (() => Promise<void>) | undefined;
  const index = await open(t, {
    wrap: (engine) => ({
      ...engine,
      search: async (plan, searchSignal, take) => {
        await evict?.();
        return engine.search(plan, searchSignal, take);
      },
    }),
  });
  await add(index, repositories);
  assert.equal((await index.search("all")).isSearchExhaustive, true);
  evict = async () => {
    const { id } = index.catalog.byName("r0") as Repository;
    await index.sync.storage.giveUp(id, false);
    await index.sync.storage.restore(id, 60_000, signal);
    await index.sync.idle();
    evict = undefined;
  };
  const found = await index.search("all");
  assert.deepEqual([found.isSearchExhaustive, found.stats.repositoriesEvicted], [false, 1]);
  assert.equal((await index.search("all")).isSearchExhaustive, true, "it is indexed again");
});

for (const isPaused of [false, true])
  test(`a limit that is lowered while repositories are indexed applies once they are${isPaused ? ", also while paused" : ""}`, async (t) => {
    const repositories = some(4);
    const index = await open(t);
    await add(index, repositories);
    const limit = Math.ceil(index.directory.diskBytes * 0.3);
    const refreshAll = () => {
      for (const { id } of index.catalog.all()) index.sync.refresh(id, "due");
    };
    refreshAll();
    assert.ok(index.catalog.all().some(({ id }) => index.sync.isRunning(id)));
    index.sync.setPaused(isPaused);
    // Those that are running are queued again.
    refreshAll();
    index.setLimit(limit);
    await eventually(() => bytesOnDisk(index) <= limit);
    assert.deepEqual(evictedNames(index), ["r0", "r1", "r2"]);
    index.sync.setPaused(false);
    await index.sync.idle();
    assert.equal((await index.search("all repo:r3")).isSearchExhaustive, true);
  });

for (const fate of ["whose repository is removed", "that is canceled because Trawl ends"])
  test(`a lower limit waits for a run ${fate}`, async (t) => {
    const task = workerTask();
    let gate: Promise<void> | undefined;
    let isWaiting = false;
    const index = await open(t, {
      async task(work, context) {
        isWaiting = gate !== undefined;
        await gate;
        return await task(work, context);
      },
    });
    await add(index, some(2));
    const { sync, catalog, directory } = index;
    // Search threads close the files of an index that is removed.
    directory.onChange(turns);
    let finish = () => {};
    gate = new Promise((resolve) => {
      finish = resolve;
    });
    const id = catalog.byName("r0")?.id ?? assert.fail();
    sync.refresh(id, "due");
    await eventually(() => isWaiting);
    index.setLimit(1);
    await turns();
    const isRemoved = fate === "whose repository is removed";
    const end = isRemoved ? sync.removeRepositories([id]) : sync.close();
    if (isRemoved) await turns();
    finish();
    await end;
    if (isRemoved) return await eventuallyEqual(() => index.states(), { r1: "evicted" });
    await turns();
    assert.deepEqual(index.states(), { r0: "ready", r1: "ready" });
  });

test("uses and evictions survive a restart, and a lower limit applies when it starts", async (t) => {
  const repositories = some(4);
  const bytes = await unlimitedBytes(t, repositories);
  const first = await openLimitedIndex({});
  await add(first, repositories);
  await first.search("all repo:r0");
  await first.close();
  const second = await open(t, { folder: first.folder, maxIndexBytes: Math.ceil(bytes * 0.6) });
  await second.sync.storage.space.trim();
  assert.deepEqual(evictedNames(second), ["r1", "r2"]);
  assert.ok(bytesOnDisk(second) <= bytes * 0.6);
  assert.ok(largestShard(second) > 0);
  await second.sync.close();
  second.catalog.close();
  const third = await open(t, { folder: first.folder, maxIndexBytes: Math.ceil(bytes * 0.6) });
  for (const { id } of third.catalog.all()) third.sync.refresh(id, "due");
  await third.sync.idle();
  assert.deepEqual(evictedNames(third), ["r1", "r2"]);
});
