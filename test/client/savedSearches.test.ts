import assert from "node:assert/strict";
import { test } from "node:test";
import { SavedSearches } from "#client/search/savedSearches";
import type { SearchState } from "#client/search/searchState";
import { memory } from "#test/support/clientMemory";
import { fileMatch } from "#test/support/fileMatch";

function stateOf(query: string): SearchState {
  return { query, caseSensitivity: "smart", isRegex: false, isWholeWord: false, narrowed: [] };
}

test("searches are listed by name, and one of the same name gives way", async () => {
  const saved = new SavedSearches(memory());
  await saved.save({ name: "b", state: stateOf("1") });
  await saved.save({ name: "a", state: stateOf("2") });
  await saved.save({ name: "b", state: stateOf("3") });
  assert.deepEqual(
    saved.all.map(({ name, state }) => `${name}: ${state.query}`),
    ["a: 2", "b: 3"],
  );
  await saved.remove("b");
  assert.deepEqual(
    saved.all.map(({ name }) => name),
    ["a"],
  );
});

test("news are the matches that were not there the last time", async () => {
  const saved = new SavedSearches(memory());
  const state = stateOf("todo");
  const before = [fileMatch("r", "x.ts", { number: 3, text: "todo: this" })];
  assert.equal(saved.newsIn(state, before), undefined);
  await saved.look(state, before, 1000);
  assert.deepEqual(saved.newsIn(state, before), { count: 0, since: 1000 });
  const moved = fileMatch("r", "x.ts", { number: 9, text: "todo: this" });
  const other = fileMatch("r", "y.ts", { number: 1, text: "todo: this" });
  assert.deepEqual(saved.newsIn(state, [moved, other]), { count: 1, since: 1000 });
  assert.equal(saved.newsIn(stateOf("other"), before), undefined);
});

test("of more matches than are remembered nothing is told", async () => {
  const saved = new SavedSearches(memory());
  const state = stateOf("e");
  const many = Array.from({ length: 2001 }, (_, index) =>
    fileMatch("r", `${index}`, { number: 1, text: "e" }),
  );
  await saved.look(state, many, 1000);
  assert.equal(saved.newsIn(state, many), undefined);
});

test("what is no saved search is passed over", () => {
  const kept = { "trawl.savedSearches": [3, { name: "x" }, { name: "ok", state: stateOf("q") }] };
  assert.deepEqual(
    new SavedSearches(memory(kept)).all.map(({ name }) => name),
    ["ok"],
  );
});
