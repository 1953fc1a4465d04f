/** Commits that are read from a repository's files are those of `git log`, or are left to git. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { readCommitFiles, readCommitPageFiles } from "#git/history/commitFiles";
import { parseCommits } from "#git/history/log";
import { parseMailmap } from "#git/history/mailmap";
import { mirrorDescription } from "#model/repository";
import { hostileHistory, shallowClone } from "#test/support/history";
import { gitRepositoryOf, repo, runGit, temporaryFolder } from "#test/support/repo";

const fields = ["%H", "%P", "%aI", "%cI", "%aN", "%aE", "%cN", "%cE", "%D", "%s", "%b"];
const named = ["HEAD", "refs/heads/", "refs/remotes/", "refs/tags/"].map((refs) => `--decorate-refs=${refs}`);
const format = ["-z", `--format=${fields.join("%x00")}`, "--encoding=UTF-8", "--decorate=short", ...named];

function gitLog(path: string, ...args: readonly string[]) {
  return parseCommits(runGit(path, ["-c", "mailmap.file=", "log", ...format, ...args]));
}

function hashesOf(path: string): string[] {
  return runGit(path, ["rev-list", "--all"]).toString().trim().split("\n");
}

/** Checks that all commits are read from files, and that every page is git's. */
function checkHistory(path: string): void {
  const repository = gitRepositoryOf({ path });
  const hashes = hashesOf(path);
  assert.deepEqual(readCommitFiles(repository, hashes), gitLog(path, "--no-walk=unsorted", ...hashes));
  for (const hash of hashes) {
    for (const [skipped, count] of [
      [0, 1],
      [0, 100],
      [2, 3],
      [90, 10],
    ] as const) {
      const args = [`--skip=${skipped}`, `--max-count=${count}`, hash];
      assert.deepEqual(readCommitPageFiles(repository, hash, skipped, count), gitLog(path, ...args));
    }
  }
}

test("histories with merges, equal dates and dates in the wrong order", () => {
  const commit = fc.record({
    time: fc.integer({ min: 0, max: 6 }),
    parents: fc.array(fc.nat(), { maxLength: 4 }),
  });
  const histories = fc.array(commit, { minLength: 2, maxLength: 20 });
  fc.assert(
    fc.property(histories, (commits) => {
      const { path } = repo("");
      const lines = commits.map(({ time, parents }, at) => {
        const marks = [...new Set(parents.map((parent) => (at === 0 ? 0 : (parent % at) + 1)))];
        return [
          `commit refs/heads/b${at}\nmark :${at + 1}\ncommitter A <a@example.com> ${1e9 + time} +0000\ndata 1\nx\n`,
          ...marks.filter(Boolean).map((mark, index) => `${index === 0 ? "from" : "merge"} :${mark}\n`),
        ].join("");
      });
      runGit(path, ["fast-import", "--quiet"], Buffer.from(lines.join("")));
      checkHistory(path);
    }),
    { numRuns: 4 },
  );
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

/** Commit objects without their first line. */
const objects = fc
  .record({
    name: names(4),
    email: names(3),
    time: valuesOf(times),
    offset: valuesOf(offsets),
    headers: fc.constantFrom(
      "",
      "gpgsig -----\n a\n \n b\n",
      "encoding ISO-8859-1\n",
      "x y\nencoding UTF-8\n",
    ),
    message: texts(12),
    oddity: valuesOf(oddities),
  })
  .map(({ name, email, time, offset, headers, message, oddity }) => {
    const person = `${name} <${email}> ${time} ${offset}`;
    return `author ${person}\ncommitter C${oddity} <c@d> 1700000000 +0100\n${headers}\n${message}${oddity}`;
  });

test("commits with unusual persons, times, headers and messages are read as by git, or left to git", () => {
  const { path } = repo("= main: One\na\n| a");
  const repository = gitRepositoryOf({ path });
  const tree = runGit(path, ["rev-parse", "main^{tree}"]).toString().trim();
  let direct = 0;
  let all = 0;
  fc.assert(
    fc.property(objects, (text) => {
      const bytes = Buffer.from(`tree ${tree}\n${text}`, text.includes("\xff") ? "latin1" : "utf8");
      const args = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
      const hash = runGit(path, args, bytes).toString().trim();
      const found = readCommitFiles(repository, [hash]);
      all++;
      if (found === undefined) return;
      direct++;
      assert.deepEqual(found, gitLog(path, "--no-walk=unsorted", hash));
    }),
    { numRuns: 150 },
  );
  assert.ok(direct > all / 4, `Only ${direct} of ${all} were read from files`);
});

test("names of refs of every kind", () => {
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
  checkHistory(path);
  git("pack-refs", "--all");
  checkHistory(path);
  git("tag", "-m", "Moved", "-f", "v1.1", "main");
  checkHistory(path);
  git("checkout", "-q", "topic/deep");
  checkHistory(path);
  git("checkout", "-q", "--detach");
  checkHistory(path);
  const linked = join(temporaryFolder(), "linked");
  git("worktree", "add", "-q", linked, "z");
  checkHistory(linked);
  git("symbolic-ref", "HEAD", "refs/heads/unborn");
  checkHistory(path);
});

test("a mirror", () => {
  const { path, git } = hostileHistory({ bare: true });
  const hashes = hashesOf(path);
  const repository = gitRepositoryOf({ path });
  assert.equal(readCommitFiles(repository, hashes), undefined);
  writeFileSync(join(path, mirrorDescription), "{}");
  checkHistory(path);
  git("update-ref", "refs/heads/main", "v0.1~0");
  checkHistory(path);
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

test("a mailmap of any content", () => {
  const { path, write } = repo("= main: One\na\n| a");
  const repository = gitRepositoryOf({ path });
  const people = ["Ann <a@x>", "bob old <A@x>", "Bob Old <b@x>", "é <a@x>", "É <b@x>"];
  const lines = people.map(
    (person, at) => `commit refs/heads/p${at}\ncommitter ${person} 1700000000 +0000\ndata 1\nx\n`,
  );
  runGit(path, ["fast-import", "--quiet"], Buffer.from(lines.join("")));
  const hashes = hashesOf(path);
  let direct = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...mailmapParts), { maxLength: 16 }), (parts) => {
      write(".mailmap", parts.join(""));
      const found = readCommitFiles(repository, hashes);
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

test("other repositories, and too many commits, are left to git", () => {
  const { path, git } = repo("= main: One\na\n| a\n= main: Two\na\n| b");
  const repository = gitRepositoryOf({ path });
  const hashes = hashesOf(path);
  const read = () => readCommitFiles({ ...repository }, hashes);
  assert.equal(read()?.length, 2);
  assert.equal(readCommitPageFiles(repository, hashes[0] ?? "", 10_000, 50), undefined);
  assert.equal(readCommitFiles(repository, Array(1000).fill(hashes[0])), undefined);
  assert.equal(readCommitFiles(repository, ["0".repeat(40)]), undefined);
  git("replace", hashes[0] ?? "", hashes[1] ?? "");
  assert.equal(read(), undefined);
  rmSync(join(path, ".git/refs/replace"), { recursive: true });
  for (let at = 0; at < 300; at++) git("update-ref", `refs/heads/many/${at}`, "main");
  assert.equal(read(), undefined);
  git("pack-refs", "--all");
  assert.equal(read()?.length, 2);
  const shallow = temporaryFolder();
  shallowClone(path, shallow, 1);
  assert.equal(readCommitFiles(gitRepositoryOf({ path: shallow }), hashes.slice(0, 1)), undefined);
});
