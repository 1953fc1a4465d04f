/** The Results view between searches and VS Code: when it refreshes, and what it selects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ResultsTree } from "#client/results/resultsTree";
import type { ResultSet } from "#client/search/resultSet";
import type { FileMatch } from "#contract/search";
import { memoryMemento } from "#test/support/memoryMemento";
import { found, set } from "#test/support/resultRows";
import { EventEmitter } from "#test/support/vscode";

function treeOf() {
  const changed = new EventEmitter();
  const silent = { onChange: new EventEmitter().event };
  const searches = {
    current: undefined as ResultSet | undefined,
    isRunning: false,
    pinned: [],
    onChange: changed.event,
  };
  const tree = new ResultsTree({
    searches,
    locations: silent,
    repositories: silent,
    suggestions: { ...silent, message: "", description: "", rows: [] },
    memento: memoryMemento(),
    searchView: silent,
    tooltip: async () => undefined,
  } as never);
  return { tree, searches, change: () => changed.fire() };
}

test("commands use results that the rows do not show yet", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { tree, searches, change } = treeOf();
  const countAfter = (files: readonly FileMatch[]) => {
    searches.current = set(files);
    change();
    return [...(tree.latest()?.files() ?? [])].length;
  };
  assert.equal(countAfter([found("one", "a", [1])]), 1);
  assert.equal(countAfter([found("one", "a", [1]), found("two", "b", [1])]), 2);
});

test("refreshes leave the pause that VS Code needs to draw the rows", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { tree, change } = treeOf();
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const times: number[] = [];
  tree.onDidChangeTreeData(() => times.push(now));
  for (; now < 2000; now += 10) {
    change();
    t.mock.timers.tick(10);
  }
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.ok(pauses.length >= 4 && pauses.length <= 8, `${pauses}`);
  assert.ok(Math.min(...pauses) > 200, `${pauses}`);
});
