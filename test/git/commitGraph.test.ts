/** Counts from git's commit-graph are those of `git rev-list --count`. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CommitGraph } from "#git/history/commitGraph";
import { repo, runGit, temporaryFolder } from "#test/support/repo";

/** A history with merges of two and of five parents, two roots, and a branch that is not merged. */
function tangled(): string {
  const { path } = repo("");
  const person = "A <a@example.com> 1700000000 +0000";
  const commit = (mark: number, ...parents: readonly number[]) =>
    [
      `commit refs/heads/b${mark}\nmark :${mark}\ncommitter ${person}\ndata 1\n${mark % 10}\n`,
      ...parents.map((parent, at) => `${at === 0 ? "from" : "merge"} :${parent}\n`),
      `M 100644 inline f${mark}\ndata 0\n\n`,
    ].join("");
  const commits = [
    commit(1),
    ...[2, 3, 4, 5, 6].map((mark) => commit(mark, mark === 6 ? 5 : 1)),
    commit(7),
    commit(8, 2, 3, 4, 6, 7),
    commit(9, 8, 5),
    commit(10, 9),
    commit(11, 4, 3, 2),
  ];
  runGit(path, ["fast-import", "--quiet"], Buffer.from(commits.join("")));
  runGit(path, ["commit-graph", "write", "--reachable"]);
  return path;
}

const path = tangled();
const file = join(path, ".git/objects/info/commit-graph");
const hashes = runGit(path, ["rev-list", "--all"]).toString().trim().split("\n");

test("every commit is found, and its ancestors are counted", async () => {
  const graph = await CommitGraph.read(file);
  assert.equal(graph?.size, hashes.length);
  for (const hash of hashes) {
    const position: number = graph?.find(hash) ?? -1;
    const expected = Number(runGit(path, ["rev-list", "--count", hash]));
    assert.equal(await graph?.countReachable([position]), expected, hash);
  }
  const [one = "", other = ""] = hashes.slice(-2);
  const both = [one, other].map((hash) => graph?.find(hash) ?? -1);
  const expected = Number(runGit(path, ["rev-list", "--count", one, other]));
  assert.equal(await graph?.countReachable(both), expected);
  assert.equal(graph?.find("0".repeat(40)), undefined);
  assert.equal(graph?.find("f".repeat(40)), undefined);
  await assert.rejects(graph?.countReachable([hashes.length]) ?? Promise.resolve(), RangeError);
});

test("a damaged, truncated or missing file is rejected", async () => {
  const bytes = readFileSync(file);
  const copy = join(temporaryFolder(), "graph");
  for (let at = 0; at < bytes.length; at += 7) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0x41;
    writeFileSync(copy, damaged);
    assert.equal(await CommitGraph.read(copy), undefined, `byte ${at}`);
    writeFileSync(copy, bytes.subarray(0, at));
    assert.equal(await CommitGraph.read(copy), undefined, `${at} bytes`);
  }
  assert.equal(await CommitGraph.read(`${copy}.missing`), undefined);
});
