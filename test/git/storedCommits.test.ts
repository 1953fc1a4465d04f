/** Commits that are read from a repository's files are those of `git log`, or are left to git. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { commitFormat, parseCommits } from "#git/history/log";
import { parseMailmap } from "#git/history/mailmap";
import { readStoredCommits, readStoredPage } from "#git/history/storedCommits";
import { refsFingerprint } from "#git/refs/refsFingerprint";
import type { GitRepository } from "#git/repository";
import { mirrorDescription } from "#model/repository";
import { eventually } from "#test/support/eventually";
import { hostileHistory, shallowClone } from "#test/support/history";
import { gitRepositoryOf, repo, runGit, temporaryFolder } from "#test/support/repo";

function gitLog(path: string, ...args: readonly string[]) {
  return parseCommits(runGit(path, ["-c", "mailmap.file=", "log", ...commitFormat, ...args]));
}

function hashesOf(path: string): string[] {
  return runGit(path, ["rev-list", "--all"]).toString().trim().split("\n");
}

/** Waits until refs have not changed for a while: until then, git is asked. */
async function settled(path: string): Promise<GitRepository> {
  const repository = gitRepositoryOf({ path });
  await eventually(() => refsFingerprint(repository));
  return repository;
}

/** Checks that all commits are read from files, and that every page is git's. */
async function checkHistory(path: string): Promise<void> {
  const repository = await settled(path);
  const hashes = hashesOf(path);
  assert.deepEqual(readStoredCommits(repository, hashes), gitLog(path, "--no-walk=unsorted", ...hashes));
  for (const hash of hashes) {
    for (const [skipped, count] of [
      [0, 1],
      [0, 100],
      [2, 3],
      [90, 10],
    ] as const) {
      const args = [`--skip=${skipped}`, `--max-count=${count}`, hash];
      assert.deepEqual(readStoredPage(repository, hash, skipped, count), gitLog(path, ...args));
    }
  }
}

test("histories with merges, equal dates and dates in the wrong order", async () => {
  const commit = fc.record({
    time: fc.integer({ min: 0, max: 6 }),
    parents: fc.array(fc.nat(), { maxLength: 4 }),
  });
  const histories = fc.sample(fc.array(commit, { minLength: 2, maxLength: 20 }), 12);
  const { path } = repo("");
  let first = 0;
  for (const commits of histories) {
    const lines = commits.map(({ time, parents }, at) => {
      const mark = first + at + 1;
      const marks = at === 0 ? [] : new Set(parents.map((parent) => first + (parent % at) + 1));
      return [
        `commit refs/heads/b${mark}\nmark :${mark}\ncommitter A <a@example.com> ${1e9 + time} +0000\ndata 1\nx\n`,
        ...[...marks].map((parent, index) => `${index === 0 ? "from" : "merge"} :${parent}\n`),
      ].join("");
    });
    runGit(
      path,
      ["fast-import", "--quiet", `--export-marks=${path}/marks`, `--import-marks-if-exists=${path}/marks`],
      Buffer.from(lines.join("")),
    );
    first += commits.length;
  }
  runGit(path, ["pack-refs", "--all"]);
  await checkHistory(path);
});

const words = [
  "a",
  "Müller",
  " ",
  "  ",
  "\t",
  "\r",
  "\n",
  "\n\n",
  "\u00a0",
  "\u{1f600}",
  "tree x",
  "-- ",
  ".",
];
const texts = (max: number) =>
  fc.array(fc.constantFrom(...words), { maxLength: max }).map((all) => all.join(""));
const names = (max: number) => texts(max).map((text) => text.replaceAll("\n", ""));
const times = ["86400", "1700000000", "4102444800", "0", "99999999999", "-5", "x", ""];
const offsets = ["+0000", "-0000", "+0530", "-0330", "+1400", "+1500", "+0099", "-7", "", "UTC"];
/** Mostly one of the first values. */
const valuesOf = (values: readonly string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values.slice(0, 3)) }, fc.constantFrom(...values));
const oddities = ["", "", "", "\0", "\ufeff", "\u2028", "<", ">", "\xff", "\n encoding latin1"];

const headers = [
  "",
  "",
  "gpgsig -----\n a\n \n b\n",
  "encoding ISO-8859-1\n",
  "x y\nencoding UTF-8\n",
  "x y\nauthor Eve <e@f> 1700000000 +0000\n",
];

/** Commit objects without their first line. */
const objects = fc
  .record({
    name: names(4),
    email: names(3),
    time: valuesOf(times),
    offset: valuesOf(offsets),
    headers: valuesOf(headers),
    message: texts(12),
    oddity: valuesOf(oddities),
  })
  .map(({ name, email, time, offset, headers, message, oddity }) => {
    const person = `${name} <${email}> ${time} ${offset}`;
    return `author ${person}\ncommitter C${oddity} <c@d> 1700000000 +0100\n${headers}\n${message}${oddity}`;
  });

test("commits with unusual people, times, headers and messages are read as by git, or left to git", async () => {
  const { path } = repo("= main: One\na\n| a");
  const repository = await settled(path);
  const tree = runGit(path, ["rev-parse", "main^{tree}"]).toString().trim();
  let direct = 0;
  let all = 0;
  fc.assert(
    fc.property(objects, (text) => {
      const bytes = Buffer.from(`tree ${tree}\n${text}`, text.includes("\xff") ? "latin1" : "utf8");
      const args = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
      const hash = runGit(path, args, bytes).toString().trim();
      const found = readStoredCommits(repository, [hash]);
      all++;
      if (found === undefined) return;
      direct++;
      assert.deepEqual(found, gitLog(path, "--no-walk=unsorted", hash));
    }),
    { numRuns: 150 },
  );
  assert.ok(direct > all / 4, `Only ${direct} of ${all} were read from files`);
});

test("refs of every kind", async () => {
  const { path, git } = repo(`
    = main: One
    a
    | a
    tag v1
    tag v1.1: An annotated tag
    = main: Two
    a
    | b
    = topic/deep from main: Three
    a
    | c
  `);
  git("tag", "-m", "Of a tag", "nested", "v1.1");
  git("tag", "tree", "main^{tree}");
  git("update-ref", "refs/remotes/origin/main", "main");
  git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
  git("update-ref", "refs/stash", "main");
  git("branch", "z", "v1");
  git("symbolic-ref", "refs/heads/gone", "refs/heads/does-not-exist");
  git("update-ref", "refs/remotes/origin/v1.1", git("rev-parse", "v1.1"));
  git("symbolic-ref", "refs/remotes/origin/tag", "refs/remotes/origin/v1.1");
  await checkHistory(path);
  git("pack-refs", "--all");
  await checkHistory(path);
  git("tag", "-m", "Moved", "-f", "v1.1", "main");
  await checkHistory(path);
  git("checkout", "-q", "topic/deep");
  await checkHistory(path);
  git("checkout", "-q", "--detach");
  await checkHistory(path);
  const linked = join(temporaryFolder(), "linked");
  git("worktree", "add", "-q", linked, "z");
  await checkHistory(linked);
  git("symbolic-ref", "HEAD", "refs/heads/unborn");
  await checkHistory(path);
});

test("unusual refs are read as by git, or left to git", async () => {
  const { path, git, write, remove } = repo("= main: One\na\n| a\ntag v1: A tag\n= main: Two\na\n| b");
  const hashes = hashesOf(path);
  const [head = ""] = hashes;
  const check = async () => {
    const found = readStoredCommits(await settled(path), hashes);
    if (found !== undefined) assert.deepEqual(found, gitLog(path, "--no-walk=unsorted", ...hashes));
    return found !== undefined;
  };
  assert.ok(await check());
  const files = [
    [".git/refs/heads/main 2", `${head}\n`, false],
    [".git/refs/heads/a..b", `${head}\n`, false],
    [".git/refs/heads/.hidden", `${head}\n`, true],
    [".git/refs/heads/x.lock", "", true],
    [".git/refs/heads/ü", `${head}\n`, true],
    [".git/refs/heads/\u{1f600}", `${head}\n`, false],
    [".git/refs/heads/x", `${head} and more\n`, false],
    [".git/refs/heads/x", "", false],
    [".git/refs/heads/x", `${"1".repeat(40)}\n`, false],
    [".git/refs/heads/x", "ref: refs/changes/1\n", false],
    [".git/refs/heads/x", "ref: refs/tags/v1\n", true],
    [".git/refs/changes/1", `${head}\n`, true],
  ] as const;
  for (const [name, content, isRead] of files) {
    write(name, content);
    assert.equal(await check(), isRead, name);
    remove(name);
  }
  // Reading it would never end.
  spawnSync("mkfifo", [join(path, ".git/refs/heads/pipe")]);
  assert.equal(readStoredCommits(await settled(path), hashes), undefined);
  remove(".git/refs/heads/pipe");
  git("update-ref", "refs/pull/1/head", "main");
  for (const target of ["refs/tags/v1", "refs/pull/1/head"]) {
    write(".git/HEAD", `ref: ${target}\n`);
    assert.equal(await check(), false, target);
  }
  write(".git/HEAD", "ref: refs/heads/main\n");
  git("pack-refs", "--all");
  assert.ok(await check());
  write(
    ".git/packed-refs",
    readFileSync(join(path, ".git/packed-refs"), "utf8").replace(" fully-peeled", ""),
  );
  assert.equal(await check(), false);
});

test("a mirror", async () => {
  const { path, git } = hostileHistory({ bare: true });
  const hashes = hashesOf(path);
  const repository = gitRepositoryOf({ path });
  assert.equal(readStoredCommits(repository, hashes), undefined);
  writeFileSync(join(path, mirrorDescription), "{}");
  await checkHistory(path);
  git("update-ref", "refs/heads/main", "v0.1");
  await checkHistory(path);
});

const mailmapParts = [
  "Ann",
  " ",
  "\t",
  "<a@x>",
  "<A@X>",
  "<b@x>",
  "<>",
  "Bob Old",
  "\n",
  "\n",
  "#",
  "\r",
  "é",
];

test("a mailmap of any content", async () => {
  const { path, write } = repo("= main: One\na\n| a");
  const people = ["Ann <a@x>", "bob old <A@x>", "Bob Old <b@x>", "é <a@x>", "É <b@x>"];
  const lines = people.map(
    (person, at) => `commit refs/heads/p${at}\ncommitter ${person} 1700000000 +0000\ndata 1\nx\n`,
  );
  runGit(path, ["fast-import", "--quiet"], Buffer.from(lines.join("")));
  const hashes = hashesOf(path);
  const repository = await settled(path);
  let direct = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...mailmapParts), { maxLength: 16 }), (parts) => {
      write(".mailmap", parts.join(""));
      const found = readStoredCommits(repository, hashes);
      if (found === undefined) return;
      direct++;
      assert.deepEqual(found, gitLog(path, "--no-walk=unsorted", ...hashes));
    }),
    { numRuns: 150 },
  );
  assert.ok(direct > 30, `Only ${direct} were read from files`);
});

test("a long line of a mailmap does not take long", () => {
  assert.equal(parseMailmap(`${" ".repeat(1_000_000)}<<`), undefined);
});

test("other repositories, and too many commits, are left to git", async () => {
  const { path, git } = repo("= main: One\na\n| a\n= main: Two\na\n| b");
  const repository = await settled(path);
  const hashes = hashesOf(path);
  const read = async () => readStoredCommits(await settled(path), hashes);
  assert.equal((await read())?.length, 2);
  assert.equal(readStoredPage(repository, hashes[0] ?? "", 10_000, 50), undefined);
  assert.equal(readStoredCommits(repository, Array(1000).fill(hashes[0])), undefined);
  assert.equal(readStoredCommits(repository, ["0".repeat(40)]), undefined);
  git("replace", hashes[0] ?? "", hashes[1] ?? "");
  assert.equal(await read(), undefined);
  rmSync(join(path, ".git/refs/replace"), { recursive: true });
  for (let at = 0; at < 500; at++) git("update-ref", `refs/heads/many/${at}`, "main");
  assert.equal(await read(), undefined);
  git("pack-refs", "--all");
  assert.equal((await read())?.length, 2);
  const shallow = temporaryFolder();
  shallowClone(path, shallow, 1);
  assert.equal(readStoredCommits(await settled(shallow), hashes.slice(0, 1)), undefined);
});
