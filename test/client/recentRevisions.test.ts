import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentRevisions } from "#client/files/recentRevisions";
import { memory } from "#test/support/clientMemory";

async function recentOf(...chosen: readonly (readonly [repository: string, ref: string])[]) {
  const recent = new RecentRevisions(memory());
  for (const [repository, ref] of chosen) await recent.add(repository, ref);
  return recent;
}

test("the newest comes first, once, and only for its own repository", async () => {
  const recent = await recentOf(["a", "v1"], ["a", "main~2"], ["b", "v9"], ["a", "v1"]);
  assert.deepEqual(recent.of("a"), ["v1", "main~2"]);
  assert.deepEqual(recent.of("b"), ["v9"]);
  assert.deepEqual(recent.of("c"), []);
});

test("five of a repository are kept, and of two hundred in all the newest", async () => {
  const shared = memory();
  const recent = new RecentRevisions(shared);
  for (let index = 0; index < 7; index++) await recent.add("a", `v${index}`);
  assert.deepEqual(new RecentRevisions(shared).of("a"), ["v6", "v5", "v4", "v3", "v2"]);
  for (let index = 0; index < 198; index++) await recent.add(`other ${index}`, "main");
  assert.deepEqual(recent.of("a"), ["v6", "v5"]);
});

test("what is kept and is no revision is passed over", () => {
  const wrong = [null, "v1", {}, { repository: "a", ref: 1 }, { repository: "a", ref: "" }];
  const kept = memory({ "trawl.recentRevisions": [...wrong, { repository: "a", ref: "v2" }] });
  assert.deepEqual(new RecentRevisions(kept).of("a"), ["v2"]);
  assert.deepEqual(new RecentRevisions(memory({ "trawl.recentRevisions": "v1" })).of("a"), []);
});
