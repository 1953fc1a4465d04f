/** What requests about history say of a shallow clone, which does not know what its oldest commit has changed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { callerOf, repository, viewOf } from "#test/support/service";

const call = { credentials: { kind: "none" } as const, signal: new AbortController().signal };

test("a shallow clone says that its history is missing, instead of attributing all to one commit", async () => {
  const origin = repo("= main: One\na.txt\n| one\n= main: Two\na.txt\n| two\nb.txt\n| b");
  const path = join(temporaryFolder(), "mirror.git");
  runGit(origin.path, ["clone", "-q", "--bare", "--depth=1", `file://${origin.path}`, path]);
  const caller = callerOf({ repositories: viewOf([repository(1, "m", { path, kind: "bare" })]) });
  const message = /^Repository "m" has no history before [0-9a-f]{10}, because it is a shallow clone\.$/;

  const { items, total, incomplete = "" } = await caller("commits", { repo: "m" }, call);
  assert.deepEqual([items.map((each) => each.message), total], [["Two"], 1]);
  assert.match(incomplete, message);
  for (const filter of [{ path: "b.txt" }, { changedText: "one" }]) {
    const found = await caller("commits", { repo: "m", ...filter }, call);
    assert.deepEqual([found.items, found.total], [[], 0]);
    assert.match(found.incomplete ?? "", message);
  }
  const byAuthor = await caller("commits", { repo: "m", query: "Two" }, call);
  assert.deepEqual([byAuthor.total, message.test(byAuthor.incomplete ?? "")], [1, true]);
  await assert.rejects(caller("blame", { repo: "m", path: "a.txt" }, call), {
    code: "INVALID_GIT_REF",
    message,
  });
  await assert.rejects(caller("authors", { repo: "m" }, call), { code: "INVALID_GIT_REF", message });
  const { source } = await caller("source", { repo: "m", path: "a.txt" }, call);
  assert.equal(source, "two\n");

  runGit(path, ["fetch", "-q", "--unshallow", "origin"]);
  assert.equal((await caller("commits", { repo: "m", path: "a.txt" }, call)).total, 2);
  assert.equal((await caller("blame", { repo: "m", path: "a.txt" }, call)).ranges.length, 1);
});
