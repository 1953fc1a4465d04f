import assert from "node:assert/strict";
import { test } from "node:test";
import { type HistoryEntry, SearchHistory } from "#client/search/searchHistory";
import type { SearchState } from "#client/search/searchState";
import { memoryMemento } from "#test/support/memoryMemento";

function stateOf(query: string, change: Partial<SearchState> = {}): SearchState {
  return { query, caseSensitivity: "smart", isRegex: false, isWholeWord: false, narrowed: [], ...change };
}

function entryOf(query: string, change: Partial<SearchState> = {}): HistoryEntry {
  const id = `${query} ${JSON.stringify(change)} ${++entries}`;
  return {
    id,
    state: stateOf(query, change),
    ranAt: entries,
    matchCount: 1,
    fileCount: 1,
    isExhaustive: true,
  };
}

let entries = 0;

function queriesOf(history: SearchHistory): string[] {
  return history.entries.map(({ state }) => state.query);
}

async function historyOf(...queries: string[]): Promise<SearchHistory> {
  const history = new SearchHistory(memoryMemento());
  for (const query of queries) await history.add(entryOf(query));
  return history;
}

test("the newest search comes first, and an equal one is not listed twice", async () => {
  const history = await historyOf("one", "two", "one ");
  assert.deepEqual(queriesOf(history), ["one ", "two"]);
  await history.add(entryOf("two", { isRegex: true }));
  await history.add(entryOf("two", { narrowed: ["three"] }));
  assert.deepEqual(queriesOf(history), ["two", "two", "one ", "two"]);
});

test("fifty searches are kept, and evicted ones are returned", async () => {
  const history = await historyOf(...Array.from({ length: 50 }, (_, index) => `q${index}`));
  const evicted = await history.add(entryOf("last"));
  assert.deepEqual(
    evicted.map(({ state }) => state.query),
    ["q0"],
  );
  assert.equal(history.entries.length, 50);
});

test("stored entries are restored, and invalid ones skipped", async () => {
  const shared = memoryMemento();
  const history = new SearchHistory(shared);
  await history.add(entryOf("kept"));
  assert.deepEqual(queriesOf(new SearchHistory(shared)), ["kept"]);
  for (const wrong of [null, "text", [null, 3, { id: "x" }, { ...entryOf("y"), state: { query: 3 } }]]) {
    assert.deepEqual(queriesOf(new SearchHistory(memoryMemento({ "trawl.searchHistory": wrong }))), []);
  }
});

test("Up and Down step through the searches and return to the typed text", async () => {
  const history = await historyOf("one", "two", "three");
  const walk: (string | undefined)[] = [];
  let current = stateOf("typed");
  for (const step of ["older", "older", "older", "older", "newer", "newer", "newer", "newer"] as const) {
    const next = history[step](current);
    walk.push(next?.query);
    current = next ?? current;
  }
  assert.deepEqual(walk, ["three", "two", "one", undefined, "two", "three", "typed", undefined]);
});

test("Up skips what is already in the box", async () => {
  const history = await historyOf("one", "two");
  assert.equal(history.older(stateOf("two"))?.query, "one");
});
