/** Packages are indexed once for all projects that use them, and only as long as one does. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { defaultSyncSettings } from "#sync/syncSettings";
import { type WorkerResult, type WorkerTask, workerTask } from "#sync/workerTasks";
import { eventuallyEqual } from "#test/support/eventually";
import { indexedLines } from "#test/support/indexed";
import { jar } from "#test/support/jar";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function open(
  t: TestContext,
  { data = temporaryFolder(), watches = true, pool = inlineThread(workerTask(), 2) } = {},
) {
  const directory = await ShardDirectory.open(join(data, "shards"));
  const catalog = Catalog.open(data, { log: silentLog, known: directory.manifests().values() });
  const sync = new Sync({
    catalog,
    directory,
    pool,
    settings: {},
    hosts: {},
    packageCaches: {
      cargoHome: join(data, "cargo"),
      goModules: join(data, "go"),
      mavenRepository: join(data, "m2"),
      gradleModules: join(data, "gradle"),
    },
    log: silentLog,
    watches,
    onOverlay() {},
  });
  const close = async () => {
    await sync.close();
    catalog.close();
  };
  t.after(close);
  /** Lists the packages, each with its state and the folder of its project. */
  const packages = () =>
    catalog.packages().map(({ name, state, path }) => `${name} ${state} ${path.split("/").at(-3)}`);
  return { data, directory, catalog, sync, packages, close };
}

/** Creates a project that has installed these versions (`name@version`) with npm. */
function project(name: string, versions: readonly string[]): TestRepository {
  const created = repo("= main: One\n.gitignore\n| node_modules\na.ts\n| one", {
    path: join(temporaryFolder(), name),
  });
  install(created, versions);
  return created;
}

function install(created: TestRepository, versions: readonly string[]): void {
  rmSync(join(created.path, "node_modules"), { recursive: true, force: true });
  const packages: Record<string, { version: string }> = {};
  for (const each of versions) {
    const [name = "", version = ""] = each.split("@");
    const folder = `node_modules/${name}`;
    packages[folder] = { version };
    created.write(`${folder}/package.json`, JSON.stringify({ name, version }));
    created.write(`${folder}/index.js`, `export const it = "${each}";\n`);
    created.write(`${folder}/index.js.map`, "{}\n");
    created.write(`${folder}/node_modules/nested/package.json`, "{}\n");
  }
  created.write("package-lock.json", JSON.stringify({ lockfileVersion: 3, packages }));
}

test("projects share packages of the same version", async (t) => {
  const { directory, catalog, sync, packages } = await open(t);
  const one = project("one", ["a@1.0.0", "b@1.0.0"]);
  const two = project("two", ["a@1.0.0", "b@2.0.0"]);
  sync.start();
  const [first] = await sync.addPaths([one.path], signal);
  const [second] = await sync.addPaths([two.path], signal);
  await sync.idle();
  assert.deepEqual(packages(), ["npm/a@1.0.0 ready one", "npm/b@1.0.0 ready one", "npm/b@2.0.0 ready two"]);
  assert.deepEqual(
    catalog.all().map(({ name }) => name),
    ["one", "two"],
    "packages are not listed as repositories",
  );
  const namesOf = (id = first?.id) =>
    id === undefined ? [] : (catalog.get(id)?.dependencies ?? []).map((each) => catalog.get(each)?.name);
  assert.deepEqual(namesOf(), ["npm/a@1.0.0", "npm/b@1.0.0"]);
  assert.deepEqual(namesOf(second?.id), ["npm/a@1.0.0", "npm/b@2.0.0"]);
  const [shared] = catalog.packages();
  assert.deepEqual(shared && (await indexedLines(directory, shared.id)), [
    'index.js []: export const it = "a@1.0.0";|',
    "index.js.map []: (excluded)",
    'package.json []: {"name":"a","version":"1.0.0"}',
  ]);
  assert.equal(catalog.containing(join(one.path, "node_modules/a/index.js"))?.name, "npm/a@1.0.0");
  assert.equal(catalog.containing(join(one.path, "node_modules/c/index.js"))?.name, "one");
});

test("a package follows the lock files that name it", async (t) => {
  const { directory, sync, packages } = await open(t);
  const one = project("one", ["a@1.0.0", "b@1.0.0"]);
  const two = project("two", ["a@1.0.0"]);
  sync.start();
  await sync.addPaths([one.path], signal);
  await sync.addPaths([two.path], signal);
  await sync.idle();
  assert.deepEqual(packages(), ["npm/a@1.0.0 ready one", "npm/b@1.0.0 ready one"]);
  install(one, ["a@2.0.0"]);
  await eventuallyEqual(packages, ["npm/a@1.0.0 ready two", "npm/a@2.0.0 ready one"]);
  await sync.idle();
  assert.equal(directory.manifests().size, 4, "the indexes of removed packages are deleted");
  await sync.removePaths([two.path]);
  await eventuallyEqual(packages, ["npm/a@2.0.0 ready one"]);
  renameSync(join(one.path, "package-lock.json"), join(one.path, "unlocked.json"));
  await eventuallyEqual(packages, []);
});

test("packages of a project that is removed while they are found are removed, too", async (t) => {
  const [one, two] = [project("one", ["a@1.0.0"]), project("two", ["b@1.0.0"])];
  const task = workerTask();
  const pool = inlineThread<WorkerTask, WorkerResult>(async (work, context) => {
    const result = await task(work, context);
    if (work.kind === "dependencies" && work.root === one.path) await sync.removePaths([one.path]);
    return result;
  }, 2);
  const { sync, packages } = await open(t, { watches: false, pool });
  await sync.addPaths([one.path, two.path], signal);
  await sync.idle();
  assert.deepEqual(packages(), ["npm/b@1.0.0 ready two"]);
});

test("many packages share shards, and stay indexed at the next start", async (t) => {
  const first = await open(t, { watches: false });
  const versions = Array.from({ length: 40 }, (_, at) => `p${at + 10}@1.0.0`);
  const one = project("one", versions);
  one.write("node_modules/p10/large.js", "// large\n".repeat(150_000));
  await first.sync.addPaths([one.path], signal);
  await first.sync.idle();
  const expected = versions.map((each) => `npm/${each} ready one`);
  assert.deepEqual(first.packages(), expected);
  const shards = new Set([...first.directory.manifests().values()].flatMap(({ segments }) => segments));
  assert.ok(shards.size <= 42);
  const files = new Set([...shards].map(({ file }) => file));
  assert.equal(files.size, 3, "one for the project, one for the large package, one for all others");
  await first.close();
  const next = await open(t, { data: first.data });
  assert.deepEqual(next.packages(), expected);
  const before = [...next.directory.manifests().values()].map(({ generation }) => generation);
  next.sync.start();
  await next.sync.idle();
  assert.deepEqual(next.packages(), expected);
  assert.deepEqual(
    [...next.directory.manifests().values()].map(({ generation }) => generation),
    before,
  );
});

test("a package that is too large is not indexed, and says why", async (t) => {
  const { catalog, sync, packages } = await open(t, { watches: false });
  const one = project("one", ["a@1.0.0", "b@1.0.0"]);
  for (let n = 0; n < 55; n++) one.write(`node_modules/a/${n}.js`, "x\n".repeat(1_000_000));
  await sync.addPaths([one.path], signal);
  await sync.idle();
  assert.deepEqual(packages(), ["npm/a@1.0.0 failed one", "npm/b@1.0.0 ready one"]);
  assert.equal(
    catalog.byName("npm/a@1.0.0")?.lastError,
    "The package has more than 20000 files, or more than 100 MiB of text.",
  );
});

test("unpacked sources are removed with the package", async (t) => {
  const { data, sync, packages, catalog } = await open(t);
  const path = join(data, "m2/g/a/1.0");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "a-1.0-sources.jar"), jar({ "g/A.java": "package g;\nclass A {}\n" }));
  const one = project("one", []);
  one.write("gradle.lockfile", "g:a:1.0=runtimeClasspath\n");
  sync.start();
  await sync.addPaths([one.path], signal);
  await sync.idle();
  assert.deepEqual(packages(), ["maven/g:a@1.0 ready packages"]);
  const [unpacked] = catalog.packages();
  assert.deepEqual(unpacked?.namespaces, ["g"]);
  assert.ok(existsSync(join(unpacked.path, "g/A.java")));
  one.write("gradle.lockfile", "empty=\n");
  await eventuallyEqual(packages, []);
  await eventuallyEqual(() => readdirSync(join(data, "packages")), []);
});

test("packages are removed when they are turned off, and indexed again when they are turned on", async (t) => {
  const { sync, catalog, packages } = await open(t);
  const one = project("one", ["a@1.0.0"]);
  sync.start();
  await sync.addPaths([one.path], signal);
  await sync.idle();
  assert.deepEqual(packages(), ["npm/a@1.0.0 ready one"]);
  sync.configure({ ...defaultSyncSettings, dependencies: false });
  await sync.idle();
  assert.deepEqual(packages(), []);
  assert.equal(catalog.byName("one")?.dependencies, undefined);
  install(one, ["a@2.0.0"]);
  await sync.idle();
  assert.deepEqual(packages(), []);
  sync.configure(defaultSyncSettings);
  await sync.idle();
  assert.deepEqual(packages(), ["npm/a@2.0.0 ready one"]);
});

test("a lost catalog does not turn packages into repositories", async (t) => {
  const first = await open(t);
  const one = project("one", ["a@1.0.0"]);
  await first.sync.addPaths([one.path], signal);
  await first.sync.idle();
  await first.close();
  rmSync(join(first.data, "catalogue.json"));
  const next = await open(t, { data: first.data });
  assert.deepEqual(next.catalog.paths, [one.path]);
  next.sync.start();
  await next.sync.idle();
  assert.deepEqual(next.packages(), ["npm/a@1.0.0 ready one"]);
  assert.equal(next.directory.manifests().size, 2);
});
