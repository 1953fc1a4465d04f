/** Many small repositories at once become the same index as each by itself, and what is not small is left out of it. */
import assert from "node:assert/strict";
import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalogue } from "#catalogue/catalogue";
import type { Repository } from "#model/repository";
import { diskFiles, type Files } from "#platform/files";
import { silentLog } from "#platform/log";
import { thisThread } from "#platform/workers";
import { ShardDirectory } from "#shard/directory";
import { Sync } from "#sync/sync";
import { indexWork } from "#sync/work";
import { indexedLines, shardLines } from "#test/support/indexed";
import { repo, runGit, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function open(t: TestContext, files: Files = diskFiles) {
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"), files);
  const catalogue = Catalogue.open(data, { log: silentLog });
  const overlays = new Map<number, string[]>();
  const sync = new Sync({
    catalogue,
    directory,
    pool: thisThread(indexWork(files), 2),
    wanted: { branches: ["**"], tags: ["**"], newestTags: 2 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay(id, overlay) {
      overlays.delete(id);
      if (overlay) shardLines(overlay.bytes).then((lines) => overlays.set(id, lines));
    },
  });
  t.after(() => sync.close());
  /** What is known of each repository, without what depends on when and with whom it was indexed. */
  const known = async (): Promise<readonly string[]> => {
    const lines = catalogue.all().map(async (repository) => {
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
  return { directory, catalogue, sync, known };
}

/** Some plain ones, and one of each kind that has something about it. */
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

test("together or one by one: the same is known of each", async (t) => {
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
  assert.equal(files(together.catalogue.all().filter(isPlain)).size, 1);
  const failed = together.catalogue.all().filter(({ state }) => state === "failed");
  assert.ok(failed.length >= 1 && failed.every(({ path }) => /broken|foreign/.test(path)));
});

test("changes afterwards, a look at everything again, and the next start find each where it is", async (t) => {
  const folder = temporaryFolder();
  const repositories = Array.from({ length: 20 }, (_, n) =>
    repo(`= main: One\na.txt\n| number ${n}`, { path: join(folder, `r${String(n).padStart(2, "0")}`) }),
  );
  const { sync, catalogue, directory } = await open(t);
  await sync.addPaths([folder], signal);
  await sync.idle();
  const manifests = new Map(directory.manifests());
  for (const { id } of catalogue.all()) sync.refresh(id);
  await sync.idle();
  assert.deepEqual(new Map(directory.manifests()), manifests);
  repositories[3]?.more("= main: Two\nb.txt\n| second");
  rmSync(join(folder, "r04"), { recursive: true });
  await sync.addPaths([folder], signal);
  await sync.idle();
  assert.equal(catalogue.all().length, 19);
  const changed = catalogue.all().find(({ path }) => path.endsWith("r03"));
  assert.deepEqual(await indexedLines(directory, changed?.id ?? 0), [
    "a.txt [main]: number 3|",
    "b.txt [main]: second|",
  ]);
  const again = await ShardDirectory.open(directory.folder);
  assert.deepEqual(new Map(again.manifests()), new Map(directory.manifests()));
});

test("one that is forgotten meanwhile does not come back", async (t) => {
  const folder = temporaryFolder();
  for (let n = 0; n < 20; n++) repo(`= main: One\na\n| ${n}`, { path: join(folder, `r${n}`) });
  const { sync, catalogue, directory } = await open(t);
  await sync.addPaths([folder], signal);
  await sync.removePaths([folder]);
  await sync.idle();
  assert.deepEqual([catalogue.all(), [...directory.manifests()]], [[], []]);
});

test("where the shard cannot be written, each repository says so, and is indexed when it can", async (t) => {
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
  const { sync, catalogue } = await open(t, failing);
  await sync.addPaths([folder], signal);
  await sync.idle();
  const states = () =>
    new Set(catalogue.all().map(({ state, lastError }) => `${state} ${lastError !== undefined}`));
  assert.deepEqual([...states()], ["failed true"]);
  isFull = false;
  await sync.addPaths([folder], signal);
  await sync.idle();
  assert.deepEqual([...states()], ["ready false"]);
});
