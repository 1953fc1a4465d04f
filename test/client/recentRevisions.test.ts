import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentRevisions } from "#client/browse/recentRevisions";
import { memoryMemento } from "#test/support/memoryMemento";

async function recentOf(...chosen: readonly (readonly [repository: string, ref: string])[]) {
  const recent = new RecentRevisions(memoryMemento());
  for (const [repository, ref] of chosen) await recent.add(repository, ref);
  return recent;
}

test("the latest revision comes first, once, and only for its own repository", async () => {
  const recent = await recentOf(["a", "v1"], ["a", "main~2"], ["b", "v9"], ["a", "v1"]);
  assert.deepEqual(recent.of("a"), ["v1", "main~2"]);
  assert.deepEqual(recent.of("b"), ["v9"]);
  assert.deepEqual(recent.of("c"), []);
});

test("the latest five revisions of a repository, and two hundred in all, are kept", async () => {
  const shared = memoryMemento();
  const recent = new RecentRevisions(shared);
  for (let index = 0; index < 7; index++) await recent.add("a", `v${index}`);
  assert.deepEqual(new RecentRevisions(shared).of("a"), ["v6", "v5", "v4", "v3", "v2"]);
  for (let index = 0; index < 198; index++) await recent.add(`other ${index}`, "main");
  assert.deepEqual(recent.of("a"), ["v6", "v5"]);
});

test("invalid stored entries are skipped", () => {
  const wrong = [null, "v1", {}, { repository: "a", ref: 1 }, { repository: "a", ref: "" }];
  const kept = memoryMemento({ "trawl.recentRevisions": [...wrong, { repository: "a", ref: "v2" }] });
  assert.deepEqual(new RecentRevisions(kept).of("a"), ["v2"]);
  assert.deepEqual(new RecentRevisions(memoryMemento({ "trawl.recentRevisions": "v1" })).of("a"), []);
});
