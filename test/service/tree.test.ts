import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { TreeNode } from "#contract/history";
import type { CallContext } from "#contract/service";
import { History } from "#service/history/history";
import { CodeFiles } from "#service/navigation/codeFiles";
import { hostileHistory } from "#test/support/history";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { repository, serviceOf, viewOf } from "#test/support/service";

const clone = repo(`
  = main: First
  Zed/inner.txt
  | z
  alpha/deep/er/file.txt
  | a
  alpha/b.txt
  | b
  README.md
  | r
  beta.txt
  | b
  Éclair.txt
  | e
  eclipse.txt
  | e
  link -> alpha
  module => 1234567890123456789012345678901234567890
`);
const folder = temporaryFolder();
for (const name of ["sub/inner", ".git/objects", "sub/.hg"])
  mkdirSync(join(folder, name), { recursive: true });
for (const name of ["b.txt", "A.txt", "sub/inner/x", ".git/config"]) writeFileSync(join(folder, name), "x");
symlinkSync("/etc", join(folder, "way out"));
const repositories = viewOf([
  repository(1, "clone", { path: clone.path }),
  repository(2, "folder", { path: folder, kind: "folder" }),
  repository(3, "empty", { path: repo().path, revisions: [] }),
  repository(4, "hostile", { path: hostileHistory().path }),
]);
const history = new History({ repositories });
const service = serviceOf({ repositories, history });
after(() => history.close());

const context: CallContext = {
  actor: { kind: "local" },
  deadline: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
};

/** Prints a tree: entries of open folders in brackets, `/` after other folders, `=>` after submodules. */
async function printTree(
  repoName: string,
  paths: readonly string[] = [],
  revisionName = "HEAD",
): Promise<string> {
  const { tree } = await service.tree({ repoName, revisionName, paths: [...paths] }, context);
  assert.deepEqual([tree.type, tree.name, tree.path], ["tree", "root", ""]);
  return printNode(tree, "");
}

function printNode(node: TreeNode, path: string): string {
  const items = node.children.map((child) => {
    const childPath = path === "" ? child.name : `${path}/${child.name}`;
    assert.equal(child.path, childPath);
    if (child.children.length > 0) return `${child.name}[${printNode(child, childPath)}]`;
    return child.name + { tree: "/", blob: "", commit: "=>" }[child.type];
  });
  return items.join(" ");
}

const closed = "beta.txt Éclair.txt eclipse.txt link module=> README.md";
const rows: readonly [paths: readonly string[], expected: string][] = [
  [[], `alpha/ Zed/ ${closed}`],
  [["", "/"], `alpha/ Zed/ ${closed}`],
  [["Zed"], `alpha/ Zed[inner.txt] ${closed}`],
  [["/alpha/", "Zed/"], `alpha[deep/ b.txt] Zed[inner.txt] ${closed}`],
  [["alpha/deep/er"], `alpha[deep[er[file.txt]] b.txt] Zed/ ${closed}`],
  [
    ["alpha/deep/er/file.txt/x", "nothing/at/all", "README.md"],
    `alpha[deep[er[file.txt]] b.txt] Zed/ ${closed}`,
  ],
  [["link/deep", "module/x", "ALPHA", "."], `alpha/ Zed/ ${closed}`],
];

for (const [paths, expected] of rows) {
  test(`tree with ${JSON.stringify(paths)} open`, async () =>
    assert.equal(await printTree("clone", paths), expected));
}

test("the tree of a plain folder has no ignored files, and links are not followed", async () => {
  assert.equal(await printTree("folder"), "sub/ A.txt b.txt way out");
  assert.equal(
    await printTree("folder", ["sub/inner", ".git", "way out", "way out/ssl"]),
    "sub[inner[x]] A.txt b.txt way out",
  );
});

test("a file of a plain folder is read from disk", async () => {
  const source = (path: string) => service.source({ repo: "folder", path, encoding: "utf-8" }, context);
  const { source: text, commit, blobSha } = await source("b.txt");
  assert.deepEqual([text, commit, blobSha], ["x", "", clone.git("hash-object", join(folder, "b.txt"))]);
  assert.equal((await source("way out")).source, "/etc");
  for (const path of [".git/config", "way out/passwd", "sub", "nothing", ""]) {
    await assert.rejects(source(path), { code: "FILE_NOT_FOUND" });
  }
});

test("code in a plain folder is that on disk, or that of an unsaved document", async () => {
  const codeFiles = new CodeFiles({ history, repositories, languageOf: () => "" });
  const read = (path: string, open: Partial<CallContext> = {}) => {
    const calling = { ...context, ...open };
    return codeFiles.read(codeFiles.find({ repo: "folder", path, column: 1 }, calling), calling);
  };
  assert.equal((await read("b.txt")).origin, "workingTree");
  const link = join(temporaryFolder(), "link");
  symlinkSync(folder, link);
  for (const root of [folder, link]) {
    const unsaved = [{ path: join(root, "b.txt"), text: "unsaved", version: "1" }];
    const { origin, content } = await read("b.txt", { unsaved });
    assert.deepEqual([origin, content.toString()], ["unsaved", "unsaved"]);
  }
  await assert.rejects(read("nothing"), { code: "FILE_NOT_FOUND" });
});

test("a repository without commits has an empty root", async () => {
  assert.equal(await printTree("empty"), "");
  await assert.rejects(printTree("empty", [], "main"), { code: "INVALID_GIT_REF" });
});

test("folders whose names are not UTF-8 can be opened", async () => {
  const names = await printTree("hostile", ["\ufffd\ufffd", "café"]);
  assert.ok(names.includes("\ufffd\ufffd[broken-\ufffd.txt]"), names);
  assert.ok(names.includes("café[ünïcode \u{1f600}.txt]"), names);
  const { source } = await service.source(
    { repo: "hostile", path: "\ufffd\ufffd/broken-\ufffd.txt", encoding: "utf-8" },
    context,
  );
  assert.match(source, /^first /);
});

test("a tree bomb is refused", async () => {
  const bomb = repo("= main: First\na\n| a\n");
  let inner = bomb.git("rev-parse", "main^{tree}");
  for (let level = 0; level < 12; level++) {
    const lines = Array.from({ length: 200 }, (_, at) => `040000 tree ${inner}\tfolder${at}\n`);
    inner = runGit(bomb.path, ["mktree"], Buffer.from(lines.join("")))
      .toString()
      .trim();
  }
  bomb.git("update-ref", "refs/heads/main", bomb.git("commit-tree", inner, "-m", "No end"));
  const ask = serviceOf({ repositories: viewOf([repository(1, "bomb", { path: bomb.path })]) });
  const paths = Array.from({ length: 1000 }, (_, at) =>
    Array.from({ length: 12 }, (__, level) => `folder${Math.floor(at * (level + 1.37)) % 200}`).join("/"),
  );
  const tree = (some: readonly string[]) =>
    ask.tree({ repoName: "bomb", revisionName: "HEAD", paths: [...some] }, context);
  assert.equal((await tree(paths.slice(0, 1))).tree.children.length, 200);
  await assert.rejects(tree(paths), { code: "ANSWER_TOO_LARGE", message: /67108864/ });
});
