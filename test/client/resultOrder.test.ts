import assert from "node:assert/strict";
import { test } from "node:test";
import { isLastResult, nextResult, type ResultPosition } from "#client/results/resultCursor";
import { filterOf, type Narrowing, narrowedQuery } from "#client/results/resultFilters";
import { linesOf } from "#client/results/resultLines";
import type { ResultNode } from "#client/results/resultNodes";
import { rankOf } from "#client/results/resultOrder";
import { filterText } from "#contract/queryText";
import type { FileMatch } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";

test("rank is parsed from the explanation", () => {
  const explanation = "edges 500, name 0, near 200, count 15.8, repository 300, weight 0.6";
  assert.deepEqual(rankOf({ explanation }), {
    score: (500 + 200 + 15.8 + 300) * 0.6,
    weight: 0.6,
    signals: [
      { name: "edges", value: 500 },
      { name: "repository", value: 300 },
      { name: "near", value: 200 },
      { name: "count", value: 15.8 },
    ],
  });
  assert.deepEqual(rankOf({}), { score: 0, signals: [], weight: 1 });
});

const files = [
  fileMatch("a", "x", { number: 1, text: "m" }, { number: 5, text: "m" }),
  fileMatch("a", "m"),
  fileMatch("bb", "y", { number: 2, text: "m" }),
];
const last = files.at(-1);
const stepThrough = (list: readonly FileMatch[], step: 1 | -1) => {
  const walk: string[] = [];
  let at: ResultPosition | undefined;
  for (let count = 0; count <= 4; count++) {
    at = nextResult(list, at, step);
    walk.push(at === undefined ? "none" : `${at.file.fileName.text}${at.line?.lineNumber ?? ""}`);
  }
  return walk;
};

test("next steps through lines and files, and wraps around", () => {
  assert.deepEqual(stepThrough(files, 1), ["x1", "x5", "m", "y2", "x1"]);
  assert.deepEqual(stepThrough(files, -1), ["y2", "m", "x5", "x1", "y2"]);
  assert.deepEqual(stepThrough([], 1), ["none", "none", "none", "none", "none"]);
});

test("only the step after the last result wraps around", () => {
  const lastResults = (step: 1 | -1) => {
    const found: string[] = [];
    let at: ResultPosition | undefined;
    for (let count = 0; count < 4; count++) {
      at = nextResult(files, at, step);
      if (isLastResult(files, at, step)) found.push(`${at?.file.fileName.text}${at?.line?.lineNumber ?? ""}`);
    }
    return found;
  };
  assert.deepEqual(lastResults(1), ["y2"]);
  assert.deepEqual(lastResults(-1), ["x1"]);
  assert.equal(isLastResult(files, undefined, 1), false);
  assert.equal(isLastResult([], undefined, 1), false);
});

test("a position that no longer exists starts over", () => {
  const missing = { file: fileMatch("zzz", "gone"), line: undefined };
  assert.equal(nextResult(files, missing, 1)?.file, files[0]);
  assert.equal(nextResult(files, missing, -1)?.file, last);
});

function row(repository: string, path: string): ResultNode {
  const file = fileMatch(repository, path, { number: 1, text: "m" });
  const [line] = linesOf(file);
  assert.ok(line);
  const root: ResultNode = {
    kind: "repository",
    id: "r",
    parent: undefined,
    repositoryId: 1,
    name: repository,
    displayName: repository,
    externalWebUrl: "",
    fileCount: 1,
    matchCount: 1,
    files: [file],
    nameMatch: undefined,
  };
  const parent = {
    kind: "file" as const,
    id: "f",
    parent: root,
    file,
    matchCount: 1,
    lineCount: 1,
    phraseLineCount: 0,
    copies: [],
  };
  return { kind: "line", id: "l", parent, line };
}

const excluded: readonly (readonly [Narrowing, string, string])[] = [
  ["file", "src/a.b/x (1).ts", '-file:"^src/a\\\\.b/x \\\\(1\\\\)\\\\.ts$"'],
  ["folder", "src/lib/x.ts", "-file:^src/lib/"],
  ["folder", "x.ts", "-file:^[^/]*$"],
  ["repository", "x.ts", "-repo:^git\\.example\\.com/acme/r$"],
  ["extension", "src/x.test.ts", "-file:\\.ts$"],
  ["extension", "Makefile", ""],
  ["tests", "src/x.test.ts", "tests:no"],
];
for (const [what, path, expected] of excluded) {
  test(`excluding this ${what}: ${path}`, () => {
    const filter = filterOf(row("git.example.com/acme/r", path), what, true);
    assert.equal(filter === undefined ? "" : filterText(filter), expected);
  });
}

test("filters are added to the query", () => {
  const filters = ["file", "repository"].map((what) => filterOf(row("r", "x.ts"), what as Narrowing, true));
  const once = narrowedQuery("a or b -file:old", filters);
  assert.equal(once, "(a or b -file:old) -file:^x\\.ts$ -repo:^r$");
  assert.equal(narrowedQuery(once, filters), once);
});
