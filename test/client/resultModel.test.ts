import assert from "node:assert/strict";
import { test } from "node:test";
import { ResultModel } from "#client/results/resultModel";
import type { ResultNode } from "#client/results/resultNodes";
import { rowBatch } from "#client/results/rowLimits";
import type { ResultSet } from "#client/search/resultSet";
import type { FoundCommit } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";
import { by, found, labelOf, ranked, rowWith, set, treeLines } from "#test/support/resultRows";

function check(name: string, model: () => ResultModel, expected: readonly string[]): void {
  test(name, () => assert.deepEqual(treeLines(model()), expected));
}

check("commits keep the order of the response", () => {
  const commit = (repositoryId: number, message: string) =>
    ({ repositoryId, repository: `r${repositoryId}`, hash: message, message }) as FoundCommit;
  return new ResultModel({ ...set([]), commits: [commit(2, "new"), commit(1, "old")] }, by("path"));
}, ["r2 new", "r1 old"]);

check(
  "repositories are sorted by their best file, and files by rank",
  () =>
    new ResultModel(
      set([
        found("a", "low.ts", [1], ranked(1)),
        found("b", "best.ts", [2, 3], ranked(9)),
        found("a", "good.ts", [4], ranked(5)),
      ]),
      by("relevance"),
    ),
  [
    "b 2 in 1",
    "  b/best.ts 2",
    "    2",
    "    3",
    "a 2 in 2",
    "  a/good.ts 1",
    "    4",
    "  a/low.ts 1",
    "    1",
  ],
);

const mixed = () =>
  set([found("b", "z.ts", [1], ranked(9)), found("b", "a.ts", [1, 2]), found("a", "c.ts", [1, 2, 3, 4])]);
const roots = (model: ResultModel) =>
  model
    .children()
    .flatMap((root) => model.children(root))
    .map(labelOf);

test("sort orders", () => {
  assert.deepEqual(roots(new ResultModel(mixed(), by("relevance"))), ["b/z.ts 1", "b/a.ts 2", "a/c.ts 4"]);
  assert.deepEqual(roots(new ResultModel(mixed(), by("repository"))), ["a/c.ts 4", "b/z.ts 1", "b/a.ts 2"]);
  assert.deepEqual(roots(new ResultModel(mixed(), by("path"))), ["a/c.ts 4", "b/a.ts 2", "b/z.ts 1"]);
  assert.deepEqual(roots(new ResultModel(mixed(), by("matchCount"))), ["a/c.ts 4", "b/a.ts 2", "b/z.ts 1"]);
});

test("repositories of equal rank are sorted by name, whatever their order of arrival", () => {
  const arriving = (...names: string[]) => set(names.map((name) => found(name, `of-${name}.ts`, [1])));
  for (const order of [by("relevance"), by("matchCount")]) {
    const [one, other] = [arriving("b", "a", "c"), arriving("c", "a", "b")].map(
      (each) => new ResultModel(each, order),
    );
    assert.ok(one !== undefined && other !== undefined);
    assert.deepEqual(roots(one), ["a/of-a.ts 1", "b/of-b.ts 1", "c/of-c.ts 1"]);
    assert.deepEqual(roots(other), roots(one));
  }
});

const same = { blobSha: "0123" };
check(
  "the same file in several repositories is one row",
  () =>
    new ResultModel(
      set([
        found("a", "x.ts", [1], same),
        found("b", "x.ts", [1], same),
        found("c", "x.ts", [1], same),
        found("c", "other/x.ts", [1], same),
      ]),
      by("relevance"),
    ),
  [
    "a 1 in 1",
    "  a/x.ts 1",
    "    1",
    "    2 identical",
    "      b/x.ts 1",
    "        1",
    "      c/x.ts 1",
    "        1",
    "c 1 in 1",
    "  c/other/x.ts 1",
    "    1",
  ],
);

check(
  "a file that is reported twice has one row",
  () => new ResultModel(set([found("a", "x.ts", [1]), found("a", "x.ts", [1])]), by("relevance")),
  ["a 1 in 1", "  a/x.ts 1", "    1"],
);

test("a long file at first has rows only for lines with the whole phrase, which come first", () => {
  const withPhrases = (path: string, count: number, phrases: readonly number[]) => {
    const text = (number: number) => (phrases.includes(number) ? "return err" : "return nil, err");
    const others = Array.from({ length: count }, (_, index) => index + 1).filter(
      (number) => !phrases.includes(number),
    );
    const numbers = [...phrases, ...others];
    return fileMatch("a", path, ...numbers.map((number) => ({ number, text: text(number) })));
  };
  const files = [withPhrases("long.ts", 30, [5, 10]), withPhrases("short.ts", 4, [3])];
  const model = new ResultModel({ ...set(files), phrase: "Return err" }, by("path"));
  const rows = (path: string) => model.children(rowWith(model, path)).map(labelOf);
  assert.deepEqual(rows("a/long.ts 30"), ["5", "10", "28 more in 28 lines"]);
  assert.deepEqual(rows("a/short.ts 4"), ["3", "1", "2", "4"]);
  const more = rowWith(model, "28 more in 28 lines");
  assert.ok(more.kind === "more");
  model.extend(more);
  assert.deepEqual(rows("a/long.ts 30").slice(0, 4), ["5", "10", "1", "2"]);
  assert.equal(rows("a/long.ts 30").length, 30);
});

check(
  "a repository found by name has no children",
  () => new ResultModel(set([found("acme/web", "acme/web", [], { blobSha: "" })]), by("relevance")),
  ["acme/web 1 in 1"],
);

test("counts cover everything, and rows at most two thousand", () => {
  const files = Array.from({ length: 900 }, (_, index) => found(`r${index % 3}`, `f${index}.ts`, [1, 2, 3]));
  const model = new ResultModel(set(files), by("repository"));
  const lines = treeLines(model);
  assert.equal(lines.filter((line) => !line.includes("more")).length <= rowBatch, true);
  assert.deepEqual(
    lines.filter((line) => /more|^r/.test(line)),
    ["r0 900 in 300", "r1 900 in 300", "  303 more in 101 files", "900 more in 1 repositories"],
  );
  assert.deepEqual(model.counts, { matches: 2700, files: 900, repositories: 3 });
  const more = model.children().at(-1);
  assert.equal(more?.kind, "more");
  if (more?.kind === "more") model.extend(more);
  assert.equal(treeLines(model).length, 900 * 4 + 3);
});

test("a file with many lines shows some, and more on request", () => {
  const lines = Array.from({ length: 250 }, (_, index) => index + 1);
  const model = new ResultModel(set([found("a", "x.ts", lines), found("a", "y.ts", [1])]), by("relevance"));
  assert.deepEqual(treeLines(model).slice(10), [
    "    9",
    "    10",
    "    240 more in 240 lines",
    "  a/y.ts 1",
    "    1",
  ]);
  const [repository] = model.children();
  const [file] = model.children(repository);
  const more = model.children(file).at(-1);
  if (more?.kind === "more") model.extend(more);
  assert.equal(treeLines(model).length, 254);
});

test("a row for more lines stands for at least three, unless they lack the phrase", () => {
  const lines = Array.from({ length: 13 }, (_, index) => index + 1);
  const last = (count: number) =>
    treeLines(new ResultModel(set([found("a", "x.ts", lines.slice(0, count))]), by("relevance"))).at(-1);
  assert.equal(last(12), "    12");
  assert.equal(last(13), "    3 more in 3 lines");
});

test("files with many lines show a hundred when all files are expanded", () => {
  const lines = Array.from({ length: 250 }, (_, index) => index + 1);
  const model = new ResultModel(set([found("a", "x.ts", lines)]), by("relevance"));
  model.expandFiles();
  assert.equal(treeLines(model).at(-1), "    150 more in 150 lines");
});

test("matches that were not fetched are summarized in the last row", () => {
  const stats = { flushReason: "MATCH_LIMIT", totalMatchCount: 50, actualMatchCount: 1 };
  const end = { stats } as NonNullable<ResultSet["end"]>;
  const model = new ResultModel(set([found("a", "x.ts", [1])], { end }), by("relevance"));
  assert.equal(treeLines(model).at(-1), "50 more in 49 unfetched");
});

test("dismissed rows disappear from rows and counts, and so do their empty parents", () => {
  const model = new ResultModel(
    set([found("a", "x.ts", [1, 2]), found("a", "y.ts", [3]), found("b", "z.ts", [4])]),
    by("relevance"),
  );
  const row = (text: string) => rowWith(model, text);
  assert.deepEqual(model.dismissed, { matches: 0, files: 0, repositories: 0 });
  model.dismiss([row("1")]);
  assert.deepEqual(model.dismissed, { matches: 1, files: 0, repositories: 0 });
  assert.deepEqual(treeLines(model), [
    "a 2 in 2",
    "  a/x.ts 1",
    "    2",
    "  a/y.ts 1",
    "    3",
    "b 1 in 1",
    "  b/z.ts 1",
    "    4",
  ]);
  model.dismiss([row("2")]);
  assert.deepEqual(treeLines(model).slice(0, 3), ["a 1 in 1", "  a/y.ts 1", "    3"]);
  const next = (text: string) =>
    labelOf(model.neighbors(row(text)).find((each) => model.has(each)) ?? row(text));
  assert.equal(next("3"), "b 1 in 1");
  assert.equal(next("b 1 in 1"), "a 1 in 1");
  model.dismiss([row("a 1 in 1")]);
  assert.deepEqual(treeLines(model), ["b 1 in 1", "  b/z.ts 1", "    4"]);
  assert.deepEqual(model.counts, { matches: 1, files: 1, repositories: 1 });
  assert.deepEqual(model.dismissed, { matches: 3, files: 2, repositories: 1 });
});

test("ids are stable from one state of a search to the next, and differ from those of pinned results", () => {
  const files = [found("a", "x.ts", [1])];
  const all = (model: ResultModel, node?: ResultNode): string[] =>
    model.children(node).flatMap((each) => [each.id, ...all(model, each)]);
  const model = new ResultModel(set(files, { outcome: "running" }), by("relevance"));
  const before = all(model);
  model.update(set([...files, found("b", "y.ts", [1])]), by("relevance"));
  assert.deepEqual(all(model).slice(0, before.length), before);
  const pinned = new ResultModel(set(files), by("relevance"), {
    kind: "set",
    id: "pinned 1",
    set: set(files),
  });
  assert.equal(
    all(pinned).some((id) => before.includes(id)),
    false,
  );
});

test("the row of a result is created on demand", () => {
  const files = Array.from({ length: 3000 }, (_, index) => found("a", `f${index}.ts`, [1]));
  const model = new ResultModel(set(files), by("relevance"));
  const last = files.at(-1);
  assert.ok(last);
  const row = model.rowOf(last, 1);
  assert.equal(row?.kind, "line");
  assert.equal(treeLines(model).length, 6001);
});

test("a dismissed file is replaced by its sibling, not by its child", () => {
  const files = [found("a", "x.ts", [1], same), found("b", "x.ts", [1], same), found("c", "y.ts", [2])];
  const model = new ResultModel(set(files), by("relevance"));
  const [repository] = model.children();
  const [file] = model.children(repository);
  const [line] = model.children(file);
  assert.ok(line);
  const near = model.neighbors(line);
  model.dismiss([line]);
  assert.deepEqual(treeLines(model), ["b 1 in 1", "  b/x.ts 1", "    1", "c 1 in 1", "  c/y.ts 1", "    2"]);
  assert.deepEqual(near.filter((row) => model.has(row)).map(labelOf), ["c 1 in 1"]);
});
