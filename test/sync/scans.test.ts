import assert from "node:assert/strict";
import { test } from "node:test";
import { Catalog } from "#catalog/catalog";
import { defaultScanSettings } from "#git/discover";
import { silentLog } from "#platform/log";
import { scanPath } from "#sync/repositoryFacts";
import { Scans } from "#sync/scans";
import { repo, temporaryFolder } from "#test/support/repo";

const { signal } = new AbortController();

function open() {
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
      const found = await scanPath(scan, signal);
      if (failing.delete(scan.path)) throw new Error("The first scan fails");
      return found;
    },
    onScanned() {},
    async onRepositoriesRemoved() {},
  });
  return { catalog, scans, scanned, failing };
}

test("a path that is just being added again is scanned once", async () => {
  const { catalog, scans, scanned } = open();
  const { path } = repo();
  const other = repo().path;
  catalog.addPath(path);
  catalog.addPath(other);
  const found: string[] = [];
  const adding = scans.add(path, signal);
  await scans.scanAll(signal, (repositories) => found.push(...repositories.map((each) => each.path)));
  assert.deepEqual(
    (await adding).map((each) => each.path),
    [path],
  );
  assert.deepEqual(found, [other]);
  assert.deepEqual(scanned, [path, other]);
  // Later, it may contain other repositories.
  await scans.scanAll(signal, () => undefined);
  assert.deepEqual(scanned.slice(2), [path, other]);
});

test("a path that cannot be added is scanned nevertheless", async () => {
  const { catalog, scans, scanned, failing } = open();
  const { path } = repo();
  catalog.addPath(path);
  failing.add(path);
  const adding = assert.rejects(scans.add(path, signal), /The first scan fails/);
  const found: string[] = [];
  await scans.scanAll(signal, (repositories) => found.push(...repositories.map((each) => each.path)));
  await adding;
  assert.deepEqual(found, [path]);
  assert.deepEqual(scanned, [path, path]);
});
