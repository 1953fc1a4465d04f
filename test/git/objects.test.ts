import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runGit as callGit, gitFailure } from "#git/git";
import { readObjects } from "#git/objects/readObjects";
import { diffTrees, findMissingObjects, listTree, rootTrees } from "#git/objects/tree";
import type { GitRepository } from "#git/repository";
import { gitRepositoryOf, repo, runGit, type TestRepository, temporaryFolder } from "#test/support/repo";
import { replaceGit, restoreGit } from "#test/support/watchedGit";

async function read(
  gitRepository: GitRepository,
  names: readonly string[],
  maxBytes = 1000,
): Promise<string[]> {
  const lines: string[] = [];
  await readObjects(gitRepository, names, maxBytes, (object, index) => {
    assert.equal(index, lines.length);
    if (object.kind === "content") lines.push(object.bytes.toString("latin1"));
    else lines.push(object.kind === "tooLarge" ? `tooLarge ${object.size}` : object.kind);
    return undefined;
  });
  return lines;
}

function hashOf(repository: TestRepository, content: string | Uint8Array): string {
  repository.write("content", content);
  return repository.git("hash-object", "-w", "content");
}

test("objects of all sizes are read in order, including after one that is far too large", async () => {
  const repository = repo("");
  const small = hashOf(repository, "small\n");
  const large = hashOf(repository, "y".repeat(2000));
  const huge = hashOf(repository, Buffer.alloc(40 * 1024 * 1024, "z"));
  const missing = "1".repeat(40);
  const names = [small, huge, large, missing, small, huge, small];
  assert.deepEqual(await read(gitRepositoryOf(repository), names), [
    "small\n",
    "tooLarge 41943040",
    "tooLarge 2000",
    "missing",
    "small\n",
    "tooLarge 41943040",
    "small\n",
  ]);
});

test("a damaged object is reported as missing, and the ones after it are read", async () => {
  const repository = repo("");
  const good = hashOf(repository, "good\n");
  const bad = hashOf(repository, "bad\n");
  const file = join(repository.path, ".git/objects", bad.slice(0, 2), bad.slice(2));
  chmodSync(file, 0o600);
  writeFileSync(file, "not zlib");
  assert.deepEqual(await read(gitRepositoryOf(repository), [good, bad, good]), [
    "good\n",
    "missing",
    "good\n",
  ]);
});

test("an object is read even if another process kills git, unless git dies there again", async () => {
  const repository = repo("", { bare: true });
  const hash = repository.git("commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", "One");
  const readWith = async (condition: string) => {
    replaceGit(`case "$*" in *cat-file*) ${condition} && kill -9 $$ ;; esac\nreal`);
    try {
      return await read(gitRepositoryOf(repository), [hash]);
    } finally {
      restoreGit();
    }
  };
  const marker = join(temporaryFolder(), "killed");
  assert.match((await readWith(`[ ! -e ${marker} ] && touch ${marker}`)).join(), /\n\nOne\n$/);
  assert.deepEqual(await readWith("true"), ["unreadable"]);
});

test("reading stops on request, when canceled, and when the callback throws", async () => {
  const repository = repo("");
  const gitRepository = gitRepositoryOf(repository);
  const names = Array.from({ length: 500 }, () => hash);
  let seen = 0;
  await readObjects(gitRepository, names, 10, () => ++seen < 3);
  assert.equal(seen, 3);
  const fails = () => {
    throw new RangeError("mine");
  };
  await assert.rejects(readObjects(gitRepository, names, 10, fails), /mine/);
  await assert.rejects(
    readObjects(gitRepository, names, 10, () => true, AbortSignal.abort()),
    { code: "CANCELLED" },
  );
});
const hash = "4".repeat(40);

test("trees are listed and compared", async () => {
  const repository = repo(`
    = main: One
    a b
    | 1
    "n\\nl"
    | 2
    d/x
    | 3
    = main: Two
    - a b
    d/y
    | 4
  `);
  const gitRepository = gitRepositoryOf(repository);
  const [first = "", second = "", none] = await rootTrees(gitRepository, [
    repository.git("rev-parse", "main~1"),
    repository.git("rev-parse", "main"),
    "5".repeat(40),
  ]);
  assert.equal(none, undefined);
  assert.deepEqual(
    (await listTree(gitRepository, first)).map(({ path }) => path),
    ["a b", "d/x", "n\nl"],
  );
  const pairs = [
    { from: first, to: second },
    { from: first, to: first },
    { from: second, to: first },
  ];
  const changes = (await diffTrees(gitRepository, pairs)).map((pair) =>
    pair?.map(({ path, entry }) => (entry ? `+${path}` : `-${path}`)),
  );
  assert.deepEqual(changes, [["-a b", "+d/y"], [], ["+a b", "-d/y"]]);
});

test("nothing is fetched for a partial clone, whatever its configuration allows", async () => {
  const source = repo("= main: One\na\n| 1\nb\n| 2");
  source.git("config", "uploadpack.allowFilter", "true");
  const path = temporaryFolder();
  runGit(path, ["clone", "-q", "--no-checkout", "--filter=blob:none", `file://${source.path}`, path]);
  for (const key of ["protocol.file.allow", "protocol.allow"]) runGit(path, ["config", key, "always"]);
  const gitRepository = gitRepositoryOf({ path });
  const objects = () => readdirSync(join(path, ".git/objects/pack")).sort().join();
  const before = objects();
  const [tree = ""] = await rootTrees(gitRepository, [source.git("rev-parse", "main")]);
  const blobs = (await listTree(gitRepository, tree)).map((entry) => entry.hash);
  assert.deepEqual([...(await findMissingObjects(gitRepository, [tree]))].sort(), [...blobs].sort());
  assert.deepEqual(await read(gitRepository, [blobs[0] ?? "", tree, blobs[1] ?? ""], 0), [
    "missing",
    `tooLarge ${treeBytes}`,
    "missing",
  ]);
  assert.equal(objects(), before);
  assert.equal((await findMissingObjects(gitRepositoryOf(source), [tree])).size, 0);
});
const treeBytes = 2 * ("100644 a\0".length + 20);

test("no program that a repository names is run, and nothing is written to it", async () => {
  const repository = repo("= main: One\n.gitattributes\n| * filter=evil diff=evil\na\n| 1");
  const mark = join(temporaryFolder(), "mark");
  const evil = `touch ${mark}; cat`;
  const keys = [
    "core.fsmonitor",
    "filter.evil.clean",
    "filter.evil.process",
    "diff.evil.textconv",
    "diff.external",
    "core.pager",
    "core.sshCommand",
    "gpg.program",
  ];
  for (const key of keys) repository.git("config", key, evil);
  writeFileSync(join(repository.path, ".git/hooks/post-index-change"), `#!/bin/sh\n${evil}\n`, {
    mode: 0o755,
  });
  repository.write("a", "2\n");
  const index = () => [
    statSync(join(repository.path, ".git/index")).mtimeMs,
    readFileSync(join(repository.path, ".git/index"), "hex"),
  ];
  const before = index();
  const gitRepository = gitRepositoryOf(repository);
  const [tree = ""] = await rootTrees(gitRepository, [repository.git("rev-parse", "main")]);
  await listTree(gitRepository, tree);
  await diffTrees(gitRepository, [{ from: tree, to: tree }]);
  await callGit(gitRepository, ["ls-files", "-o", "--exclude-standard", "-z", "--full-name"]);
  assert.throws(() => statSync(mark), { code: "ENOENT" });
  assert.deepEqual(index(), before);
});

test("errors about untrusted repositories explain how to allow them", () => {
  const gitRepository = { workTree: "/srv/it's", gitDir: "/srv/it's/.git", commonDir: "/srv/it's/.git" };
  const dubious = gitFailure(
    gitRepository,
    ["ls-tree"],
    "fatal: detected dubious ownership in repository at '/srv'",
  );
  assert.equal(dubious.code, "REPOSITORY_NOT_TRUSTED");
  assert.match(dubious.message, /safe\.directory '\/srv\/it'\\''s'$/);
  const bare = gitFailure(
    gitRepository,
    ["ls-tree"],
    "fatal: cannot use bare repository '/srv' (safe.bareRepository is 'explicit')",
  );
  assert.equal(bare.code, "REPOSITORY_NOT_TRUSTED");
  assert.match(
    gitFailure(gitRepository, ["ls-tree"], "no").message,
    /^git ls-tree failed in .*: no The folder does not exist\.$/,
  );
});

test("a folder in a repository is not that repository", async () => {
  const outer = repo("= main: One\na\n| 1");
  const inner = repo("= main: Two\nb\n| 2", { path: join(outer.path, "inner") });
  const gitRepository = gitRepositoryOf(inner);
  writeFileSync(join(inner.path, ".git/HEAD"), "broken");
  await assert.rejects(callGit(gitRepository, ["rev-parse", "HEAD"]), {
    code: "GIT_FAILED",
    message: /not a git repository/,
  });
});
