/** Scans of working trees, relative to HEAD. */
import assert from "node:assert/strict";
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isServiceError } from "#base/error";
import { type BytePath, bytePathFromText } from "#git/bytePath";
import { listTree, rootTrees } from "#git/objects/tree";
import { checkPaths, scanWorkingTree } from "#git/workTree/workingTree";
import { gitRepositoryOf, repo, type TestRepository } from "#test/support/repo";

const history = `
  = main: One
  .gitignore
  | *.log
  | build/
  a
  | a
  b
  | b
  dir/c
  | c
  dir/d
  | d
  link -> dir/c
  "n\\nl"
  | newline
  "\\377"
  | no text
`;

async function baseOf(repository: TestRepository): Promise<Map<BytePath, string>> {
  const gitRepository = gitRepositoryOf(repository);
  const head = repository.git("rev-parse", "-q", "--verify", "HEAD");
  const [tree] = await rootTrees(gitRepository, [head]);
  return new Map((await listTree(gitRepository, tree ?? "")).map(({ path, hash }) => [path, hash]));
}

function treeOf(repository: TestRepository) {
  const gitRepository = gitRepositoryOf(repository);
  assert.ok(gitRepository.workTree);
  return { ...gitRepository, workTree: gitRepository.workTree };
}

async function scan(repository: TestRepository): Promise<string[]> {
  const changes = await scanWorkingTree(treeOf(repository), await baseOf(repository));
  return [...changes].map(([path, change]) => `${change} ${JSON.stringify(path)}`).sort();
}

/** Changes a file without changing its size and times, which are those in git's index. */
function changeUnseen(repository: TestRepository, path: string, content: string): void {
  const { atime, mtime } = statSync(join(repository.path, path));
  repository.write(path, content);
  utimesSync(join(repository.path, path), atime, mtime);
}

const cases: Record<string, { change: (repository: TestRepository) => void; expected: string[] }> = {
  nothing: { change: () => {}, expected: [] },
  "changed, new, ignored and deleted files": {
    change: (repository) => {
      repository.write("a", "changed\n");
      repository.write("new", "new\n");
      repository.write("deep/new", "new\n");
      repository.write("x.log", "ignored\n");
      repository.write("build/x", "ignored\n");
      repository.remove("b");
      repository.remove("dir");
    },
    expected: ["absent b", "absent dir/c", "absent dir/d", "present a", "present deep/new", "present new"],
  },
  "a file rewritten with the same content": {
    change: (repository) => repository.write("a", "a\n"),
    expected: [],
  },
  "a change that keeps size and times": {
    change: (repository) => changeUnseen(repository, "a", "A\n"),
    expected: ["present a"],
  },
  "a new file in place of a deleted one": {
    change: (repository) => {
      repository.remove("dir/c");
      repository.write("dir/new", "new\n");
    },
    expected: ["absent dir/c", "present dir/new"],
  },
  "staged changes": {
    change: (repository) => {
      repository.write("a", "staged\n");
      repository.write("new", "staged\n");
      repository.git("add", "a", "new");
      repository.git("rm", "-q", "b");
      repository.git("rm", "-q", "--cached", "dir/c");
      repository.write("later", "intent\n");
      repository.git("add", "-N", "later");
    },
    expected: ["absent b", "present a", "present dir/c", "present later", "present new"],
  },
  "a staged change that is undone on disk": {
    change: (repository) => {
      repository.write("a", "staged\n");
      repository.git("add", "a");
      repository.write("a", "a\n");
    },
    expected: [],
  },
  "an ignored file that was added by force": {
    change: (repository) => {
      repository.write("x.log", "forced\n");
      repository.git("add", "-f", "x.log");
    },
    expected: ["present x.log"],
  },
  "a file for a link, a link for a file, a link for a folder": {
    change: (repository) => {
      repository.remove("link");
      repository.write("link", "dir/c");
      repository.remove("a");
      symlinkSync("b", join(repository.path, "a"));
      renameSync(join(repository.path, "dir"), join(repository.path, "moved"));
      symlinkSync("moved", join(repository.path, "dir"));
    },
    expected: [
      "absent dir/c",
      "absent dir/d",
      "present a",
      "present dir",
      "present moved/c",
      "present moved/d",
    ],
  },
  "a link to itself, a pipe, and a folder in place of a file": {
    change: (repository) => {
      symlinkSync("loop", join(repository.path, "loop"));
      repository.remove("a");
      mkdirSync(join(repository.path, "a"));
      repository.write("a/inside", "x\n");
    },
    expected: ["absent a", "present a/inside", "present loop"],
  },
  "an unresolved merge": {
    change: (repository) => {
      repository.git("checkout", "-q", "-b", "other");
      repository.write("a", "theirs\n");
      repository.git("commit", "-qam", "Theirs");
      repository.git("checkout", "-q", "main");
      repository.write("a", "ours\n");
      repository.git("commit", "-qam", "Ours");
      assert.throws(() => repository.git("merge", "-q", "other"));
    },
    expected: ["present a"],
  },
  "a sparse checkout": {
    change: (repository) => {
      repository.git("sparse-checkout", "init", "--cone");
      repository.write("a", "changed\n");
    },
    expected: ["present a"],
  },
  "a sparse checkout with a sparse index": {
    change: (repository) => {
      repository.git("sparse-checkout", "init", "--cone", "--sparse-index");
      repository.remove("b");
    },
    expected: ["absent b"],
  },
  "a file written outside of a sparse checkout": {
    change: (repository) => {
      repository.git("sparse-checkout", "init", "--cone");
      repository.write("dir/c", "changed\n");
    },
    expected: ["present dir/c"],
  },
  "a file marked assume-unchanged": {
    change: (repository) => {
      repository.git("update-index", "--assume-unchanged", "a");
      repository.write("a", "changed\n");
    },
    expected: ["present a"],
  },
  "a nested repository": {
    change: (repository) => repo("= main: Two\nx\n| 2", { path: join(repository.path, "nested") }),
    expected: [],
  },
  "no index at all": {
    change: (repository) => repository.remove(".git/index"),
    expected: [],
  },
  "names that are not UTF-8": {
    change: (repository) => {
      writeFileSync(Buffer.from(`${repository.path}/\xff`, "latin1"), "changed\n");
      writeFileSync(Buffer.from(`${repository.path}/\xfe`, "latin1"), "new\n");
    },
    expected: ["present \u00fe", "present \u00ff"],
  },
};

const indexFormats: Record<string, string[]> = {
  "version 2": ["update-index", "--index-version", "2"],
  "version 4": ["update-index", "--index-version", "4"],
  split: ["update-index", "--split-index"],
};

for (const [name, { change, expected }] of Object.entries(cases)) {
  for (const [format, command] of Object.entries(indexFormats)) {
    test(`${name} (index ${format})`, async () => {
      const repository = repo(history);
      repository.git(...command);
      change(repository);
      const wanted = expected
        .map((line) => line.replace(/ (.*)$/s, (_, path) => ` ${JSON.stringify(path)}`))
        .sort();
      assert.deepEqual(await scan(repository), wanted);
    });
  }
}

test("an index that ends early is left to git, which may read the rest or fail", async () => {
  const repository = repo("= main: One\na\n| 1");
  repository.write("new", "1\n");
  repository.git("add", "--intent-to-add", "new");
  const path = join(repository.path, ".git/index");
  const bytes = readFileSync(path);
  assert.equal(bytes.readUInt32BE(4), 3);
  assert.deepEqual(await scan(repository), ['present "new"']);
  // Up to the checksum.
  for (let length = 32; length < bytes.length - 20; length++) {
    writeFileSync(path, bytes.subarray(0, length));
    await scan(repository).catch((error: unknown) => {
      assert.ok(isServiceError(error, "GIT_FAILED"), `${length} bytes: ${error}`);
    });
  }
});

test("a filter named by the repository is not run", async () => {
  const repository = repo("= main: One\n.gitattributes\n| * filter=evil\na\n| 1");
  repository.git("config", "filter.evil.clean", `touch ${repository.path}/ran; cat`);
  repository.write("a", "2\n");
  assert.deepEqual(await scan(repository), ['present "a"']);
});

test("submodules and linked worktrees are scanned", async () => {
  const inner = repo("= main: One\na\n| 1\nb\n| 2");
  const outer = repo("= main: One\nx\n| 1");
  outer.git("submodule", "--quiet", "add", inner.path, "sub");
  outer.write("sub/a", "changed\n");
  assert.deepEqual(await scan(outer), ['present ".gitmodules"']);
  outer.remove("x");
  outer.git("update-index", "--cacheinfo", `160000,${inner.git("rev-parse", "HEAD")},x`);
  assert.deepEqual(await scan(outer), ['absent "x"', 'present ".gitmodules"']);
  const git = (...args: string[]) => outer.git("-C", "sub", ...args);
  const submodule = { ...outer, path: join(outer.path, "sub"), git };
  assert.deepEqual(await scan(submodule), ['present "a"']);
  const path = `${inner.path}-linked`;
  inner.git("worktree", "add", "-q", "-b", "w", path);
  writeFileSync(join(path, "b"), "changed\n");
  assert.deepEqual(await scan({ ...inner, path }), ['present "b"']);
  rmSync(path, { recursive: true });
});

test("single paths are checked after an event", async () => {
  const repository = repo(history);
  repository.git("sparse-checkout", "init", "--cone");
  repository.write("a", "changed\n");
  repository.write("new", "new\n");
  repository.write("x.log", "ignored\n");
  repository.write(":(top)odd", "new\n");
  repository.remove("link");
  const base = await baseOf(repository);
  const paths = ["a", "b", "new", "x.log", "link", "dir/c", "gone", "dir", ":(top)odd"].map(bytePathFromText);
  const changes = await checkPaths(treeOf(repository), (path) => base.get(path), paths);
  assert.deepEqual(Object.fromEntries(changes), {
    a: "present",
    link: "absent",
    new: "present",
    ":(top)odd": "present",
  });
});
