/** Results as a tree: the files of each repository nested in folders. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ResultModel } from "#client/results/resultModel";
import { fileOf, parentOf } from "#client/results/resultNodes";
import { rowBatch } from "#client/results/rowLimits";
import { inRowOrder } from "#client/results/selectedRows";
import { by, found, labelOf, ranked, rowWith, set, treeLines } from "#test/support/resultRows";

const paths = (model: ResultModel) => [...model.files()].map(({ fileName }) => fileName.text);

test("files are nested in folders, and folders with only a folder are joined with it", () => {
  const files = ["src/main/java/A.java", "src/main/java/sub/B.java", "docs/a/b/c.md", "README.md"];
  const model = new ResultModel(set(files.map((path) => found("a", path, [1]))), by("path", "tree"));
  assert.deepEqual(treeLines(model), [
    "a 4 in 4",
    "  a/README.md 1",
    "    1",
    "  docs/a/b/ 1",
    "    a/docs/a/b/c.md 1",
    "      1",
    "  src/main/java/ 2",
    "    a/src/main/java/A.java 1",
    "      1",
    "    sub/ 1",
    "      a/src/main/java/sub/B.java 1",
    "        1",
  ]);
});

test("folders are in the order of their best files, which F4 and exports follow", () => {
  const model = new ResultModel(
    set([
      found("a", "low/best.ts", [1], ranked(9)),
      found("a", "high/good.ts", [1], ranked(8)),
      found("a", "low/bad.ts", [1], ranked(1)),
    ]),
    by("relevance", "tree"),
  );
  assert.deepEqual(paths(model), ["low/best.ts", "low/bad.ts", "high/good.ts"]);
  model.update(model.set, by("relevance"));
  assert.deepEqual(paths(model), ["low/best.ts", "high/good.ts", "low/bad.ts"]);
});

test("a dismissed folder takes its files with it, and the next row takes its position", () => {
  const model = new ResultModel(
    set([found("a", "x/1.ts", [1]), found("a", "x/y/2.ts", [2]), found("a", "z/3.ts", [3])]),
    by("path", "tree"),
  );
  const folder = rowWith(model, "x/ 2");
  const near = model.neighbors(folder);
  model.dismiss([folder]);
  assert.deepEqual(treeLines(model), ["a 1 in 1", "  z/ 1", "    a/z/3.ts 1", "      3"]);
  assert.equal(near.find((row) => model.has(row))?.id, rowWith(model, "z/ 1").id);
  assert.deepEqual(model.dismissed, { matches: 2, files: 2, repositories: 0 });
});

test("ids of folders stay the same while files arrive, and differ from those of files", () => {
  const first = found("a", "src/app/x.ts", [1]);
  const model = new ResultModel(set([first], { outcome: "running" }), by("path", "tree"));
  const { id } = rowWith(model, "src/app/ 1");
  model.update(set([first, found("a", "src/lib/y.ts", [1]), found("a", "src", [1])]), by("path", "tree"));
  assert.equal(rowWith(model, "app/ 1").id, id);
  const ids = [model.children()[0], ...model.children(model.children()[0])].map((row) => row?.id);
  assert.equal(new Set(ids).size, ids.length);
});

test("a result is found in folders that have no row yet", () => {
  const files = Array.from({ length: 3000 }, (_, index) => found("a", `${index % 30}/b/${index}.ts`, [1]));
  const model = new ResultModel(set(files), by("relevance", "tree"));
  assert.ok(treeLines(model).length < 1.1 * rowBatch);
  assert.match(treeLines(model).at(-1) ?? "", /^ {2}\d+ more in \d+ files$/);
  const last = files.at(-1);
  assert.ok(last);
  const row = model.rowOf(last, 1);
  assert.ok(row !== undefined && model.has(row));
  assert.equal(fileOf(row)?.parent.kind, "folder");
});

test("the time to nest results grows little faster than their number", () => {
  const timeToNest = (count: number) => {
    const files = Array.from({ length: count }, (_, index) =>
      found("a", `src/${index % 7}/${index % 101}/${index % 1009}/${index}.ts`, [1]),
    );
    const before = process.cpuUsage();
    const model = new ResultModel(set(files), by("path", "tree"));
    treeLines(model);
    assert.equal(model.counts.files, count);
    return process.cpuUsage(before).user;
  };
  timeToNest(10_000);
  const few = timeToNest(10_000);
  const many = timeToNest(100_000);
  assert.ok(many < 40 * few, `${few} and ${many} µs`);
});

test("folders of any depth are nested", () => {
  const deep = "d/".repeat(2000);
  const files = [found("a", `${deep}x.ts`, [1]), found("a", `${deep}y/z.ts`, [1])];
  assert.deepEqual(paths(new ResultModel(set(files), by("path", "tree"))), [`${deep}x.ts`, `${deep}y/z.ts`]);
  const branching = Array.from({ length: 2000 }, (_, depth) => found("a", `${"d/".repeat(depth)}x.ts`, [1]));
  assert.equal(paths(new ResultModel(set(branching), by("relevance", "tree"))).length, 2000);
});

test("selected rows are copied in row order, not in the order of their selection", () => {
  const model = new ResultModel(
    set([found("a", "x/1.ts", [1, 2]), found("a", "y/2.ts", [3]), found("b", "3.ts", [4])]),
    by("path", "tree"),
  );
  const selected = ["4", "3", "y/ 1", "2", "a 3 in 2", "1"].map((text) => rowWith(model, text));
  const sorted = inRowOrder(selected, { children: (row) => model.children(row), parent: parentOf });
  assert.deepEqual(sorted.map(labelOf), ["a 3 in 2", "1", "2", "y/ 1", "3", "4"]);
});
