/** Diffs, compared with git's: applying the hunks to the old content produces the new content. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangedFile, Hunk } from "#contract/commits";
import type { ResponseOf } from "#contract/service";
import {
  hostileHistory,
  hostileNames,
  importOn,
  ownHistory,
  sampleCommits,
  shallowClone,
  spread,
} from "#test/support/history";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

const hostile = hostileHistory().path;
addHostileContent(hostile);
const bare = hostileHistory({ bare: true }).path;
const shallow = temporaryFolder();
shallowClone(hostile, shallow, 4);
const own = ownHistory();
const renames = repo(`
  = main: First
  a.txt
  | one
  | two
  | three
  | four
  dir/b.txt
  | 1
  | 2
  | 3
  | 4
  dir/c.txt
  | c
  = main: Move
  - a.txt
  moved/a.txt
  | one
  | two
  | three
  | 4
  - dir/b.txt
  b.txt
  | 1
  | 2
  | 3
  | 4
  dir/c.txt
  | C
  = other from :1: Aside
  aside.txt
  | aside
`).path;
const empty = repo("").path;

const histories = { hostile, bare, shallow, renames, ...(own === undefined ? {} : { own }) };
const call = callerOf({
  repositories: viewOf(
    Object.entries({ ...histories, empty }).map(([name, path], at) =>
      repository(at + 1, name, { path, gitDir: `${path}/.git`, defaultRevision: "refs/heads/main" }),
    ),
  ),
});
const context = { credentials: { kind: "local" } as const, signal: new AbortController().signal };

function diff(repo: string, base: string, head: string, more: object = {}): Promise<ResponseOf<"diff">> {
  return call("diff", { repo, base, head, ...more }, context);
}

/** Adds lines and names that look like parts of a patch. */
function addHostileContent(path: string): void {
  const like = [
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +3,4 @@ heading",
    "\\ No newline at end of file",
    "Binary files a/x and b/x differ",
    ":100644 100644 aaaa bbbb M\0x\0",
    "-",
    "+",
    "",
    " ",
    "\r",
  ];
  const text = (lines: readonly string[]) => lines.join("\n").replaceAll("\0", "");
  const names = hostileNames.map((name) => (typeof name === "string" ? name : name.toString("latin1")));
  const files = (end: string) =>
    [...names, "a\ndiff --git a/y b/y\n@@ -1 +1 @@\n-x\n+y", 'b\n:100644 "q"'].map(
      (name) => [`patch/${name}`, text([...like, end, ...like])] as const,
    );
  importOn(path, "main", { on: "main", message: "Lines like a patch", files: files("old") });
  importOn(path, "main", { on: "main", message: "Change them", files: files("new\n") });
  const long = Array.from({ length: 200 }, (_, at) =>
    at % 40 === 0 ? `function f${at}() {` : `  line ${at}`,
  );
  importOn(path, "main", { on: "main", message: "Functions", files: [["f.c", `${long.join("\n")}\n`]] });
  const edited = long.map((line, at) => (at % 40 === 30 ? `${line} edited` : line));
  importOn(path, "main", { on: "main", message: "In functions", files: [["f.c", edited.join("\n")]] });
}

function blob(path: string, commit: string, name: string): Buffer {
  return runGit(path, ["--literal-pathspecs", "cat-file", "blob", `${commit}:${name}`]);
}

/** Without `.` and `$`, which also end a line at a carriage return. */
const hunkLine = /(?<=^|\n)([ +-])([^\n]*)(\n\\ No newline at end of file)?(?=\n|$)/g;

/** Applies hunks to the old content. */
function applyHunks(old: string, hunks: readonly Hunk[]): string {
  const lines = old.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  for (const { oldRange, newRange, body } of hunks) {
    const start = oldRange.lines === 0 ? oldRange.start : oldRange.start - 1;
    result.push(...lines.slice(at, start));
    assert.equal(result.length, newRange.lines === 0 ? newRange.start : newRange.start - 1);
    at = start;
    const before = result.length;
    // The marker for a missing newline comes after the line.
    for (const [, marker, text, isLast] of body.matchAll(hunkLine)) {
      const line = isLast === undefined ? `${text}\n` : text;
      if (marker !== "+") assert.equal(lines[at++], line);
      if (marker !== "-") result.push(line ?? "");
    }
    assert.equal(at - start, oldRange.lines);
    assert.equal(result.length - before, newRange.lines);
  }
  return [...result, ...lines.slice(at)].join("");
}

/** Compares a response with the output of git for each file. */
async function check(name: string, path: string, base: string, head: string): Promise<void> {
  const { files } = await diff(name, base, head);
  const listed = runGit(path, ["diff", "--name-status", "-M", "--ignore-submodules=none", "-z", base, head]);
  assert.deepEqual(files.map(nameOf), expectedNames(listed.toString("utf8").split("\0").slice(0, -1)));
  const added = runGit(path, ["diff", "--numstat", "-M", "--ignore-submodules=none", "-z", base, head]);
  const isBinary = added.toString("utf8").includes("-\t-\t");
  assert.equal(
    files.some((file) => file.isBinary),
    isBinary,
  );
  for (const file of spread(files, 20)) {
    if ([file.oldPath, file.newPath].some((text) => text.includes("\ufffd"))) continue;
    if (file.isBinary) assert.deepEqual(file.hunks, []);
    else
      assert.equal(applyHunks(sideOf(path, base, file, "old"), file.hunks), sideOf(path, head, file, "new"));
  }
}

function sideOf(path: string, commit: string, file: ChangedFile, side: "old" | "new"): string {
  const name = side === "old" ? file.oldPath : file.newPath;
  const mode = side === "old" ? file.oldMode : file.newMode;
  if (name === "/dev/null") return "";
  if (mode !== "160000") return blob(path, commit, name).toString("utf8");
  const hash = runGit(path, ["rev-parse", `${commit}:${name}`])
    .toString()
    .trim();
  return `Subproject commit ${hash}\n`;
}

function nameOf({ oldPath, newPath }: ChangedFile): string {
  return oldPath === newPath ? oldPath : `${oldPath} -> ${newPath}`;
}

function expectedNames(fields: readonly string[]): string[] {
  const names: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const status = fields[at] ?? "";
    const name = fields[at + 1] ?? "";
    if (status === "A") names.push(`/dev/null -> ${name}`);
    else if (status === "D") names.push(`${name} -> /dev/null`);
    else if (status === "T") names.push(`${name} -> /dev/null`, `/dev/null -> ${name}`);
    else if (status.startsWith("R")) names.push(`${name} -> ${fields[++at + 1]}`);
    else names.push(name);
  }
  return names;
}

for (const [name, path] of Object.entries(histories)) {
  test(`${name}: the changes of each commit`, async () => {
    // Differences from the second parent of a merge may be large.
    for (const hash of sampleCommits(path, name === "own" ? 16 : 60)) {
      const parents = runGit(path, ["log", "-1", "--format=%P", hash]).toString().trim();
      for (const parent of parents === "" ? [] : parents.split(" ")) {
        await check(name, path, parent, hash);
        await check(name, path, hash, parent);
      }
    }
  });
}

for (const [name, path] of Object.entries(histories)) {
  test(`${name}: merge bases of all pairs of refs`, async () => {
    const refs = runGit(path, ["for-each-ref", "--format=%(objectname)", "refs/heads", "refs/tags"]);
    const commits = [...new Set(refs.toString().trim().split("\n"))].filter(
      (hash) => runGit(path, ["cat-file", "-t", hash]).toString() !== "tree\n",
    );
    for (const base of commits.slice(0, 7)) {
      for (const head of commits.slice(0, 7)) {
        const ofHead = ancestorsOf(path, head);
        const common = new Set([...ancestorsOf(path, base)].filter((hash) => ofHead.has(hash)));
        if (common.size === 0) {
          await assert.rejects(diff(name, base, head, { mergeBase: true }), { code: "INVALID_GIT_REF" });
          continue;
        }
        const { files, mergeBase = "" } = await diff(name, base, head, { mergeBase: true });
        assert.ok(common.has(mergeBase));
        const later = runGit(path, ["rev-list", "--ancestry-path", base, head, `^${mergeBase}`]);
        assert.deepEqual(
          later
            .toString()
            .split("\n")
            .filter((hash) => common.has(hash)),
          [],
        );
        assert.deepEqual(files, (await diff(name, mergeBase, head)).files);
      }
    }
  });
}

const ancestors = new Map<string, ReadonlySet<string>>();

/** Returns the ancestors of a commit, including itself. */
function ancestorsOf(path: string, commit: string): ReadonlySet<string> {
  const known = ancestors.get(`${path} ${commit}`);
  if (known !== undefined) return known;
  const found = new Set(runGit(path, ["rev-list", commit]).toString().trim().split("\n"));
  ancestors.set(`${path} ${commit}`, found);
  return found;
}

test("a revision has no diff to itself", async () => {
  assert.deepEqual(await diff("hostile", "main", "HEAD"), { files: [] });
});

test("hunk headings are those of git", async () => {
  const { files } = await diff("hostile", "main~1", "main");
  assert.deepEqual(
    files[0]?.hunks.map(({ oldRange, newRange, heading }) => [
      oldRange.start,
      oldRange.lines,
      newRange.start,
      newRange.lines,
      heading,
    ]),
    [
      [28, 7, 28, 7, "function f0() {"],
      [68, 7, 68, 7, "function f40() {"],
      [108, 7, 108, 7, "function f80() {"],
      [148, 7, 148, 7, "function f120() {"],
      [188, 7, 188, 7, "function f160() {"],
      [197, 4, 197, 4, "function f160() {"],
    ],
  );
});

test("a mode change has no hunks, and a type change is a removal and an addition", async () => {
  const { files } = await diff("bare", "v1.0", "v2.0");
  const sides = files
    .filter(({ oldPath, newPath }) => /^(src|latest|data)/.test(oldPath === "/dev/null" ? newPath : oldPath))
    .map(({ oldPath, oldMode, newPath, newMode, isBinary, hunks }) => [
      `${oldPath} ${oldMode} -> ${newPath} ${newMode}${isBinary ? " binary" : ""}`,
      ...hunks.map(({ body }) => body),
    ]);
  assert.deepEqual(sides, [
    ["data.bin 100644 -> data.bin 100644 binary"],
    ["latest 120000 -> /dev/null undefined", "-song.txt\n\\ No newline at end of file"],
    ["/dev/null undefined -> latest 100644", "+now a file"],
    ["src/run.sh 100755 -> src/run.sh 100644"],
  ]);
});

const paths: readonly (readonly [string, readonly string[]])[] = [
  ["a.txt", ["a.txt -> moved/a.txt"]],
  ["moved/a.txt", ["a.txt -> moved/a.txt"]],
  ["moved", ["a.txt -> moved/a.txt"]],
  ["/moved/", ["a.txt -> moved/a.txt"]],
  ["dir", ["dir/b.txt -> b.txt", "dir/c.txt"]],
  ["dir/c.txt", ["dir/c.txt"]],
  ["b.txt", ["dir/b.txt -> b.txt"]],
  ["dir/b.txt", ["dir/b.txt -> b.txt"]],
  ["nowhere", []],
  ["*.txt", []],
  [":(glob)**", []],
  ["", ["dir/b.txt -> b.txt", "dir/c.txt", "a.txt -> moved/a.txt"]],
];

for (const [path, expected] of paths) {
  test(`diff limited to ${JSON.stringify(path)}`, async () => {
    const { files } = await diff("renames", "main~1", "main", { path });
    assert.deepEqual(files.map(nameOf), expected);
    const { files: all } = await diff("renames", "main~1", "main");
    for (const file of files)
      assert.deepEqual(
        file,
        all.find((other) => nameOf(other) === nameOf(file)),
      );
  });
}

test("a diff can be limited to a folder of hostile names", async () => {
  const { files } = await diff("hostile", "main~3", "main~2", { path: "patch" });
  assert.equal(files.length, hostileNames.length + 2);
});

test("a path that is not UTF-8 is found with replacement characters", async () => {
  for (const path of ["latin1-\ufffd.txt", "\ufffd\ufffd/broken-\ufffd.txt"]) {
    const { files } = await diff("bare", "v0.1", "v1.0", { path });
    assert.deepEqual(files.map(nameOf), [`/dev/null -> ${path}`]);
    assert.equal(files[0]?.hunks.length, 1);
  }
});

test("with mergeBase, a diff starts at the merge base", async () => {
  const direct = await diff("renames", "main", "other");
  assert.equal(direct.files.length, 4);
  assert.equal(direct.mergeBase, undefined);
  const { files, mergeBase = "" } = await diff("renames", "main", "other", { mergeBase: true });
  assert.deepEqual(files.map(nameOf), ["/dev/null -> aside.txt"]);
  assert.deepEqual((await diff("renames", mergeBase, "other")).files, files);
});

test("the first commit can be compared with the empty tree", async () => {
  const { files } = await diff("renames", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "main~1");
  assert.deepEqual(files.map(nameOf), [
    "/dev/null -> a.txt",
    "/dev/null -> dir/b.txt",
    "/dev/null -> dir/c.txt",
  ]);
});

test("a partial clone reports missing objects", async () => {
  const source = repo("= main: First\nbig.txt\n| one\n= main: Second\nbig.txt\n| two").path;
  runGit(source, ["config", "uploadpack.allowFilter", "true"]);
  const path = temporaryFolder();
  runGit(path, ["clone", "-q", "--bare", "--filter=blob:none", `file://${source}`, "."]);
  const partial = callerOf({ repositories: viewOf([repository(1, "partial", { path, kind: "bare" })]) });
  await assert.rejects(partial("diff", { repo: "partial", base: "main~1", head: "main" }, context), {
    code: "NOT_FOUND",
    message: /^Repository "partial" is missing .*partial clone/,
  });
});

test("revisions without a common ancestor are refused", async () => {
  await assert.rejects(diff("hostile", "v1.0", "orphan", { mergeBase: true }), {
    code: "INVALID_GIT_REF",
    message: '"v1.0" and "orphan" have no common ancestor.',
  });
});

test("a diff over the limit is refused, but its lines can be counted", async () => {
  const large = repo("= main: First\na\n| a").path;
  const line = `${"0123456789abcdef".repeat(8)}\n`;
  importOn(large, "main", { on: "main", message: "Large", files: [["large", line.repeat(600_000)]] });
  const ask = callerOf({ repositories: viewOf([repository(1, "large", { path: large })]) });
  const before = process.memoryUsage().rss;
  const request = { repo: "large", base: "main~1", head: "main" };
  await assert.rejects(ask("diff", request, context), { code: "ANSWER_TOO_LARGE" });
  const { files } = await ask("diff", { ...request, hunks: false }, context);
  assert.deepEqual(
    files.map(({ newPath, hunks, addedLines, removedLines }) => [newPath, hunks, addedLines, removedLines]),
    [["large", [], 600_000, 0]],
  );
  assert.ok(process.memoryUsage().rss - before < 300 * 1024 * 1024);
});

for (const request of [
  { base: "main", head: "main" },
  { base: "HEAD", head: "HEAD" },
]) {
  test(`a repository without commits has no ${request.base}`, async () => {
    await assert.rejects(diff("empty", request.base, request.head), { code: "INVALID_GIT_REF" });
  });
}
