import assert from "node:assert/strict";
import { test } from "node:test";
import { SavedSearches } from "#client/saved/savedSearches";
import type { SearchState } from "#client/search/searchState";
import { fileMatch } from "#test/support/fileMatch";
import { memoryMemento } from "#test/support/memoryMemento";

function stateOf(query: string): SearchState {
  return { query, caseSensitivity: "smart", isRegex: false, isWholeWord: false, narrowed: [] };
}

test("searches are sorted by name, and saving replaces one of the same name", async () => {
  const saved = new SavedSearches(memoryMemento());
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

test("new matches are those that were not found last time", async () => {
  const saved = new SavedSearches(memoryMemento());
  const state = stateOf("todo");
  const before = [fileMatch("r", "x.ts", { number: 3, text: "todo: this" })];
  assert.equal(saved.newMatchesIn(state, before), undefined);
  await saved.markSeen(state, before, 1000);
  assert.deepEqual(saved.newMatchesIn(state, before), { count: 0, since: 1000 });
  const moved = fileMatch("r", "x.ts", { number: 9, text: "todo: this" });
  const other = fileMatch("r", "y.ts", { number: 1, text: "todo: this" });
  assert.deepEqual(saved.newMatchesIn(state, [moved, other]), { count: 1, since: 1000 });
  assert.equal(saved.newMatchesIn(stateOf("other"), before), undefined);
});

test("nothing is reported if there are more matches than are remembered", async () => {
  const saved = new SavedSearches(memoryMemento());
  const state = stateOf("e");
  const many = Array.from({ length: 2001 }, (_, index) =>
    fileMatch("r", `${index}`, { number: 1, text: "e" }),
  );
  await saved.markSeen(state, many, 1000);
  assert.equal(saved.newMatchesIn(state, many), undefined);
});

test("invalid entries are skipped", () => {
  const kept = { "trawl.savedSearches": [3, { name: "x" }, { name: "ok", state: stateOf("q") }] };
  assert.deepEqual(
    new SavedSearches(memoryMemento(kept)).all.map(({ name }) => name),
    ["ok"],
  );
});

test("searches that two computers save at the same time are kept by both", async () => {
  const mementos = [memoryMemento(), memoryMemento()] as const;
  const [one, other] = mementos.map((memento) => new SavedSearches(memento));
  assert.ok(one !== undefined && other !== undefined);
  const key = "trawl.savedSearches";
  /** Replaces the list of one computer by that of another, as Settings Sync does. */
  const synchronize = async (from: number, to: number) => {
    await mementos[to]?.update(key, mementos[from]?.get(key));
    await [one, other][to]?.restore();
  };
  const names = (saved: SavedSearches) => saved.all.map(({ name, state }) => `${name}: ${state.query}`);
  await one.save({ name: "shared", state: stateOf("1") });
  await synchronize(0, 1);
  await one.save({ name: "one", state: stateOf("2") });
  await other.save({ name: "other", state: stateOf("3") });
  await other.remove("shared");
  await synchronize(0, 1);
  assert.deepEqual(names(other), ["one: 2", "other: 3"]);
  await synchronize(1, 0);
  assert.deepEqual(names(one), names(other));
});
