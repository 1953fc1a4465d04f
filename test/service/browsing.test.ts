/** Files, trees, blame and branches, compared with git's own output for every commit. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Blame, TreeNode } from "#contract/history";
import type { OperationName } from "#contract/operations";
import type { ResponseOf } from "#contract/service";
import type { Repository } from "#model/repository";
import { History } from "#service/history/history";
import { hostileHistory, importCommits, sampleCommits, shallowClone, spread } from "#test/support/history";
import { projectRoot } from "#test/support/house";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

interface Subject {
  readonly name: string;
  readonly path: string;
  readonly kind: Repository["kind"];
  /** How many of its commits are compared. */
  readonly commits: number;
  /** How many files of a commit are compared; all by default. */
  readonly files?: number;
}

const shallow = temporaryFolder();
const hostile = hostileHistory();
shallowClone(hostile.path, shallow, 4);
const worktree = join(temporaryFolder(), "linked");
hostile.git("worktree", "add", "-q", worktree, "same-name");
const longHashes = temporaryFolder();
runGit(longHashes, ["init", "-q", "--object-format=sha256", "-b", "main"]);
const files = Array.from({ length: 12 }, (_, at) => [`folder ${at % 3}/ä ${at}`, `line\n${at}\n`] as const);
importCommits(longHashes, [
  { on: "main", message: "First", files, annotatedTag: "v1" },
  { on: "main", message: "Second", files: files.map(([name, text]) => [name, `${text}more\n`] as const) },
]);
runGit(longHashes, ["update-ref", "refs/remotes/origin/main", "main~1"]);
runGit(longHashes, ["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
const subjects: readonly Subject[] = [
  { name: "clone", path: hostile.path, kind: "clone", commits: 100 },
  { name: "bare", path: hostileHistory({ bare: true }).path, kind: "bare", commits: 6 },
  { name: "worktree", path: worktree, kind: "clone", commits: 4 },
  { name: "sha256", path: longHashes, kind: "clone", commits: 100 },
  { name: "shallow", path: shallow, kind: "clone", commits: 100 },
  ...(existsSync(join(projectRoot(), ".git"))
    ? [{ name: "own", path: projectRoot(), kind: "clone", commits: 6, files: 40 } as const]
    : []),
];

const repositories = viewOf(
  subjects.map(({ name, path, kind }, at) =>
    repository(at + 1, name, { path, kind, revisions: [], defaultRevision: "refs/heads/main" }),
  ),
);
const history = new History({ repositories });
const caller = callerOf({ repositories, history });
after(() => history.close());

function ask<Name extends OperationName>(name: Name, request: object): Promise<ResponseOf<Name>> {
  const signal = new AbortController().signal;
  return caller(name, request, { credentials: { kind: "local" }, signal });
}

interface TreeEntry {
  readonly mode: string;
  readonly hash: string;
  readonly path: Buffer;
}

function listTree(path: string, commit: string): TreeEntry[] {
  const found: TreeEntry[] = [];
  const output = runGit(path, ["ls-tree", "-r", "-t", "-z", commit]);
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    const tab = output.indexOf(0x09, at);
    const [mode = "", , hash = ""] = output.toString("latin1", at, tab).split(" ");
    found.push({ mode, hash, path: output.subarray(tab + 1, end) });
    at = end + 1;
  }
  return found;
}

for (const subject of subjects) {
  const { name, path } = subject;
  const commits = sampleCommits(path, subject.commits);

  test(`${name}: every file of every commit has the content that git reports`, async () => {
    const contents = new Map<string, string>();
    let compared = 0;
    for (const commit of commits) {
      const entries = listTree(path, commit);
      for (const entry of spread(entries, subject.files ?? entries.length)) {
        const request = { repo: name, path: entry.path.toString("utf8"), ref: commit };
        if (entry.mode === "040000" || entry.mode === "160000") {
          await assert.rejects(ask("source", request), { code: "FILE_NOT_FOUND" });
          continue;
        }
        const response = await ask("source", request);
        assert.equal(response.blobSha, entry.hash);
        assert.equal(response.commit, commit);
        const known = contents.get(entry.hash);
        const expected = known ?? runGit(path, ["cat-file", "blob", entry.hash]).toString("utf8");
        contents.set(entry.hash, expected);
        assert.equal(response.source, expected);
        compared++;
      }
    }
    assert.ok(compared > 10);
  });

  test(`${name}: every tree of every commit has the entries that git lists`, async () => {
    for (const commit of commits) {
      const entries = listTree(path, commit);
      const folders = entries
        .filter(({ mode }) => mode === "040000")
        .map((entry) => entry.path.toString("utf8"));
      const { tree } = await ask("tree", {
        repoName: name,
        revisionName: commit,
        paths: folders.slice(0, 1000),
      });
      const types: Readonly<Record<string, string>> = { "040000": "tree", "160000": "commit" };
      assert.deepEqual(
        flatten(tree).sort(),
        entries.map((entry) => `${types[entry.mode] ?? "blob"} ${entry.path.toString("utf8")}`).sort(),
      );
    }
  });

  test(`${name}: blame is that of git for every line`, async () => {
    const seen = new Set<string>();
    const shallowFile = join(path, ".git/shallow");
    const boundaries = existsSync(shallowFile) ? readFileSync(shallowFile, "utf8") : "";
    let compared = 0;
    for (const commit of commits) {
      const files = listTree(path, commit).filter(({ mode }) => mode.startsWith("100"));
      for (const entry of spread(files, subject.files ? 6 : files.length)) {
        const file = entry.path.toString("utf8");
        const request = { repo: name, path: file, ref: commit };
        if (boundaries.includes(commit)) {
          // Git blames the boundary for all lines.
          await assert.rejects(ask("blame", request), /has no history before/);
          break;
        }
        if (!Buffer.from(file).equals(entry.path)) {
          await assert.rejects(ask("blame", { ...request, ignoreRevs: false }), /is not UTF-8/);
          continue;
        }
        // Most files are the same in most commits: only some of them are compared again.
        const key = `${file} ${entry.hash}`;
        if (seen.has(key) && seen.add(`${key} ${commit}`).size % 7 !== 0) continue;
        seen.add(key);
        const expected = runGit(path, ["blame", "--line-porcelain", commit, "--", file]);
        const response = await ask("blame", { ...request, ignoreRevs: false });
        assert.deepEqual(linesOf(response), linesInGit(expected));
        assert.deepEqual(previousOf(response), previousInGit(expected));
        await checkLineRanges(request, linesOf(response));
        compared++;
      }
    }
    assert.ok(compared > 10);
  });

  test(`${name}: branches and tags are those that git lists`, async () => {
    const format = "%(refname)%00%(objecttype)%00%(*objecttype)";
    const refs = runGit(path, ["for-each-ref", `--format=${format}`, "refs/heads", "refs/tags"])
      .toString("utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("\0"))
      .filter(([, ...types]) => types.every((type) => type !== "tree"))
      .map(
        ([full = ""]) =>
          `${full} ${runGit(path, ["log", "-1", "--format=%H %cI", full, "--"]).toString().trim()}`,
      );
    // A detached HEAD is listed too.
    const head = runGit(path, ["rev-parse", "--symbolic-full-name", "HEAD"]).toString().trim();
    if (head === "HEAD")
      refs.push(`HEAD ${runGit(path, ["log", "-1", "--format=%H %cI"]).toString().trim()}`);
    const { items, total } = await ask("branches", { repo: name, perPage: 100 });
    assert.equal(total, refs.length);
    assert.deepEqual(items.map((item) => `${item.fullName} ${item.commit} ${item.date}`).sort(), refs.sort());
    assert.deepEqual(
      items.filter(({ isDefault }) => isDefault).map(({ fullName }) => fullName),
      [head],
    );
    assert.equal(items[0]?.fullName, head);
  });
}

test("remote-tracking branches are listed on request, between branches and tags", async () => {
  const list = async (request: object) =>
    (await ask("branches", { repo: "sha256", ...request })).items.map(({ name, fullName }) => [
      name,
      fullName,
    ]);
  const [main, remote, tag] = [
    ["main", "refs/heads/main"],
    ["origin/main", "refs/remotes/origin/main"],
    ["v1", "refs/tags/v1"],
  ];
  assert.deepEqual(await list({}), [main, tag]);
  assert.deepEqual(await list({ remotes: true }), [main, remote, tag]);
  assert.deepEqual(await list({ remotes: true, query: "origin" }), [remote]);
  const { hash } = await ask("commit", { repo: "sha256", ref: "refs/remotes/origin/main" });
  assert.equal(hash, runGit(longHashes, ["rev-parse", "main~1"]).toString().trim());
});

test("blame skips ignored revisions by default", async () => {
  const file = ["--", "music/song.txt"];
  const ignoring = runGit(hostile.path, [
    "blame",
    "--line-porcelain",
    "--ignore-revs-file=.git-blame-ignore-revs",
    "main",
    ...file,
  ]);
  const request = { repo: "clone", path: "music/song.txt" };
  assert.deepEqual(linesOf(await ask("blame", request)), linesInGit(ignoring));
  assert.deepEqual(linesOf(await ask("blame", { ...request, ignoreRevs: true })), linesInGit(ignoring));
  const plain = runGit(hostile.path, ["blame", "--line-porcelain", "main", ...file]);
  assert.notDeepEqual(linesInGit(plain), linesInGit(ignoring));
  const white = runGit(hostile.path, ["blame", "--line-porcelain", "-w", "main", ...file]);
  assert.deepEqual(
    linesOf(await ask("blame", { ...request, ignoreRevs: false, ignoreWhitespace: true })),
    linesInGit(white),
  );
  // For a revision without .git-blame-ignore-revs, the file of the default revision applies.
  const before = await ask("blame", { ...request, ref: "main~5" });
  const robot = hostile.git("log", "--format=%H", "--grep=^Reformat everything", "main");
  assert.equal(before.ranges.filter(({ hash }) => hash === robot).length, 0);
});

test("a request can name another file of ignored revisions", async () => {
  const request = { repo: "clone", path: "music/song.txt" };
  const plain = linesOf(await ask("blame", { ...request, ignoreRevs: false }));
  for (const ignoreRevsFile of ["music/song.txt", "no such file", "music", ""]) {
    assert.deepEqual(linesOf(await ask("blame", { ...request, ignoreRevsFile })), plain);
  }
  const named = await ask("blame", { ...request, ignoreRevsFile: "/.git-blame-ignore-revs" });
  assert.notDeepEqual(linesOf(named), plain);
  await assert.rejects(ask("blame", { ...request, ignoreRevsFile: "../up" }), {
    code: "INVALID_QUERY_PARAMS",
  });
});

test("with followMoves, moved lines are attributed to the commit that wrote them", async () => {
  const moved = repo(`
    = main: Write
    one.txt
    | the first of several long lines that stay together
    | the second of several long lines that stay together
    | the third of several long lines that stay together
    | the fourth of several long lines that stay together
    = main: Move
    one.txt
    | nothing
    two.txt
    | the first of several long lines that stay together
    | the second of several long lines that stay together
    | the third of several long lines that stay together
    | the fourth of several long lines that stay together
  `);
  const view = viewOf([repository(1, "moved", { path: moved.path, revisions: [] })]);
  const movedHistory = new History({ repositories: view });
  after(() => movedHistory.close());
  const call = callerOf({ repositories: view, history: movedHistory });
  const signal = new AbortController().signal;
  const wrote = async (request: object) => {
    const response = await call(
      "blame",
      { repo: "moved", path: "two.txt", ...request },
      {
        credentials: { kind: "local" },
        signal,
      },
    );
    return response.ranges.map(
      ({ hash, path, lineCount }) => `${response.commits[hash]?.message} ${path} ${lineCount}`,
    );
  };
  assert.deepEqual(await wrote({}), ["Move two.txt 4"]);
  assert.deepEqual(await wrote({ followMoves: true }), ["Write one.txt 4"]);
});

test("a range of lines outside the file is refused", async () => {
  const request = { repo: "clone", path: "music/song.txt" };
  for (const lines of ["0", "2-1", "-3", "1,2", "9999", "9999-10000"]) {
    await assert.rejects(ask("blame", { ...request, lines }), { code: "INVALID_QUERY_PARAMS" });
  }
});

/** Checks that blame of the first line, and of the second half, is part of the blame of the whole file. */
async function checkLineRanges(
  request: { readonly repo: string; readonly path: string },
  all: readonly string[],
): Promise<void> {
  const middle = Math.ceil(all.length / 2);
  for (const [first, last] of [
    [1, 1],
    [middle, all.length + 5],
  ] as const) {
    if (all.length === 0) continue;
    const found = await ask("blame", { ...request, ignoreRevs: false, lines: `${first}-${last}` });
    assert.deepEqual(linesOf(found, first), all.slice(first - 1, last));
  }
}

function flatten(node: TreeNode): string[] {
  return node.children.flatMap((child) => [`${child.type} ${child.path}`, ...flatten(child)]);
}

/** Returns one line of text for each line of the file. */
function linesOf({ ranges, commits }: Blame, first = 1): string[] {
  let next = first;
  return ranges.flatMap(({ hash, path, startLine, lineCount }) => {
    assert.equal(startLine, next);
    next += lineCount;
    const commit = commits[hash];
    assert.ok(commit);
    const { date, message, authorName, authorEmail } = commit;
    const line = [hash, path, date, message, authorName, authorEmail].join("|");
    return Array.from({ length: lineCount }, () => line);
  });
}

function linesInGit(porcelain: Buffer): string[] {
  const lines: string[] = [];
  const known = new Map<string, Map<string, string>>();
  let hash = "";
  let fields = new Map<string, string>();
  for (const line of porcelain.toString("utf8").split("\n")) {
    const head = /^([0-9a-f]{40,64}) \d+ \d+/.exec(line);
    if (line.startsWith("\t")) {
      known.set(hash, fields);
      const mail = (fields.get("author-mail") ?? "").slice(1, -1);
      const summary = fields.get("summary") === `(${hash})` ? "" : fields.get("summary");
      const name = plain(fields.get("filename") ?? "");
      lines.push([hash, name, dateOf(fields), summary, fields.get("author"), mail].join("|"));
      fields = new Map();
    } else if (head) hash = head[1] ?? "";
    else fields.set(line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1));
  }
  return lines;
}

/** Returns the `previous` commit and path of each commit that has one. */
function previousOf({ commits }: Blame): Record<string, string> {
  const all = Object.entries(commits).flatMap(([hash, { previous }]) =>
    previous === undefined ? [] : [[hash, `${previous.hash} ${previous.path}`]],
  );
  return Object.fromEntries(all);
}

function previousInGit(porcelain: Buffer): Record<string, string> {
  const found = new Map<string, string | undefined>();
  for (const group of porcelain.toString("utf8").split(/^(?=[0-9a-f]{40,64} \d+ \d+)/m)) {
    const hash = group.slice(0, group.indexOf(" "));
    const [, commit, name = ""] = /^previous ([0-9a-f]+) (.*)$/m.exec(group) ?? [];
    if (!found.has(hash)) found.set(hash, commit && `${commit} ${plain(name)}`);
  }
  return Object.fromEntries([...found].filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function plain(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\\([nt"\\])/g, (_, letter: string) => ({ n: "\n", t: "\t" })[letter] ?? letter);
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function dateOf(fields: ReadonlyMap<string, string>): string {
  const zone = fields.get("author-tz") ?? "";
  const minutes = (zone.startsWith("-") ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3)));
  const local = new Date((Number(fields.get("author-time")) + minutes * 60) * 1000).toISOString();
  return `${local.slice(0, 19)}${zone.slice(0, 3)}:${zone.slice(3)}`;
}
