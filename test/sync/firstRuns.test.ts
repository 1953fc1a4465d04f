/** Indexing many small repositories together has the same result as one by one; larger ones are excluded. */
import assert from "node:assert/strict";
import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { Repository } from "#model/repository";
import { diskFiles, type Files } from "#platform/files";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { workerTask } from "#sync/workerTasks";
import { indexedLines, shardLines } from "#test/support/indexed";
import { repo, runGit, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function open(t: TestContext, files: Files = diskFiles) {
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"), files);
  const catalog = Catalog.open(data, { log: silentLog });
  const overlays = new Map<number, string[]>();
  const sync = new Sync({
    catalog,
    directory,
    pool: inlineThread(workerTask(files), 2),
    settings: { branches: ["**"], tags: ["**"], newestTags: 2 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay(id, overlay) {
      overlays.delete(id);
      if (overlay) shardLines(overlay.bytes).then((lines) => overlays.set(id, lines));
    },
  });
  t.after(() => sync.close());
  /** Describes each repository, without the parts that depend on when and with which others it was indexed. */
  const known = async (): Promise<readonly string[]> => {
    const lines = catalog.all().map(async (repository) => {
      const { id, name, state, documentCount, skippedCount, contentBytes, defaultRevision, pushedAt } =
        repository;
      const counts = `${documentCount} ${skippedCount} ${contentBytes}`;
      const revisions = repository.revisions.map((each) => `${each.name}=${each.commit}`).join(" ");
      const overlay = overlays.get(id) ?? [];
      const documents = await indexedLines(directory, id);
      return [name, state, counts, defaultRevision, pushedAt, revisions, ...documents, ...overlay].join("\n");
    });
    return await Promise.all(lines);
  };
  return { directory, catalog, sync, known };
}

/** Creates several plain repositories, and one of each special kind. */
function manyRepositories(): string {
  const folder = temporaryFolder();
  const at = (name: string) => ({ path: join(folder, name) });
  for (let n = 0; n < 18; n++)
    repo(`= main: One\na.txt\n| number ${n}\nsrc/b.ts\n| same in all`, at(`plain${n}`));
  repo(
    `= main: One\na\n| 1\nb\n| 2\ntag v1\n= topic from main: Two\na\n| 3\ntag v2: Tag\n= main: Three\nb\n| 4\ntag v3`,
    at("history"),
  );
  repo("", at("empty"));
  const changed = repo("= main: One\na\n| 1\nb\n| 2", at("changed"));
  changed.write("a", "on disk\n");
  changed.write("new", "untracked\n");
  repo("= main: One\na.x\n| 1\n.gitattributes\n| *.x linguist-language=C", at("attributes"));
  repo(`= main: One\nbin [hex]\n| 00 ff 00\ndata\n| ${"x".repeat(3_000_000)}`, at("skipped"));
  repo(`= main: One\n${Array.from({ length: 600 }, (_, n) => `f${n}\n| ${n}`).join("\n")}`, at("large"));
  repo("= main: One\na\n| 1\nb\n| 2", at("packed")).git("gc", "-q");
  const source = repo("= main: One\na\n| 1", at("source"));
  source.git("config", "uploadpack.allowFilter", "true");
  mkdirSync(join(folder, "partial"));
  runGit(folder, ["clone", "-q", "--no-checkout", "--filter=blob:none", `file://${source.path}`, "partial"]);
  const broken = repo("= main: One\na\n| 1", at("broken"));
  rmSync(join(broken.path, ".git/objects"), { recursive: true });
  mkdirSync(join(broken.path, ".git/objects"));
  if (process.geteuid?.() === 0) {
    const foreign = repo("= main: One\na\n| 1", at("foreign"));
    for (const name of ["", ".git"]) chownSync(join(foreign.path, name), 12345, 12345);
  }
  return folder;
}

function paths(repositories: readonly Repository[]): string[] {
  return repositories.map(({ path }) => path).sort();
}

test("indexing together and one by one have the same result", async (t) => {
  const folder = manyRepositories();
  const together = await open(t);
  const found = await together.sync.addPaths([folder], signal);
  await together.sync.idle();
  const apart = await open(t);
  for (const path of paths(found)) {
    await apart.sync.addPaths([path], signal);
    await apart.sync.idle();
  }
  assert.deepEqual(await together.known(), await apart.known());
  const files = (repositories: readonly Repository[]) =>
    new Set(
      repositories.flatMap(
        ({ id }) => together.directory.manifest(id)?.segments.map(({ file }) => file) ?? [],
      ),
    );
  const isPlain = ({ path }: Repository) => /plain|history|attributes|packed|changed|skipped/.test(path);
  assert.equal(files(together.catalog.all().filter(isPlain)).size, 1);
  const failed = together.catalog.all().filter(({ state }) => state === "failed");
  assert.ok(failed.length >= 1 && failed.every(({ path }) => /broken|foreign/.test(path)));
});

test("later changes, full scans and restarts work for each repository", async (t) => {
  const folder = temporaryFolder();
  const repositories = Array.from({ length: 20 }, (_, n) =>
    repo(`= main: One\na.txt\n| number ${n}`, { path: join(folder, `r${String(n).padStart(2, "0")}`) }),
  );
  const { sync, catalog, directory } = await open(t);
  await sync.addPaths([folder], signal);
  await sync.idle();
  const manifests = new Map(directory.manifests());
  for (const { id } of catalog.all()) sync.refresh(id);
  await sync.idle();
  assert.deepEqual(new Map(directory.manifests()), manifests);
  repositories[3]?.more("= main: Two\nb.txt\n| second");
  rmSync(join(folder, "r04"), { recursive: true });
  await sync.addPaths([folder], signal);
  await sync.idle();
  assert.equal(catalog.all().length, 19);
  const changed = catalog.all().find(({ path }) => path.endsWith("r03"));
  assert.deepEqual(await indexedLines(directory, changed?.id ?? 0), [
    "a.txt [main]: number 3|",
    "b.txt [main]: second|",
  ]);
  const again = await ShardDirectory.open(directory.folder);
  assert.deepEqual(new Map(again.manifests()), new Map(directory.manifests()));
});

test("a repository that is removed during the run does not come back", async (t) => {
  const folder = temporaryFolder();
  for (let n = 0; n < 20; n++) repo(`= main: One\na\n| ${n}`, { path: join(folder, `r${n}`) });
  const { sync, catalog, directory } = await open(t);
  await sync.addPaths([folder], signal);
  await sync.removePaths([folder]);
  await sync.idle();
  assert.deepEqual([catalog.all(), [...directory.manifests()]], [[], []]);
});

test("if the shard cannot be written, each repository reports it, and is indexed later", async (t) => {
  let isFull = true;
  const failing: Files = {
    ...diskFiles,
    create(path) {
      if (isFull && path.endsWith(".draft")) throw new Error("ENOSPC: no space left on device");
      return diskFiles.create(path);
    },
  };
  const folder = temporaryFolder();
  for (let n = 0; n < 20; n++) repo(`= main: One\na\n| ${n}`, { path: join(folder, `r${n}`) });
  writeFileSync(join(folder, "r1", "a"), "changed\n");
  const { sync, catalog } = await open(t, failing);
  await sync.addPaths([folder], signal);
  await sync.idle();
  const states = () =>
    new Set(catalog.all().map(({ state, lastError }) => `${state} ${lastError !== undefined}`));
  assert.deepEqual([...states()], ["failed true"]);
  isFull = false;
  await sync.addPaths([folder], signal);
  await sync.idle();
  assert.deepEqual([...states()], ["ready false"]);
});

test("while indexing is paused, small repositories wait, and nothing else is held up", async (t) => {
  const { sync, catalog } = await open(t);
  sync.setPaused(true);
  const folder = manyRepositories();
  await sync.addPaths([folder], signal);
  let isIdle = false;
  const idle = sync.idle().then(() => {
    isIdle = true;
  });
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(isIdle, false);
  assert.deepEqual(new Set(catalog.all().map(({ state }) => state)), new Set(["queued"]));
  sync.setPaused(false);
  await idle;
  assert.equal(
    catalog.all().some(({ state }) => state === "queued"),
    false,
  );
});

test("what waits while indexing is paused can be removed, and holds up no end", async (t) => {
  const { sync, catalog } = await open(t);
  sync.setPaused(true);
  const folder = manyRepositories();
  await sync.addPaths([folder], signal);
  const removed = sync.repositoriesIdle();
  await sync.removePaths([folder]);
  await removed;
  assert.deepEqual(catalog.all(), []);
  await sync.addPaths([folder], signal);
  const ended = sync.idle();
  await sync.close();
  await ended;
});
