import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { discover } from "#git/discover";
import { findGitRepository } from "#git/repository";
import { repo, runGit, temporaryFolder } from "#test/support/repo";

const one = "= main: One\na\n| 1";

async function found(root: string): Promise<string[]> {
  const { repositories } = await discover(root);
  return repositories.map(({ kind, path }) => `${kind} ${relative(root, path) || "."}`);
}

test("clones, bare repositories and nested ones are found, to a depth of four", async () => {
  const root = temporaryFolder();
  for (const path of ["a", "b/c", "b/c/nested", "1/2/3/4", "1/2/3/4/5", "node_modules/x"])
    repo(one, { path: join(root, path) });
  repo(one, { path: join(root, "m.git"), bare: true });
  mkdirSync(join(root, "empty"));
  writeFileSync(join(root, "file"), "");
  assert.deepEqual(await found(root), [
    "clone 1/2/3/4",
    "clone a",
    "clone b/c",
    "clone b/c/nested",
    "bare m.git",
  ]);
  assert.deepEqual(await found(join(root, "a")), ["clone ."]);
  assert.deepEqual(await found(join(root, "m.git")), ["bare ."]);
  assert.deepEqual(await found(join(root, "a/.git")), ["clone .."]);
  assert.deepEqual(await found(join(root, "empty")), ["folder ."]);
});

test("a clone and its worktrees are one repository", async () => {
  const root = temporaryFolder();
  const main = repo(one, { path: join(root, "z-main") });
  main.git("worktree", "add", "-q", "-b", "w", join(root, "a-linked"));
  assert.deepEqual(await found(root), ["clone z-main"]);
  assert.deepEqual(await found(join(root, "a-linked")), ["clone ."]);
});

test("a bare repository and its worktrees are one repository", async () => {
  const root = temporaryFolder();
  const bare = repo(one, { path: join(root, "r.git"), bare: true });
  bare.git("worktree", "add", "-q", join(root, "a-linked"), "main");
  assert.deepEqual(await found(root), ["bare r.git"]);
});

test("submodules are found once each, at any depth", async () => {
  const root = temporaryFolder();
  const inner = repo(one);
  const outer = repo(one, { path: join(root, "outer") });
  outer.git("submodule", "--quiet", "add", inner.path, "deep/er/than/four/folders/sub");
  outer.git("submodule", "--quiet", "add", inner.path, "near");
  assert.deepEqual(await found(root), [
    "clone outer",
    "clone outer/deep/er/than/four/folders/sub",
    "clone outer/near",
  ]);
});

test("links, loops, unreadable folders, and folders that only look like repositories are skipped", async () => {
  const root = temporaryFolder();
  repo(one, { path: join(root, "real") });
  symlinkSync("..", join(root, "real/loop"));
  symlinkSync(join(root, "real"), join(root, "alias"));
  symlinkSync("self", join(root, "self"));
  for (const [path, content] of [
    ["broken", "gitdir: /nowhere\n"],
    ["loops", "gitdir: .git\n"],
    ["empty", ""],
    ["garbage", "\0\0\0"],
  ] as const) {
    mkdirSync(join(root, path));
    writeFileSync(join(root, path, ".git"), content);
  }
  mkdirSync(join(root, "half/.git/objects"), { recursive: true });
  mkdirSync(join(root, "closed"));
  chmodSync(join(root, "closed"), 0);
  assert.deepEqual(await found(root), ["clone real"]);
  assert.deepEqual(
    await found(join(root, "alias")),
    ["clone ."].map(() => `clone ${relative(join(root, "alias"), join(root, "real"))}`),
  );
  chmodSync(join(root, "closed"), 0o700);
  await assert.rejects(discover(join(root, "nowhere")), { code: "NOT_FOUND" });
  await assert.rejects(discover(join(root, "broken/.git")), { code: "NOT_FOUND" });
});

test("a .gitmodules file cannot lead out of its repository", async () => {
  const root = temporaryFolder();
  repo(one, { path: join(root, "outside") });
  const inside = repo(one, { path: join(root, "in/side") });
  inside.write(
    ".gitmodules",
    '[submodule "x"]\npath = ../../outside\n[submodule "y"]\npath = /\n[submodule "z"]\npath = .\n',
  );
  assert.deepEqual(await found(join(root, "in")), ["clone side"]);
});

test("a moved worktree and a repository in a folder named .git are found", async () => {
  const root = temporaryFolder();
  const main = repo(one, { path: join(root, "main") });
  main.git("worktree", "add", "-q", "-b", "w", join(root, "linked"));
  renameSync(join(root, "linked"), join(root, "moved"));
  assert.deepEqual(await found(join(root, "moved")), ["clone ."]);
  mkdirSync(join(root, "hub"));
  runGit(join(root, "hub"), ["init", "-q", "--bare", ".git"]);
  assert.deepEqual(await found(join(root, "hub")), ["bare .git"]);
  assert.equal(findGitRepository(join(root, "hub"))?.workTree, undefined);
});
