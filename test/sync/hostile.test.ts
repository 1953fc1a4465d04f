/** Unusual, broken or concurrently changed repositories: each becomes ready or failed with a reason, and stays searchable. */
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { Repository } from "#model/repository";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { workerTask } from "#sync/workerTasks";
import { indexedLines, shardLines } from "#test/support/indexed";
import { repo, runGit, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;

async function open(t: TestContext) {
  const data = temporaryFolder();
  const directory = await ShardDirectory.open(join(data, "shards"));
  const catalog = Catalog.open(data, { log: silentLog });
  const overlays = new Map<number, string[]>();
  const sync = new Sync({
    catalog,
    directory,
    pool: inlineThread(workerTask()),
    settings: { branches: ["**"], tags: ["**"], newestTags: 20 },
    hosts: {},
    log: silentLog,
    watches: false,
    onOverlay(id, overlay) {
      overlays.delete(id);
      if (overlay) shardLines(overlay.bytes).then((lines) => overlays.set(id, lines));
    },
  });
  t.after(() => sync.close());
  const index = async (path: string): Promise<Repository> => {
    const [found] = await sync.addPaths([path], signal);
    await sync.idle();
    const repository = found && catalog.get(found.id);
    assert.ok(repository);
    return repository;
  };
  const again = async ({ id }: Repository): Promise<Repository> => {
    sync.refresh(id);
    await sync.idle();
    const repository = catalog.get(id);
    assert.ok(repository);
    return repository;
  };
  const lines = async ({ id }: Repository) => indexedLines(directory, id);
  return { index, again, lines, overlays, sync, directory, catalog };
}

const one = "= main: One\na\n| 1\nb\n| 2\n";

/** Lists names, sizes, modes and times of everything below a folder. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => {
      const { size, mode, mtimeMs } = statSync(join(folder, name));
      return `${name} ${size} ${mode} ${mtimeMs}`;
    })
    .sort();
}

test("a repository without commits is indexed, and then its first commit", async (t) => {
  const { index, again, lines, overlays } = await open(t);
  const repository = repo("");
  repository.write("a", "untracked\n");
  const known = await index(repository.path);
  assert.deepEqual([known.state, known.revisions, known.defaultRevision], ["ready", [], undefined]);
  assert.deepEqual(overlays.get(known.id), ["a: untracked|"]);
  repository.git("add", "a");
  repository.git("commit", "-q", "-m", "First");
  assert.equal((await again(known)).defaultRevision, "refs/heads/main");
  assert.deepEqual(await lines(known), ["a [main]: untracked|"]);
  assert.equal(overlays.size, 0);
});

test("nothing is written into a repository", async (t) => {
  const { index } = await open(t);
  const repository = repo(`${one}tag v1: tag\n`);
  repository.write("b", "changed\n");
  repository.write("new", "new\n");
  const before = stateOf(repository.path);
  assert.equal((await index(repository.path)).state, "ready");
  assert.deepEqual(stateOf(repository.path), before);
});

test("a read-only repository is indexed", async (t) => {
  const { index, lines } = await open(t);
  const repository = repo(one);
  const folders = ["", ".git", ".git/refs", ".git/refs/heads"].map((name) => join(repository.path, name));
  for (const folder of folders) chmodSync(folder, 0o500);
  const known = await index(repository.path);
  for (const folder of folders) chmodSync(folder, 0o700);
  assert.equal(known.state, "ready");
  assert.deepEqual(await lines(known), ["a [main]: 1|", "b [main]: 2|"]);
});

test("a shallow clone is indexed", async (t) => {
  const { index, lines } = await open(t);
  const source = repo(`${one}= main: Two\na\n| 3\n`);
  const path = temporaryFolder();
  runGit(path, ["clone", "-q", "--depth=1", `file://${source.path}`, path]);
  assert.deepEqual(await lines(await index(path)), ["a [main]: 3|", "b [main]: 2|"]);
});

test("a partial clone reports its missing objects", async (t) => {
  const { index, lines, sync, overlays } = await open(t);
  const source = repo(one);
  source.git("config", "uploadpack.allowFilter", "true");
  const path = temporaryFolder();
  runGit(path, ["clone", "-q", "--no-checkout", "--filter=blob:none", `file://${source.path}`, path]);
  const known = await index(path);
  assert.deepEqual(await lines(known), ["a [main]: (missing)", "b [main]: (missing)"]);
  assert.deepEqual(await sync.skipped(known.id, signal), [
    { path: "a", reason: "missing" },
    { path: "b", reason: "missing" },
  ]);
  assert.equal(overlays.size, 0);
});

test("names may contain spaces, quotes, newlines, leading dashes and invalid UTF-8", async (t) => {
  const { index, lines } = await open(t);
  const known = await index(
    repo(`
      = main: One
      "a b"
      | 1
      "q\\"'"
      | 2
      "n\\nl"
      | 3
      -rf
      | 4
      "\\377\\376"
      | 5
      ":(top)x"
      | 6
      "tab\\there"
      | 7
    `).path,
  );
  assert.deepEqual(await lines(known), [
    "-rf [main]: 4|",
    ":(top)x [main]: 6|",
    "a b [main]: 1|",
    "n\nl [main]: 3|",
    "q\"' [main]: 2|",
    "tab\there [main]: 7|",
    "\ufffd\ufffd [main]: 5|",
  ]);
});

test("branches whose object is missing are skipped", async (t) => {
  const { index, again, lines } = await open(t);
  const repository = repo(one);
  const heads = join(repository.path, ".git/refs/heads");
  writeFileSync(join(heads, "lost"), `${"1".repeat(40)}\n`);
  const known = await index(repository.path);
  assert.deepEqual([known.state, known.revisions.map(({ name }) => name)], ["ready", ["refs/heads/main"]]);
  repository.more("= main: Two\na\n| 3");
  writeFileSync(join(heads, "lost too"), `${"2".repeat(40)}\n`);
  assert.equal((await again(known)).state, "ready");
  assert.deepEqual(await lines(known), ["a [main]: 3|", "b [main]: 2|"]);
});

test("a repository that breaks stays searchable, and recovers", async (t) => {
  const { index, again, lines } = await open(t);
  const repository = repo(one);
  const known = await index(repository.path);
  const head = join(repository.path, ".git/HEAD");
  rmSync(head);
  const broken = await again(known);
  assert.equal(broken.state, "failed");
  assert.match(broken.lastError ?? "", /no longer a git repository/);
  assert.deepEqual(await lines(known), ["a [main]: 1|", "b [main]: 2|"]);
  writeFileSync(head, "ref: refs/heads/main\n");
  const whole = await again(known);
  assert.deepEqual([whole.state, whole.lastError], ["ready", undefined]);
});

test("a history that was rewritten and garbage-collected is indexed", async (t) => {
  const { index, again, lines } = await open(t);
  const repository = repo(one);
  const known = await index(repository.path);
  repository.git("checkout", "-q", "--orphan", "fresh");
  repository.write("a", "rewritten\n");
  repository.git("commit", "-qam", "Fresh");
  repository.git("branch", "-M", "fresh", "main");
  repository.git("reflog", "expire", "--expire=now", "--all");
  repository.git("gc", "-q", "--prune=now");
  assert.equal((await again(known)).state, "ready");
  assert.deepEqual(await lines(known), ["a [main]: rewritten|", "b [main]: 2|"]);
});

test("links in the working tree are not followed", async (t) => {
  const { index, overlays } = await open(t);
  const secret = temporaryFolder();
  writeFileSync(join(secret, "secret"), "secret\n");
  const repository = repo(one);
  symlinkSync(secret, join(repository.path, "folder"));
  symlinkSync(join(secret, "secret"), join(repository.path, "file"));
  symlinkSync("loop", join(repository.path, "loop"));
  const known = await index(repository.path);
  assert.deepEqual(overlays.get(known.id), [`file: ${secret}/secret`, `folder: ${secret}`, "loop: loop"]);
  const folder = temporaryFolder();
  symlinkSync(secret, join(folder, "link"));
  mkdirSync(join(folder, ".git"));
  const plain = await index(folder);
  assert.equal(plain.kind, "folder");
});

test("5,000 branches are indexed", async (t) => {
  const { index, again, directory } = await open(t);
  const branches = Array.from({ length: 5000 }, (_, at) => `= b/${at} from main: x\nown\n| ${at}\n`);
  const repository = repo(one + branches.join(""));
  const known = await index(repository.path);
  assert.deepEqual([known.state, known.revisions.length, known.documentCount], ["ready", 5001, 5002]);
  repository.more("= b/17: more\nown\n| other");
  const moved = await again(known);
  assert.deepEqual([moved.state, moved.documentCount], ["ready", 5002]);
  assert.equal(directory.manifest(known.id)?.segments.length, 2);
});

test("a repository of another user is rejected, as by git", async (t) => {
  if (process.getuid?.() !== 0) return t.diagnostic("only root can give files away");
  const { index } = await open(t);
  const repository = repo(one);
  for (const name of ["", ".git"]) chownSync(join(repository.path, name), 12345, 12345);
  const known = await index(repository.path);
  assert.equal(known.state, "failed");
  assert.match(known.lastError ?? "", /git config --global --add safe\.directory/);
});
