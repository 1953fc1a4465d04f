/** Reading object files directly returns what git returns, or falls back to git. */
import assert from "node:assert/strict";
import { chmodSync, chownSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { ObjectDatabase } from "#git/objects/objectDatabase";
import { readObjects } from "#git/objects/readObjects";
import { diffTrees, listTree, rootTrees } from "#git/objects/tree";
import { diffTreeFiles, listTreeFiles } from "#git/objects/treeObject";
import type { GitRepository } from "#git/repository";
import { gitRepositoryOf, repo, runGit, type TestRepository, temporaryFolder } from "#test/support/repo";

/** The same repository as a bare one, which only git reads. */
function bareOf({ gitDir, commonDir }: GitRepository): GitRepository {
  return { gitDir, commonDir };
}

const lines = (from: number) => Array.from({ length: 200 }, (_, at) => `| line ${from + at}`).join("\n");

/** Texts and folders that are packed as deltas of each other, and entries of every type that replace one another. */
function history(): TestRepository {
  const repository = repo(`
= main: One
a.txt
${lines(0)}
src/b.txt
${lines(10)}
src/deep/er/c.txt
| three
link -> a.txt
sub => ${"1".repeat(40)}
empty
= main: Two
a.txt
${lines(3)}
- src/deep/er/c.txt
src/deep
| a file now
src.txt
| sorts before the folder
tag v1: A tag
= main: Three
a.txt
${lines(5)}
run.sh [executable]
| x
- empty
- sub
- src/deep
src/deep/d.txt
| a folder again
= main: Four
run.sh
| x
`);
  repository.git("tag", "-a", "-m", "A tag of a tag", "v2", "v1");
  return repository;
}

function packs({ path }: TestRepository, ending = ".pack"): string[] {
  const folder = join(path, ".git/objects/pack");
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

const layouts: Readonly<Record<string, (repository: TestRepository) => void>> = {
  "loose objects": (repository) => assert.deepEqual(packs(repository), []),
  "one pack": (repository) => void repository.git("gc", "-q"),
  "delta bases named by hash": (repository) =>
    void repository.git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq"),
  "several packs and loose objects": (repository) => {
    repository.git("repack", "-dq");
    repository.more("= main: Five\nsrc/b.txt\n| packed later");
    repository.git("repack", "-dq");
    repository.more("= main: Six\nsrc/b.txt\n| loose");
    assert.equal(packs(repository).length, 2);
  },
  "pack offsets of more than 32 bits": (repository) => {
    repository.git("gc", "-q");
    const [pack = ""] = packs(repository);
    const index = pack.replace(/pack$/, "idx");
    chmodSync(index, 0o600);
    runGit(repository.path, ["index-pack", "--index-version=2,0x40", "-o", index, pack]);
  },
};

for (const [name, arrange] of Object.entries(layouts)) {
  test(`${name}: objects, trees and diffs equal git's`, async () => {
    const repository = history();
    arrange(repository);
    const gitRepository = gitRepositoryOf(repository);
    const objects = repository.git(
      "cat-file",
      "--batch-check=%(objecttype) %(objectname)",
      "--batch-all-objects",
    );
    const names = objects.split("\n").map((line) => line.split(" ")[1] ?? "");
    assert.ok(names.length > 20);
    ObjectDatabase.use(gitRepository, (files) => {
      for (const line of objects.split("\n")) {
        const [type, hash = ""] = line.split(" ");
        assert.equal(files?.read(hash, 1_000_000)?.type, type);
      }
      assert.equal(files?.read("2".repeat(40), 1000), undefined);
    });
    const tags = ["v1", "v2"].map((tag) => `${repository.git("rev-parse", tag)}^{commit}`);
    assert.deepEqual(
      await read(gitRepository, [...names, ...tags]),
      await read(bareOf(gitRepository), [...names, ...tags]),
    );

    const commits = repository.git("rev-list", "main").split("\n");
    const trees = await rootTrees(gitRepository, commits);
    assert.deepEqual(trees, await rootTrees(bareOf(gitRepository), commits));
    for (const tree of [...trees, ...commits])
      assert.deepEqual(
        await listTree(gitRepository, tree ?? ""),
        await listTree(bareOf(gitRepository), tree ?? ""),
      );
    const pairs = trees.flatMap((from = "") => trees.map((to = "") => ({ from, to })));
    assert.deepEqual(await diffTrees(gitRepository, pairs), await diffTrees(bareOf(gitRepository), pairs));
    ObjectDatabase.use(gitRepository, (files) => {
      for (const { from, to } of pairs)
        assert.ok(files && listTreeFiles(files, to) && diffTreeFiles(files, from, to));
    });
  });
}

async function read(gitRepository: GitRepository, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  await readObjects(gitRepository, names, 1_000_000, (object) => {
    found.push(
      object.kind === "content"
        ? `${object.type} ${object.hash} ${object.bytes.toString("latin1")}`
        : object.kind,
    );
    return undefined;
  });
  return found;
}

const unsupported: Readonly<Record<string, (repository: TestRepository) => void>> = {
  "a repository format with extensions": (repository) => {
    repository.git("config", "core.repositoryFormatVersion", "1");
    repository.git("config", "extensions.worktreeConfig", "true");
  },
  alternates: (repository) =>
    writeFileSync(join(repository.path, ".git/objects/info/alternates"), `${temporaryFolder()}\n`),
  "replace refs": (repository) => void repository.git("replace", "main", "main~1"),
  "packed replace refs": (repository) => {
    repository.git("replace", "main", "main~1");
    repository.git("pack-refs", "--all");
    rmSync(join(repository.path, ".git/refs/replace"), { recursive: true, force: true });
  },
  "too many packs": (repository) => {
    repository.git("gc", "-q");
    const [pack = ""] = packs(repository, ".idx");
    for (let at = 0; at < 60; at++) writeFileSync(pack.replace(/\.idx$/, `${at}.idx`), readFileSync(pack));
  },
};

for (const [name, arrange] of Object.entries(unsupported)) {
  test(`falls back to git: ${name}`, async () => {
    const repository = history();
    arrange(repository);
    const gitRepository = gitRepositoryOf(repository);
    assert.equal(
      ObjectDatabase.use(gitRepository, (files) => files),
      undefined,
    );
    const commit = repository.git("rev-parse", "main");
    assert.deepEqual(await listTree(gitRepository, commit), await listTree(bareOf(gitRepository), commit));
  });
}

test("falls back to git for bare repositories and those of other users, which it may reject", () => {
  const repository = history();
  assert.ok(ObjectDatabase.use(gitRepositoryOf(repository), (files) => files));
  assert.equal(
    ObjectDatabase.use(bareOf(gitRepositoryOf(repository)), (files) => files),
    undefined,
  );
  if (process.geteuid?.() !== 0) return;
  chownSync(join(repository.path, ".git"), 12345, 12345);
  assert.equal(
    ObjectDatabase.use(gitRepositoryOf(repository), (files) => files),
    undefined,
  );
});

test("a damaged pack or index never results in a wrong object", () => {
  const repository = history();
  repository.git("gc", "-q");
  const gitRepository = gitRepositoryOf(repository);
  const names = repository.git("cat-file", "--batch-check=%(objectname)", "--batch-all-objects").split("\n");
  const readAll = () =>
    ObjectDatabase.use(gitRepository, (files) =>
      names.map((name) => files?.read(name, 100_000)?.bytes.toString("latin1")),
    );
  const whole = readAll();
  assert.ok(whole.every((content) => content !== undefined));
  for (const path of [...packs(repository), ...packs(repository, ".idx")]) {
    const bytes = readFileSync(path);
    chmodSync(path, 0o600);
    const damage = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255), cut: fc.boolean() });
    fc.assert(
      fc.property(damage, ({ at, value, cut }) => {
        const damaged = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
        if (!cut) damaged[at] = value;
        writeFileSync(path, damaged);
        for (const [index, content] of readAll().entries())
          assert.ok(content === undefined || content === whole[index]);
      }),
      { numRuns: 150 },
    );
    writeFileSync(path, bytes);
  }
  assert.deepEqual(readAll(), whole);
});

test("falls back to git for trees with too many folders", () => {
  const repository = repo("");
  const blob = repository.git("hash-object", "-w", "--stdin");
  let tree = mktree(repository, `100644 blob ${blob}\tf\n`);
  for (let depth = 0; depth < 12; depth++) {
    tree = mktree(repository, Array.from("abcdefgh", (name) => `040000 tree ${tree}\t${name}\n`).join(""));
  }
  ObjectDatabase.use(gitRepositoryOf(repository), (files) => {
    assert.ok(files);
    assert.equal(listTreeFiles(files, tree), undefined);
    assert.equal(diffTreeFiles(files, mktree(repository, ""), tree), undefined);
  });
});

function mktree({ path }: TestRepository, entries: string): string {
  return runGit(path, ["mktree"], Buffer.from(entries)).toString("utf8").trim();
}
