/**
 * Repositories as they are found: odd, large, broken, hostile, other people's. Each is searched with the answer that
 * git gives, or refused with its reason; none is ever written to, and nothing that one names is run.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RepositoryItem } from "#contract/repositories";
import type { FileMatch, SearchResult } from "#contract/search";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { serve, until } from "#test/support/served";
import { type TrawlOptions, trawl } from "#test/support/trawl";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
/** What is searched for. */
const word = "needle";
/** Variables that lead git astray, where a program passes them on. */
const hostileEnvironment = {
  GIT_DIR: "/nowhere",
  GIT_WORK_TREE: "/nowhere",
  GIT_EXTERNAL_DIFF: "/bin/false",
};

/** Everything below a folder: kind, mode, size, times of writing, and content. */
function recordOf(folder: string): string[] {
  const lines: string[] = [];
  const visit = (place: Buffer) => {
    const stat = fs.lstatSync(place, { bigint: true });
    const content = stat.isFile()
      ? createHash("sha1").update(fs.readFileSync(place)).digest("hex")
      : stat.isSymbolicLink()
        ? fs.readlinkSync(place, "latin1")
        : "";
    lines.push(
      [place.toString("latin1"), stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs, content].join(" "),
    );
    if (!stat.isDirectory()) return;
    for (const name of fs.readdirSync(place, { encoding: "buffer" }).sort(Buffer.compare)) {
      visit(Buffer.concat([place, Buffer.from("/"), name]));
    }
  };
  visit(Buffer.from(folder));
  return lines;
}

/** Lines `path:number:text` with the word, in the documents of a revision that can be indexed. */
function gitLines(path: string, revision: string): string[] {
  const listed = runGit(path, ["ls-tree", "-r", "-z", revision]).toString("latin1").split("\0").slice(0, -1);
  const found: string[] = [];
  for (const entry of listed) {
    const [head = "", name = ""] = entry.split("\t", 2);
    const [, type, hash = ""] = head.split(" ");
    if (type !== "blob") continue;
    const content = runGit(path, ["cat-file", "blob", hash]);
    if (content.length > 2 * 1024 * 1024 || content.includes(0)) continue;
    const where = Buffer.from(entry.slice(head.length + 1), "latin1").toString("utf8");
    assert(entry.slice(head.length + 1).startsWith(name));
    for (const [at, line] of content.toString("utf8").split("\n").entries()) {
      if (line.includes(word)) found.push(`${where}:${at + 1}:${line}`);
    }
  }
  return found.sort();
}

/** The same of an answer. */
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

/** Makes a repository at a path; gives the revision that is searched by default, or none where there is none. */
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
  "links in circles"(path) {
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

test("each is searched as git sees it, and left as it was", async (t) => {
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  const revisions = new Map<string, string | undefined>();
  for (const [name, make] of Object.entries(makers)) revisions.set(name, make(join(folder, name)));
  const before = recordOf(folder);
  const indexed = await trawl(["index", "--data-dir", dataDir, folder], folder, { env: hostileEnvironment });
  assert.equal(indexed.code, 0, indexed.stderr);
  assert.deepEqual(recordOf(folder), before);
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

  await t.test("500 branches: each on its own", async () => {
    const { files } = await search(dataDir, `file:own.txt ${word} rev:*`);
    assert.deepEqual(
      files.map(({ branches, chunks }) => `${branches} ${chunks[0]?.content}`).sort(),
      Array.from({ length: 500 }, (_, at) => `refs/heads/b/${at} needle ${at}\n`).sort(),
    );
  });

  await t.test("odd names: all of them are found by name", async () => {
    const { files } = await search(dataDir, 'repo:"odd names" type:file');
    const names = runGit(join(folder, "odd names"), ["ls-tree", "-r", "-z", "--name-only", "main"]);
    assert.deepEqual(
      files.map(({ fileName }) => fileName.text).sort(),
      names.toString("utf8").split("\0").slice(0, -1).sort(),
    );
  });

  await t.test("odd contents: what is skipped is named with its reason", async () => {
    const { files } = await search(dataDir, 'repo:"odd contents" type:file');
    assert.equal(files.length, 10);
    const server = await serve(dataDir);
    try {
      const answer = await fetch(`${server.url}/api/repos/skipped?repo=odd%20contents`);
      const skipped = (await answer.json()) as { path: string; reason: string; sizeBytes?: number }[];
      assert.deepEqual(
        skipped.map(({ path, reason }) => `${path}: ${reason}`),
        ["large.txt: tooLarge", "nul.txt: binary", "utf16.txt: notText"],
      );
    } finally {
      await server.stop();
    }
  });
  assert.deepEqual(recordOf(folder), before);
});

test("a submodule is a repository of its own", async () => {
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  const inner = repo(two);
  const outer = repo("= main: One\nc.txt\n| needle outside\n", { path: join(folder, "outer") });
  outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.path, "modules/inner");
  outer.git("commit", "-q", "-m", "Submodule");
  const before = recordOf(folder);
  const { code, stderr } = await trawl(["index", "--data-dir", dataDir, folder]);
  assert.equal(code, 0, stderr);
  const { files } = await search(dataDir, `${word} -file:gitmodules`);
  assert.deepEqual(files.map(({ repository, fileName }) => `${repository} ${fileName.text}`).sort(), [
    `${[...(await statusOf(dataDir)).keys()].find((name) => name !== "outer")} a.txt`,
    `${[...(await statusOf(dataDir)).keys()].find((name) => name !== "outer")} sub/b.txt`,
    "outer c.txt",
  ]);
  assert.deepEqual(recordOf(folder), before);
});

test("a folder that may only be read, as another user", async (t) => {
  const folder = temporaryFolder();
  const home = temporaryFolder();
  const path = join(folder, "locked");
  repo(two, { path });
  const expected = gitLines(path, "main");
  const everything = [
    path,
    ...fs.readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name)),
  ];
  for (const place of everything.reverse()) {
    if (isRoot) fs.chownSync(place, nobody, nobody);
    fs.chmodSync(place, fs.statSync(place).isDirectory() ? 0o500 : 0o400);
  }
  fs.chmodSync(folder, 0o755);
  if (isRoot) fs.chownSync(home, nobody, nobody);
  else t.diagnostic("Not root, so that the tests' own user had to do.");
  const before = recordOf(folder);
  const options = { ...(isRoot ? { user: nobody } : {}), env: { HOME: home } };
  const dataDir = join(home, "data");
  const { code, stderr } = await trawl(["index", "--data-dir", dataDir, path], "/", options);
  assert.equal(code, 0, stderr);
  assert.deepEqual(foundLines((await search(dataDir, word, options)).files), expected);
  assert.deepEqual(recordOf(folder), before);
  for (const place of everything.reverse()) fs.chmodSync(place, 0o700);
});

test("somebody else's repository is refused, with the way to allow it", async (t) => {
  if (!isRoot) return t.diagnostic("Only root can give a repository away.");
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  repo(two, { path: join(folder, "mine") });
  const { path } = repo(two, { path: join(folder, "their's") });
  for (const place of [path, join(path, ".git")]) fs.chownSync(place, 12_345, 12_345);
  const { code, stdout, stderr } = await trawl(["index", "--data-dir", dataDir, folder]);
  assert.equal(code, 1, stdout);
  const way = `git config --global --add safe.directory '${path.replace("'", "'\\''")}'`;
  assert(stderr.includes(way), stderr);
  const status = (await statusOf(dataDir)).get("their's");
  assert.equal(status?.state, "failed");
  assert(status?.lastError?.includes(way), status?.lastError);
  const { files, stats } = await search(dataDir, word);
  assert.deepEqual([...new Set(files.map(({ repository }) => repository))], ["mine"]);
  assert.equal(stats.flushReason, "INDEXING");
  // The way leads there.
  const home = temporaryFolder();
  fs.writeFileSync(join(home, ".gitconfig"), "");
  runGit(home, ["config", "--file", join(home, ".gitconfig"), "--add", "safe.directory", path]);
  const again = await trawl(["index", "--data-dir", dataDir, folder], undefined, { env: { HOME: home } });
  assert.equal(again.code, 0, again.stderr);
});

/** Everything that a repository can name for git to run, naming `command`. */
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

test("nothing is run that a repository names", async (t) => {
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
    for (const place of ["hooks", ".git/hooks"]) {
      for (const hook of [
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
      ]) {
        fs.mkdirSync(join(path, place), { recursive: true });
        fs.copyFileSync(command, join(path, place, hook));
      }
    }
    fs.appendFileSync(join(path, ".git/config"), hostileConfiguration(command));
  }
  plain.write("a.txt", "a needle that was changed\n");
  plain.write("new.txt", "a new needle\n");
  const before = recordOf(folder);
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
  assert.deepEqual(recordOf(folder), before);
  // And neither what is saved nor a ref that moves nor a revision that is asked for makes it run.
  plain.write("a.txt", "a needle that was saved\n");
  await until("the saved file found", async () => (await server.search("saved")).stats.totalMatchCount === 1);
  fs.writeFileSync(join(plain.path, ".git/refs/heads/other"), `${"0".repeat(39)}1\n`);
  fs.writeFileSync(
    join(plain.path, ".git/refs/heads/old"),
    fs.readFileSync(join(plain.path, ".git/refs/heads/main")),
  );
  await until("the branch found", async () => (await server.search(`${word} rev:old`)).files.length > 0);
  await server.search(`repo:plain ${word} rev:main~1`);
  assert.equal((await server.stop()).code, 0);
  assert(!fs.existsSync(canary), fs.existsSync(canary) ? fs.readFileSync(canary, "utf8") : "");
  // The trap would have snapped.
  assert.throws(() => plain.git("diff"));
  assert(fs.existsSync(canary));
});

test("a repository that goes while it is indexed", async (t) => {
  const folder = temporaryFolder();
  const dataDir = join(temporaryFolder(), "data");
  repo(two, { path: join(folder, "stays") });
  const goes = repo(two, { path: join(folder, "goes") });
  for (let file = 0; file < 40; file++) {
    goes.write(
      `${file}.txt`,
      Array.from({ length: 20_000 }, (_, at) => `line ${at * file} of it\n`).join(""),
    );
  }
  goes.git("add", ".");
  goes.git("commit", "-q", "-m", "Large");
  const server = await serve(dataDir, [folder]);
  t.after(() => server.kill());
  const stateOf = async (name: string) =>
    (await server.repositories()).find(({ repoName }) => repoName === name);
  await until("indexing", async () => (await stateOf("goes"))?.state === "indexing");
  fs.rmSync(goes.path, { recursive: true });
  await server.ready();
  assert.equal((await stateOf("stays"))?.state, "ready");
  await until(
    "it has failed with its reason, or is forgotten where the folder was looked at since",
    async () => {
      const left = await stateOf("goes");
      return left === undefined || (left.state === "failed" && left.lastError?.includes("goes") === true);
    },
  );
  assert.equal((await server.search(`repo:stays ${word}`)).stats.totalMatchCount, 2);
  // The next look at the folder forgets it.
  assert.equal((await trawl(["index", "--data-dir", dataDir, folder])).code, 0);
  assert.equal(await stateOf("goes"), undefined);
  assert.equal((await server.search(word)).isSearchExhaustive, true);
  const { code, stderr } = await server.stop();
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /defect/);
});

test("a PATH that does not exist, or is no folder", async () => {
  const file = join(temporaryFolder(), "file");
  fs.writeFileSync(file, word);
  const dataDir = join(temporaryFolder(), "data");
  const missing = await trawl(["index", "--data-dir", dataDir, "/no/such/path"]);
  assert.deepEqual([missing.code, missing.stdout], [2, ""]);
  assert.match(missing.stderr, /^trawl: There is nothing at \/no\/such\/path\.$/m);
  const noFolder = await trawl(["index", "--data-dir", dataDir, file]);
  assert.deepEqual([noFolder.code, noFolder.stdout], [1, ""]);
  assert.match(noFolder.stderr, /^trawl: .*file is no folder\.$/m);
});
