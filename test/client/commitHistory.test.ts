/** Commits, filters and changed files as the history views format them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { foldersOf, isSubmodule, lineCounts, pathOf, sidesOf, statusOf } from "#client/history/changedFiles";
import {
  type CommitFilter,
  filterParts,
  literalExpression,
  parseFilter,
  withoutFilter,
} from "#client/history/commitFilter";
import { bodyLines, daysOf, isWorthGrouping, refNames, wholeMessage } from "#client/history/commitText";
import type { ChangedFile, CommitItem } from "#contract/commits";

function checkFilter(text: string, expected: CommitFilter, written: string): void {
  test(`filter: ${text}`, () => {
    const filter = parseFilter(text);
    assert.deepEqual(filter, expected);
    assert.equal(filterParts(filter).join(" "), written);
    assert.deepEqual(parseFilter(written), filter);
  });
}

checkFilter("", {}, "");
checkFilter("author:Ada", { author: "Ada" }, "author:Ada");
checkFilter("fix the leak", { message: "fix the leak" }, 'message:"fix the leak"');
checkFilter(
  'author:"Ada Lovelace" leak since:"2 weeks ago" until:2026-01-01',
  { author: "Ada Lovelace", message: "leak", since: "2 weeks ago", until: "2026-01-01" },
  'author:"Ada Lovelace" message:leak since:"2 weeks ago" until:2026-01-01',
);
checkFilter("path:src/a.ts lines:3-5", { path: "src/a.ts", lines: "3-5" }, "path:src/a.ts lines:3-5");
checkFilter("lines:3-5", {}, "");
checkFilter(
  'message:"say \\"no\\" \\\\ twice"',
  { message: 'say "no" \\ twice' },
  'message:"say \\"no\\" \\\\ twice"',
);
checkFilter(
  "feat: ref:main kind:x",
  { message: "feat: kind:x", ref: "main" },
  'message:"feat: kind:x" ref:main',
);
checkFilter("author:one author:two", { author: "two" }, "author:two");
checkFilter("author:", {}, "");

test("removing the path removes its lines", () => {
  const filter = { path: "a", lines: "1-2", author: "Ada" };
  assert.deepEqual(withoutFilter(filter, "path"), { author: "Ada" });
  assert.deepEqual(withoutFilter(filter, "author"), { path: "a", lines: "1-2" });
});

test("a name is escaped to match literally", () => {
  assert.equal(literalExpression("A.B* [bot] ^x$ \\ <a@b>"), "A\\.B\\* \\[bot\\] \\^x\\$ \\\\ <a@b>");
});

test("ref names are read from git's decoration", () => {
  assert.deepEqual(refNames("HEAD -> main, tag: v1, origin/main"), ["main", "v1", "origin/main"]);
  assert.deepEqual(refNames("HEAD"), []);
  assert.deepEqual(refNames(""), []);
});

test("a message has its subject and body, without surrounding blank lines", () => {
  assert.equal(wholeMessage({ message: "Subject", body: "" }), "Subject");
  assert.equal(wholeMessage({ message: "Subject", body: "\nOne\n  two\n" }), "Subject\n\nOne\n  two");
  assert.deepEqual(bodyLines("\n\n  one\n\ntwo\n\n"), ["  one", "", "two"]);
  assert.deepEqual(bodyLines("\n"), []);
});

test("commits are grouped by day only if days have several", () => {
  const commits = (...dates: readonly string[]) =>
    dates.map((date, index) => ({ hash: `${index}`, date: `2026-${date}T12:00:00` }) as CommitItem);
  const [one, two, three] = ["03-03", "03-02", "03-01"];
  assert.equal(isWorthGrouping(commits(one, two, three)), false);
  assert.equal(isWorthGrouping(commits(one, one, two, two)), false);
  assert.equal(isWorthGrouping(commits(one, one, one, one, two, two)), true);
  assert.equal(isWorthGrouping(commits(one, one, one)), true);
});

test("days keep the order of the list, and a day may occur more than once", () => {
  const commit = (hash: string, date: string) => ({ hash, date }) as CommitItem;
  const days = daysOf([
    commit("a", "2026-03-02T12:00:00"),
    commit("b", "2026-03-02T09:00:00"),
    commit("c", "2026-03-01T09:00:00"),
    commit("d", "2026-03-02T09:00:00"),
    commit("e", ""),
    commit("f", ""),
  ]);
  const text = days.map(({ day, commits }) => [
    new Date(day).getDate(),
    commits.map(({ hash }) => hash).join(""),
  ]);
  assert.deepEqual(text, [
    [2, "ab"],
    [1, "c"],
    [2, "d"],
    [Number.NaN, "ef"],
  ]);
});

function changed(oldPath: string, newPath: string, addedLines = 0, removedLines = 0): ChangedFile {
  return { oldPath, newPath, isBinary: false, hunks: [], addedLines, removedLines };
}

test("status, path and sides of changed files", () => {
  const rows = [
    [changed("/dev/null", "a"), "A", "a", { new: "a" }],
    [changed("a", "/dev/null"), "D", "a", { old: "a" }],
    [changed("a", "a"), "M", "a", { old: "a", new: "a" }],
    [changed("a", "b"), "R", "b", { old: "a", new: "b" }],
  ] as const;
  for (const [file, letter, path, sides] of rows) {
    assert.equal(statusOf(file), letter);
    assert.equal(pathOf(file), path);
    assert.deepEqual(sidesOf(file), sides);
  }
});

test("a submodule is recognized on either side", () => {
  assert.equal(isSubmodule({ ...changed("a", "a"), oldMode: "160000", newMode: "160000" }), true);
  assert.equal(isSubmodule({ ...changed("/dev/null", "a"), newMode: "160000" }), true);
  assert.equal(isSubmodule({ ...changed("a", "a"), oldMode: "100644", newMode: "100755" }), false);
});

test("added and removed lines are summed where git counts them", () => {
  const logo: ChangedFile = { oldPath: "logo", newPath: "logo", isBinary: true, hunks: [] };
  assert.deepEqual(lineCounts([changed("a", "a", 2, 3), logo, changed("/dev/null", "b", 1)]), {
    added: 3,
    removed: 3,
  });
});

test("folders are sorted, the root first", () => {
  const files = ["src/b/x.ts", "README.md", "src/a.ts", "src/b/y.ts"].map((path) => changed(path, path));
  const text = foldersOf(files).map(({ folder, files: inside }) => [folder, inside.map(pathOf)]);
  assert.deepEqual(text, [
    ["", ["README.md"]],
    ["src", ["src/a.ts"]],
    ["src/b", ["src/b/x.ts", "src/b/y.ts"]],
  ]);
});
