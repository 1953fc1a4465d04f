import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readRefFiles, readRefs } from "#git/refs/refs";
import { chooseRevisions, defaultRevisionSettings, type RevisionSettings } from "#git/refs/revisions";
import { gitRepositoryOf, repo, type TestRepository } from "#test/support/repo";

const history = `
  = main: One
  a
  | 1
  tag old
  = main: Two
  a
  | 2
  tag v1: An annotated one
  = topic/x from main: Three
  b
  | 3
  tag v2: Another
`;

async function chosenNames(
  repository: TestRepository,
  choice: RevisionSettings = defaultRevisionSettings,
): Promise<string[]> {
  const gitRepository = gitRepositoryOf(repository);
  const { revisions, defaultRevision } = await chooseRevisions(
    gitRepository,
    await readRefs(gitRepository),
    choice,
  );
  assert.equal(revisions[0]?.name, defaultRevision);
  return revisions.map(({ name, commit }) => {
    assert.equal(commit, repository.git("rev-parse", `${name}^{commit}`));
    return name.replace("refs/", "");
  });
}

const layouts: Record<string, (repository: TestRepository) => void> = {
  loose: () => {},
  packed: (repository) => repository.git("pack-refs", "--all"),
  "packed and loose": (repository) => {
    repository.git("pack-refs", "--all");
    repository.git("update-ref", "refs/heads/main", "old^{commit}");
    repository.git("tag", "-f", "-a", "-m", "again", "v1", "topic/x");
    repository.git("branch", "new", "main");
  },
};

for (const [name, change] of Object.entries(layouts)) {
  test(`${name} refs equal git's`, async () => {
    const repository = repo(history);
    change(repository);
    const refs = readRefFiles(gitRepositoryOf(repository));
    assert.ok(refs);
    const lines = [...refs.refs].map(([ref, { hash }]) => `${hash} ${ref}`);
    assert.equal(lines.join("\n"), repository.git("for-each-ref", "--format=%(objectname) %(refname)"));
    assert.deepEqual(refs.head, { kind: "branch", name: "refs/heads/main" });
  });
}

test("the default revision comes first, then branches, then the newest tags", async () => {
  const repository = repo(history);
  assert.deepEqual(await chosenNames(repository), [
    "heads/main",
    "heads/topic/x",
    "tags/v2",
    "tags/v1",
    "tags/old",
  ]);
  assert.deepEqual(await chosenNames(repository, { ...defaultRevisionSettings, newestTags: 1 }), [
    "heads/main",
    "heads/topic/x",
    "tags/v2",
  ]);
  assert.deepEqual(await chosenNames(repository, { ...defaultRevisionSettings, newestTags: 0 }), [
    "heads/main",
    "heads/topic/x",
  ]);
  const few = { branches: [], tags: ["old"], newestTags: 5 };
  assert.deepEqual(await chosenNames(repository, few), ["heads/main", "tags/old"]);
  repository.git("pack-refs", "--all");
  assert.deepEqual(await chosenNames(repository, few), ["heads/main", "tags/old"]);
});

test("the default revision follows HEAD, which may be detached or unborn", async () => {
  const repository = repo(history);
  repository.git("checkout", "-q", "--detach", "topic/x");
  assert.deepEqual((await chosenNames(repository))[0], "HEAD");
  repository.git("checkout", "-q", "topic/x");
  assert.deepEqual((await chosenNames(repository))[0], "heads/topic/x");
  repository.git("checkout", "-q", "--orphan", "fresh");
  assert.deepEqual((await chosenNames(repository))[0], "heads/main");
  assert.deepEqual(await chosenNames(repo("")), []);
});

test("tags are peeled, and skipped if they name no commit", async () => {
  const repository = repo(history);
  repository.git("tag", "-a", "-m", "of a tag", "nested", "v2");
  repository.git("tag", "tree", "main^{tree}");
  repository.git("tag", "-a", "-m", "of a blob", "blob", "main:a");
  assert.deepEqual((await chosenNames(repository)).sort(), [
    "heads/main",
    "heads/topic/x",
    "tags/nested",
    "tags/old",
    "tags/v1",
    "tags/v2",
  ]);
});

test("a linked worktree has its own HEAD and the same refs", async () => {
  const repository = repo(history);
  const linked = `${repository.path}-linked`;
  repository.git("worktree", "add", "-q", linked, "topic/x");
  const gitRepository = gitRepositoryOf({ path: linked });
  assert.deepEqual(gitRepository.commonDir, join(repository.path, ".git"));
  const refs = await readRefs(gitRepository);
  assert.deepEqual(refs.head, { kind: "branch", name: "refs/heads/topic/x" });
  assert.equal(refs.refs.size, 5);
  rmSync(linked, { recursive: true });
});

test("symbolic refs are resolved; circular refs and other files are skipped", async () => {
  const repository = repo(history);
  repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
  const heads = join(repository.path, ".git/refs/heads");
  writeFileSync(join(heads, "loop"), "ref: refs/heads/loop\n");
  writeFileSync(join(heads, "empty"), "");
  writeFileSync(join(heads, "half"), "1234567");
  writeFileSync(join(heads, "main.lock"), "1".repeat(40));
  mkdirSync(join(heads, "folder"));
  symlinkSync(".", join(heads, "link"));
  const refs = await readRefs(gitRepositoryOf(repository));
  assert.deepEqual(
    [...refs.refs.keys()],
    [
      "refs/heads/alias",
      "refs/heads/main",
      "refs/heads/topic/x",
      "refs/tags/old",
      "refs/tags/v1",
      "refs/tags/v2",
    ],
  );
  assert.deepEqual(refs.refs.get("refs/heads/alias"), refs.refs.get("refs/heads/main"));
});

test("SHA-256 repositories are supported", async () => {
  const repository = repo("");
  rmSync(join(repository.path, ".git"), { recursive: true });
  repository.git("init", "-q", "-b", "main", "--object-format=sha256");
  repository.write("a", "1\n");
  repository.git("add", ".");
  repository.git("commit", "-q", "-m", "One");
  repository.git("tag", "-a", "-m", "tag", "v1");
  assert.deepEqual(await chosenNames(repository), ["heads/main", "tags/v1"]);
});
