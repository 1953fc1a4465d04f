import assert from "node:assert/strict";
import { test } from "node:test";
import { Catalog } from "#catalog/catalog";
import { defaultScanSettings } from "#git/discover";
import { silentLog } from "#platform/log";
import { scanPath } from "#sync/repositoryFacts";
import { Scans } from "#sync/scans";
import { repo, temporaryFolder } from "#test/support/repo";

const { signal } = new AbortController();

function open(held: Promise<void> = Promise.resolve()) {
  const catalog = Catalog.open(temporaryFolder(), { log: silentLog });
  const scanned: string[] = [];
  const failing = new Set<string>();
  const scans = new Scans({
    catalog,
    hosts: {},
    settings: () => defaultScanSettings,
    isMirror: () => false,
    isGitOnly: false,
    log: silentLog,
    async scanPath(scan, signal) {
      scanned.push(scan.path);
      await held;
      const found = await scanPath(scan, signal);
      if (failing.delete(scan.path)) throw new Error("The first scan fails");
      return found;
    },
    onScanned() {},
    async onRepositoriesRemoved() {},
  });
  return { catalog, scans, scanned, failing };
}

/** Adds paths as `Sync.addPaths` does. */
async function addAll(scans: Scans, paths: readonly string[], beforeSecond = async () => {}): Promise<void> {
  const end = scans.begin(paths);
  try {
    for (const [at, path] of paths.entries()) {
      if (at === 1) await beforeSecond();
      await scans.add(path, signal);
    }
  } finally {
    end();
  }
}

test("at a start, paths that are added again are scanned once", async () => {
  const { catalog, scans, scanned } = open();
  const [first, second, third, other] = [repo().path, repo().path, repo().path, repo().path];
  const added = [first, second, third];
  for (const path of [...added, other]) catalog.addPath(path);
  const found: string[] = [];
  const onFound = (repositories: readonly { readonly path: string }[]) =>
    found.push(...repositories.map(({ path }) => path));
  // The scan of all paths starts after the first one has been added.
  let all = Promise.resolve();
  await addAll(scans, added, async () => {
    all = scans.scanAll(signal, onFound);
  });
  await all;
  assert.deepEqual(scanned, [...added, other]);
  assert.deepEqual(found, [other]);
  // Later, they may contain other repositories.
  await scans.scanAll(signal, onFound);
  assert.deepEqual(scanned.slice(4), [...added, other]);
});

test("a path that cannot be added is scanned nevertheless", async () => {
  const { catalog, scans, scanned, failing } = open();
  const { path } = repo();
  catalog.addPath(path);
  failing.add(path);
  const adding = assert.rejects(addAll(scans, [path]), /The first scan fails/);
  const found: string[] = [];
  await scans.scanAll(signal, (repositories) => found.push(...repositories.map((each) => each.path)));
  await adding;
  assert.deepEqual(found, [path]);
  assert.deepEqual(scanned, [path, path]);
});

test("a folder that is opened while all paths are scanned is read once", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { catalog, scans, scanned } = open(held);
  const { path } = repo();
  catalog.addPath(path);
  const all = scans.scanAll(signal, () => undefined);
  const opening = scans.addOpenFolder(path, signal);
  await new Promise((resolve) => setImmediate(resolve));
  release();
  const [opened] = await Promise.all([opening, all]);
  assert.deepEqual(
    opened.map((each) => each.path),
    [path],
  );
  assert.deepEqual(scanned, [path]);
});
