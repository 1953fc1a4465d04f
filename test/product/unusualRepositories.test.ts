/**
 * Unusual repositories: odd, large, broken, hostile, or owned by another user. Search results equal those of git, or the
 * repository is refused with a reason. Trawl never writes to a repository and never runs a command that it configures.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { RepositoryItem } from "#contract/repositories";
import type { FileMatch, SearchResult } from "#contract/search";
import { eventually } from "#test/support/eventually";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { type TrawlOptions, trawl } from "#test/support/trawl";

const isRoot = process.getuid?.() === 0;
const otherUser = 65_534;
/** The search term. */
const word = "needle";
/** Variables that mislead git if a program passes them on. */
const hostileEnvironment = {
  GIT_DIR: "/nowhere",
  GIT_WORK_TREE: "/nowhere",
  GIT_EXTERNAL_DIFF: "/bin/false",
};

/** Returns path, mode, size, times and content of everything below a folder. */
function snapshotOf(folder: string): string[] {
  const lines: string[] = [];
  const visit = (path: Buffer) => {
    const stat = fs.lstatSync(path, { bigint: true });
    const content = stat.isFile()
      ? createHash("sha1").update(fs.readFileSync(path)).digest("hex")
      : stat.isSymbolicLink()
        ? fs.readlinkSync(path, "latin1")
        : "";
    lines.push(
      [path.toString("latin1"), stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs, content].join(" "),
    );
    if (!stat.isDirectory()) return;
    for (const name of fs.readdirSync(path, { encoding: "buffer" }).sort(Buffer.compare)) {
      visit(Buffer.concat([path, Buffer.from("/"), name]));
    }
  };
  visit(Buffer.from(folder));
  return lines;
}

/** Returns lines of a revision that contain the word, as `path:number:text`, in files that can be indexed. */
function gitLines(path: string, revision: string): string[] {
  const listed = runGit(path, ["ls-tree", "-r", "-z", revision]).toString("latin1").split("\0").slice(0, -1);
  const found: string[] = [];
  for (const entry of listed) {
    const [head = "", name = ""] = entry.split("\t", 2);
    const [, type, hash = ""] = head.split(" ");
    if (type !== "blob") continue;
    const content = runGit(path, ["cat-file", "blob", hash]);
    if (content.length > 2 * 1024 * 1024 || content.includes(0)) continue;
    const file = Buffer.from(entry.slice(head.length + 1), "latin1").toString("utf8");
    assert(entry.slice(head.length + 1).startsWith(name));
    for (const [at, line] of content.toString("utf8").split("\n").entries()) {
      if (line.includes(word)) found.push(`${file}:${at + 1}:${line}`);
    }
  }
  return found.sort();
}

/** Returns the same for a search result. */
function foundLines(files: readonly FileMatch[]): string[] {
  const found = new Set<string>();
  for (const { fileName, chunks } of files) {
    for (const { content, contentStart, matchRanges } of chunks) {
      const lines = content.split("\n");
      for (const { start } of matchRanges) {
        found.add(
          `${fileName.text}:${start.lineNumber}:${lines[start.lineNumber - contentStart.lineNumber]}`,
        );
      }
    }
  }
  return [...found].sort();
}

async function search(dataDir: string, query: string, options: TrawlOptions = {}): Promise<SearchResult> {
  const args = ["search", "--json", "--case", "--matches", "100000", "--data-dir", dataDir, query];
  const { stdout, stderr } = await trawl(args, undefined, options);
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout) as SearchResult;
}

async function statusOf(dataDir: string): Promise<ReadonlyMap<string, RepositoryItem>> {
  const { stdout } = await trawl(["status", "--json", "--data-dir", dataDir]);
  const { repositories } = JSON.parse(stdout) as { repositories: RepositoryItem[] };
  return new Map(repositories.map((each) => [each.repoName, each]));
}

const two = `
  = main: One
  a.txt
  | a needle
  sub/b.txt
  | no
  = main: Two
  sub/b.txt
  | another needle
`;

/** Creates a repository at a path; returns the revision that is searched by default, if any. */
type Maker = (path: string) => string | undefined;

const makers: Readonly<Record<string, Maker>> = {
  "no commits"(path) {
    repo("", { path });
    return undefined;
  },
  "an empty commit"(path) {
    repo("= main: Nothing", { path });
    return "main";
  },
  "HEAD is detached"(path) {
    repo(two, { path }).git("checkout", "-q", "--detach", "main~1");
    return "HEAD";
  },
  "HEAD names no branch"(path) {
    repo(two, { path }).git("symbolic-ref", "HEAD", "refs/heads/unborn");
    return "main";
  },
  "500 branches"(path) {
    const branches = Array.from(
      { length: 500 },
      (_, at) => `= b/${at} from main: x\nown.txt\n| needle ${at}\n`,
    );
    repo(`= main: One\na.txt\n| a needle\n${branches.join("")}`, { path });
    return "main";
  },
  "odd names"(path) {
    const names = [
      "a b",
      "q\\\"uote's",
      "new\\nline",
      "tab\\there",
      "back\\\\slash",
      "*?[a].txt",
      ":(top)x",
      "caf\\303\\251",
      "\\377\\376",
      "caf\\351/latin",
      "\\033[31mred",
      "\\360\\237\\221\\215",
      `${"long".repeat(60)}`,
      `${"deep/".repeat(60)}end`,
    ];
    const files = names.map((name, at) => `"${name}"\n| needle ${at}\n`);
    repo(`= main: One\n-dash\n| needle\n${files.join("")}`, { path });
    return "main";
  },
  "odd contents"(path) {
    const repository = repo(
      `
      = main: One
      crlf.txt [crlf]
      | one
      | a needle
      end.txt [no newline]
      | a needle
      bom.txt [hex]
      | ef bb bf 6e 65 65 64 6c 65 0a
      nul.txt [hex]
      | 6e 65 65 64 6c 65 00
      utf16.txt [hex]
      | ff fe 6e 00 65 00 65 00 64 00 6c 00 65 00
      latin.txt [hex]
      | e9 20 6e 65 65 64 6c 65 20 ff 0a
      empty.txt
      `,
      { path },
    );
    repository.write("line2mb.txt", `${"x ".repeat(500_000)}needle${" y".repeat(500_000)}`);
    repository.write("tail.txt", `${"blank line\n".repeat(180_000)}needle`);
    repository.write("large.txt", "needle in 100 MB\n".repeat(Math.ceil(1e8 / 17)));
    repository.git("add", ".");
    repository.git("commit", "-q", "-m", "Large");
    return "main";
  },
  "links in cycles"(path) {
    repo(
      `
      = main: One
      loop -> loop
      ping -> pong
      pong -> ping
      here -> .
      up -> ../..
      out -> /etc/needle
      real/a.txt
      | a needle
      `,
      { path },
    );
    return "main";
  },
  shallow(path) {
    const source = repo(two);
    fs.mkdirSync(path);
    runGit(path, ["clone", "-q", "--depth=1", `file://${source.path}`, "."]);
    runGit(path, ["remote", "remove", "origin"]);
    return "main";
  },
  bare(path) {
    repo(two, { path, bare: true });
    return "main";
  },
  "a linked worktree"(path) {
    const main = repo(two);
    main.git("worktree", "add", "-q", "--detach", path, "main~1");
    return "HEAD";
  },
  'its folder\'s "name"\nhas lines $(HOME)'(path) {
    repo(two, { path });
    return "main";
  },
  packed(path) {
    const repository = repo(`${two}tag v1: One`, { path });
    repository.git("pack-refs", "--all");
    repository.git("gc", "-q");
    return "main";
  },
  sha256(path) {
    fs.mkdirSync(path);
    runGit(path, ["init", "-q", "-b", "main", "--object-format=sha256"]);
    fs.writeFileSync(join(path, "a.txt"), "a needle\n");
    runGit(path, ["add", "."]);
    runGit(path, ["commit", "-q", "-m", "One"]);
    return "main";
  },
};

test("search results equal those of git, and no repository is modified", async (t) => {
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  const revisions = new Map<string, string | undefined>();
  for (const [name, make] of Object.entries(makers)) revisions.set(name, make(join(folder, name)));
  const before = snapshotOf(folder);
  const indexed = await trawl(["index", "--data-dir", dataDir, folder], folder, { env: hostileEnvironment });
  assert.equal(indexed.code, 0, indexed.stderr);
  assert.deepEqual(snapshotOf(folder), before);
  const states = await statusOf(dataDir);
  assert.deepEqual([...states.keys()].sort(), [...revisions.keys()].sort());
  const all = await search(dataDir, word);
  assert.equal(all.isSearchExhaustive, true);

  for (const [name, revision] of revisions) {
    await t.test(name, async () => {
      const path = join(folder, name);
      const status = states.get(name);
      assert.equal(status?.state, "ready", status?.lastError);
      const files = all.files.filter((file) => file.repository === name);
      if (revision === undefined) return assert.deepEqual([files, status?.revisions], [[], []]);
      const commit = runGit(path, ["rev-parse", revision]).toString().trim();
      assert.equal(status?.revisions[0]?.commit, commit);
      assert.deepEqual(foundLines(files), gitLines(path, commit));
      for (const file of files) assert.equal(file.commit, commit);
    });
  }

  await t.test("500 branches: the content of each branch is found", async () => {
    const { files } = await search(dataDir, `file:own.txt ${word} rev:*`);
    assert.deepEqual(
      files.map(({ branches, chunks }) => `${branches} ${chunks[0]?.content}`).sort(),
      Array.from({ length: 500 }, (_, at) => `refs/heads/b/${at} needle ${at}\n`).sort(),
    );
  });

  await t.test("odd names: every file is found by name", async () => {
    const { files } = await search(dataDir, 'repo:"odd names" type:file');
    const names = runGit(join(folder, "odd names"), ["ls-tree", "-r", "-z", "--name-only", "main"]);
    assert.deepEqual(
      files.map(({ fileName }) => fileName.text).sort(),
      names.toString("utf8").split("\0").slice(0, -1).sort(),
    );
  });

  await t.test("odd contents: skipped files are listed with their reasons", async () => {
    const { files } = await search(dataDir, 'repo:"odd contents" type:file');
    assert.equal(files.length, 10);
    const server = await serve(dataDir);
    try {
      const response = await fetch(`${server.url}/api/repos/skipped?repo=odd%20contents`);
      const skipped = (await response.json()) as { path: string; reason: string; sizeBytes?: number }[];
      assert.deepEqual(
        skipped.map(({ path, reason }) => `${path}: ${reason}`),
        ["large.txt: tooLarge", "nul.txt: binary", "utf16.txt: notText"],
      );
    } finally {
      await server.stop();
    }
  });
  assert.deepEqual(snapshotOf(folder), before);
});

test("a submodule is indexed as its own repository", async () => {
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  const inner = repo(two);
  const outer = repo("= main: One\nc.txt\n| needle outside\n", { path: join(folder, "outer") });
  outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.path, "modules/inner");
  outer.git("commit", "-q", "-m", "Submodule");
  const before = snapshotOf(folder);
  const { code, stderr } = await trawl(["index", "--data-dir", dataDir, folder]);
  assert.equal(code, 0, stderr);
  const { files } = await search(dataDir, `${word} -file:gitmodules`);
  assert.deepEqual(files.map(({ repository, fileName }) => `${repository} ${fileName.text}`).sort(), [
    `${[...(await statusOf(dataDir)).keys()].find((name) => name !== "outer")} a.txt`,
    `${[...(await statusOf(dataDir)).keys()].find((name) => name !== "outer")} sub/b.txt`,
    "outer c.txt",
  ]);
  assert.deepEqual(snapshotOf(folder), before);
});

test("a read-only repository is indexed by another user", async (t) => {
  const folder = temporaryFolder();
  const home = temporaryFolder();
  const path = join(folder, "locked");
  repo(two, { path });
  const expected = gitLines(path, "main");
  const everything = [
    path,
    ...fs.readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name)),
  ];
  for (const each of everything.reverse()) {
    if (isRoot) fs.chownSync(each, otherUser, otherUser);
    fs.chmodSync(each, fs.statSync(each).isDirectory() ? 0o500 : 0o400);
  }
  fs.chmodSync(folder, 0o755);
  if (isRoot) fs.chownSync(home, otherUser, otherUser);
  else t.diagnostic("Not root: tested as the current user.");
  const before = snapshotOf(folder);
  const options = { ...(isRoot ? { user: otherUser } : {}), env: { HOME: home } };
  const dataDir = join(home, "data");
  const { code, stderr } = await trawl(["index", "--data-dir", dataDir, path], "/", options);
  assert.equal(code, 0, stderr);
  assert.deepEqual(foundLines((await search(dataDir, word, options)).files), expected);
  assert.deepEqual(snapshotOf(folder), before);
  // What cannot be read is not an empty folder.
  const closed = join(temporaryFolder(), "closed");
  fs.mkdirSync(closed, { mode: isRoot ? 0o700 : 0 });
  fs.chmodSync(dirname(closed), 0o755);
  const refused = await trawl(["index", "--data-dir", dataDir, closed], "/", options);
  assert.deepEqual([refused.code, refused.stderr], [1, `trawl: ${closed} cannot be read.\n`]);
  for (const each of everything.reverse()) fs.chmodSync(each, 0o700);
});

test("a repository of another user is refused with instructions to allow it", async (t) => {
  if (!isRoot) return t.diagnostic("Only root can change the owner of a repository.");
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  repo(two, { path: join(folder, "mine") });
  const { path } = repo(two, { path: join(folder, "their's") });
  for (const each of [path, join(path, ".git")]) fs.chownSync(each, 12_345, 12_345);
  const { code, stdout, stderr } = await trawl(["index", "--data-dir", dataDir, folder]);
  assert.equal(code, 1, stdout);
  const instruction = `git config --global --add safe.directory '${path.replace("'", "'\\''")}'`;
  assert(stderr.includes(instruction), stderr);
  const status = (await statusOf(dataDir)).get("their's");
  assert.equal(status?.state, "failed");
  assert(status?.lastError?.includes(instruction), status?.lastError);
  const { files, stats } = await search(dataDir, word);
  assert.deepEqual([...new Set(files.map(({ repository }) => repository))], ["mine"]);
  assert.equal(stats.flushReason, "INDEXING");
  // The instructions work.
  const home = temporaryFolder();
  fs.writeFileSync(join(home, ".gitconfig"), "");
  runGit(home, ["config", "--file", join(home, ".gitconfig"), "--add", "safe.directory", path]);
  const again = await trawl(["index", "--data-dir", dataDir, folder], undefined, { env: { HOME: home } });
  assert.equal(again.code, 0, again.stderr);
});

/** A git configuration in which everything that git can run is `command`. */
function hostileConfiguration(command: string): string {
  return `
[core]
  fsmonitor = ${command}
  hooksPath = hooks
  sshCommand = ${command}
  pager = ${command}
  editor = ${command}
  askPass = ${command}
  gitProxy = ${command}
  alternateRefsCommand = ${command}
  attributesFile = .gitattributes
[diff]
  external = ${command}
[diff "evil"]
  command = ${command}
  textconv = ${command}
[filter "evil"]
  clean = ${command}
  smudge = ${command}
  process = ${command}
  required = true
[merge "evil"]
  driver = ${command}
[gpg]
  program = ${command}
[log]
  showSignature = true
[credential]
  helper = !${command}
[uploadpack]
  packObjectsHook = ${command}
[protocol]
  allow = always
[protocol "ext"]
  allow = always
[remote "origin"]
  url = ext::${command}
  promisor = true
  partialclonefilter = blob:none
[alias]
  ls-tree = !${command}
  cat-file = !${command}
[extensions]
  partialClone = origin
`;
}

test("no command that a repository configures is run", async (t) => {
  const folder = temporaryFolder();
  const tools = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  const canary = join(tools, "canary");
  const command = join(tools, "run");
  fs.writeFileSync(command, `#!/bin/sh\necho "$0 $@" >> ${canary}\nexit 1\n`, { mode: 0o755 });
  const source = repo(two);
  source.git("config", "uploadpack.allowFilter", "true");
  const plain = repo(`${two}= main: Attributes\n.gitattributes\n| * filter=evil diff=evil merge=evil\n`, {
    path: join(folder, "plain"),
  });
  const partial = join(folder, "partial");
  runGit(folder, ["clone", "-q", "--no-checkout", "--filter=blob:none", `file://${source.path}`, partial]);
  for (const path of [plain.path, partial]) {
    for (const hooksFolder of ["hooks", ".git/hooks"]) {
      for (const hook of [
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
      ]) {
        fs.mkdirSync(join(path, hooksFolder), { recursive: true });
        fs.copyFileSync(command, join(path, hooksFolder, hook));
      }
    }
    fs.appendFileSync(join(path, ".git/config"), hostileConfiguration(command));
  }
  plain.write("a.txt", "a needle that was changed\n");
  plain.write("new.txt", "a new needle\n");
  const before = snapshotOf(folder);
  const server = await serve(dataDir, [folder], { env: hostileEnvironment });
  t.after(() => server.kill());
  assert.doesNotMatch(await server.ready(), /failed/);
  assert.deepEqual(foundLines((await server.search(`repo:plain file:txt ${word}`)).files), [
    "a.txt:1:a needle that was changed",
    "new.txt:1:a new needle",
    "sub/b.txt:1:another needle",
  ]);
  const skipped = await (await fetch(`${server.url}/api/repos/skipped?repo=partial`)).json();
  assert.deepEqual(
    (skipped as { path: string; reason: string }[]).map(({ path, reason }) => `${path}: ${reason}`),
    ["a.txt: missing", "sub/b.txt: missing"],
  );
  assert.deepEqual(snapshotOf(folder), before);
  // Saved files, moved refs and requested revisions do not run it either.
  plain.write("a.txt", "a needle that was saved\n");
  await eventually(async () => (await server.search("saved")).stats.totalMatchCount === 1);
  fs.writeFileSync(join(plain.path, ".git/refs/heads/other"), `${"0".repeat(39)}1\n`);
  fs.writeFileSync(
    join(plain.path, ".git/refs/heads/old"),
    fs.readFileSync(join(plain.path, ".git/refs/heads/main")),
  );
  await eventually(async () => (await server.search(`${word} rev:old`)).files.length > 0);
  await server.search(`repo:plain ${word} rev:main~1`);
  assert.equal((await server.stop()).code, 0);
  assert(!fs.existsSync(canary), fs.existsSync(canary) ? fs.readFileSync(canary, "utf8") : "");
  // Plain git runs it.
  assert.throws(() => plain.git("diff"));
  assert(fs.existsSync(canary));
});

test("a repository that is deleted while it is indexed does not affect others", async (t) => {
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  repo(two, { path: join(folder, "kept") });
  const deleted = repo(two, { path: join(folder, "doomed") });
  for (let file = 0; file < 40; file++) {
    deleted.write(
      `${file}.txt`,
      Array.from({ length: 20_000 }, (_, at) => `line ${at * file} of it\n`).join(""),
    );
  }
  deleted.git("add", ".");
  deleted.git("commit", "-q", "-m", "Large");
  const server = await serve(dataDir, [folder]);
  t.after(() => server.kill());
  const stateOf = async (name: string) =>
    (await server.repositories()).find(({ repoName }) => repoName === name);
  await eventually(async () => (await stateOf("doomed"))?.state === "indexing");
  fs.rmSync(deleted.path, { recursive: true });
  await server.ready();
  assert.equal((await stateOf("kept"))?.state, "ready");
  await eventually(async () => {
    const left = await stateOf("doomed");
    return left === undefined || (left.state === "failed" && left.lastError?.includes("doomed") === true);
  });
  assert.equal((await server.search(`repo:kept ${word}`)).stats.totalMatchCount, 2);
  // The next scan of the folder removes it.
  assert.equal((await trawl(["index", "--data-dir", dataDir, folder])).code, 0);
  assert.equal(await stateOf("doomed"), undefined);
  assert.equal((await server.search(word)).isSearchExhaustive, true);
  const { code, stderr } = await server.stop();
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /defect/);
});

test("a PATH that does not exist or is not a folder is refused", async () => {
  const file = join(temporaryFolder(), "file");
  fs.writeFileSync(file, word);
  const dataDir = join(temporaryFolder(), "data");
  const missing = await trawl(["index", "--data-dir", dataDir, "/no/such/path"]);
  assert.deepEqual([missing.code, missing.stdout], [2, ""]);
  assert.match(missing.stderr, /^trawl: \/no\/such\/path does not exist\.$/m);
  const notFolder = await trawl(["index", "--data-dir", dataDir, file]);
  assert.deepEqual([notFolder.code, notFolder.stdout], [1, ""]);
  assert.match(notFolder.stderr, /^trawl: .*file is not a folder\.$/m);
});
