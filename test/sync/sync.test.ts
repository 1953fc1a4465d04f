import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Catalogue } from "#catalogue/catalogue";
import type { Overlay } from "#overlay/overlay";
import { silentLog } from "#platform/log";
import { thisThread } from "#platform/workers";
import { ShardDirectory } from "#shard/directory";
import { Sync } from "#sync/sync";
import { indexWork } from "#sync/work";
import { indexedLines, shardLines } from "#test/support/indexed";
import { repo, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;
const wanted = { branches: ["**"], tags: ["**"], newestTags: 20 };

async function open(t: TestContext, folder = temporaryFolder()) {
  const directory = await ShardDirectory.open(join(folder, "shards"));
  const catalogue = Catalogue.open(folder, { log: silentLog, known: directory.manifests().values() });
  const overlays = new Map<number, Overlay>();
  const sync = new Sync({
    catalogue,
    directory,
    pool: thisThread(indexWork()),
    wanted,
    hosts: {},
    log: silentLog,
    watches: true,
    onOverlay: (id, overlay) => (overlay ? overlays.set(id, overlay) : overlays.delete(id)),
  });
  t.after(async () => {
    await sync.close();
    catalogue.close();
  });
  /** The overlay as lines, hidden paths behind them; waits until it is as expected, or a second has passed. */
  const overlay = async (id: number) => {
    const known = overlays.get(id);
    if (!known) return ["none"];
    const hidden = known.hiddenPaths.map((path) => `hides ${Buffer.from(path).toString()}`).sort();
    return [...(await shardLines(known.bytes)), ...hidden];
  };
  return { directory, catalogue, sync, overlay, folder };
}

async function eventually(look: () => Promise<readonly string[]>, expected: readonly string[]) {
  for (const end = Date.now() + 3000; Date.now() < end; await sleep(10)) {
    if ((await look()).join("\n") === expected.join("\n")) return;
  }
  assert.deepEqual(await look(), expected);
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

test("a clone is indexed, its working tree lies over it, and both are kept current", async (t) => {
  const { directory, catalogue, sync, overlay } = await open(t);
  const repository = repo(text, { origin: "git@github.com:o/r.git" });
  repository.write("new.txt", "untracked\n");
  repository.write("x.log", "ignored\n");
  sync.start();
  const [found] = await sync.addPaths([repository.path], signal);
  assert.equal(found?.name, "github.com/o/r");
  await sync.idle();
  const id = found.id;
  assert.equal(catalogue.get(id)?.state, "ready");
  assert.equal(catalogue.get(id)?.documentCount, 4);
  assert.equal(catalogue.get(id)?.pushedAt, Date.UTC(2020, 0, 1));
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
  await eventually(() => overlay(id), ["a.txt: changed|", "hides a.txt"]);

  // As editors save: beside, then renamed.
  repository.write("src/.b.txt.swp", "better\n");
  renameSync(join(repository.path, "src/.b.txt.swp"), join(repository.path, "src/b.txt"));
  await eventually(
    () => overlay(id),
    ["a.txt: changed|", "src/b.txt: better|", "hides a.txt", "hides src/b.txt"],
  );

  repository.remove("src/link");
  repository.write("a.txt", "one\n");
  await eventually(() => overlay(id), ["src/b.txt: better|", "hides src/b.txt", "hides src/link"]);

  repository.write("deep/er/c.txt", "in a new folder\n");
  repository.write("out/made.txt", "ignored\n");
  await eventually(
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
  await eventually(() => overlay(id), ["none"]);
  assert.deepEqual(await indexedLines(directory, id), [
    ".gitignore [main]: *.log|out/|",
    "a.txt [main]: one|",
    "deep/er/c.txt [main]: in a new folder|",
    "src/b.txt [main]: better|",
  ]);
  assert.equal(catalogue.get(id)?.documentCount, 4);

  repository.write("deep/er/c.txt", "watched\n");
  await eventually(() => overlay(id), ["deep/er/c.txt: watched|", "hides deep/er/c.txt"]);
  repository.git("checkout", "-q", "-f", "-b", "team/topic");
  repository.write(".gitignore", "");
  await eventually(
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
  assert.equal(catalogue.get(id)?.defaultRevision, "refs/heads/team/topic");
});

test("the next start compares and builds nothing that has not changed", async (t) => {
  const data = temporaryFolder();
  const clone = repo(text);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "plain.txt"), "plain\n");
  const first = await open(t, data);
  const found = await first.sync.addPaths([clone.path, folder], signal);
  await first.sync.idle();
  const generations = found.map(({ id }) => first.directory.manifest(id)?.generation);
  await first.sync.close();
  first.catalogue.close();

  clone.write("a.txt", "meanwhile\n");
  const second = await open(t, data);
  assert.deepEqual(
    second.catalogue.all().map(({ state }) => state),
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

test("a plain folder is kept current", async (t) => {
  const { directory, sync, overlay, catalogue } = await open(t);
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
  await eventually(
    () => overlay(id),
    ["c.txt: c|", "sub/a.txt: aa|", "hides b.bin", "hides c.txt", "hides sub/a.txt"],
  );
  assert.equal(catalogue.get(id)?.state, "ready");
  const generation = directory.manifest(id)?.generation;
  mkdirSync(join(folder, "new/er"), { recursive: true });
  writeFileSync(join(folder, "new/er/d.txt"), "d\n");
  const all = ["c.txt: c|", "new/er/d.txt: d|", "sub/a.txt: aa|"];
  const hidden = ["hides b.bin", "hides c.txt", "hides new/er/d.txt", "hides sub/a.txt"];
  await eventually(() => overlay(id), [...all, ...hidden]);
  renameSync(join(folder, "new"), join(folder, "other"));
  await eventually(
    () => overlay(id),
    [...all, ...hidden].map((line) => line.replace("new/er", "other/er")).sort(byHidden),
  );
  assert.equal(directory.manifest(id)?.generation, generation);
});

/** Documents first, then what is hidden, each in order. */
function byHidden(left: string, right: string): number {
  const key = (line: string) => (line.startsWith("hides ") ? `1${line}` : `0${line}`);
  return key(left) < key(right) ? -1 : 1;
}

test("a plain folder is not built again at the next start, unless much has changed", async (t) => {
  const data = temporaryFolder();
  const folder = temporaryFolder();
  for (let at = 0; at < 3000; at++) writeFileSync(join(folder, `${at}.txt`), `${at}\n`);
  const first = await open(t, data);
  const [found] = await first.sync.addPaths([folder], signal);
  assert.ok(found);
  await first.sync.idle();
  await first.sync.close();
  first.catalogue.close();
  writeFileSync(join(folder, "7.txt"), "seven\n");
  rmSync(join(folder, "8.txt"));
  // What was written in the same seconds as the shards counts as changed, so these are made to look old.
  const second = await open(t, data);
  const before = second.catalogue.indexedState(found.id);
  second.catalogue.markIndexed(found.id, { digest: before?.digest ?? "", since: Date.now() + 60_000 });
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

test("forgetting a path forgets its index", async (t) => {
  const { directory, catalogue, sync } = await open(t);
  const parent = temporaryFolder();
  repo(text, { path: join(parent, "x") });
  repo(text, { path: join(parent, "y.git"), bare: true });
  repo("", { path: join(parent, "empty") });
  await sync.addPaths([parent], signal);
  await sync.idle();
  assert.deepEqual(
    catalogue.all().map(({ name, state }) => `${name} ${state}`),
    ["empty ready", "x ready", "y ready"],
  );
  assert.equal(directory.manifests().size, 3);
  await sync.removePaths([parent]);
  assert.equal(directory.manifests().size, 0);
  assert.deepEqual(catalogue.all(), []);
  assert.deepEqual(catalogue.paths, []);
});
