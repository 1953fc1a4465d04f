import assert from "node:assert/strict";
import { test } from "node:test";
import { ResultModel, rowsAtOnce } from "#client/search/resultModel";
import type { ResultNode } from "#client/search/resultNodes";
import type { ResultSet } from "#client/search/resultSet";
import type { SearchState } from "#client/search/searchState";
import type { FileMatch, FoundCommit } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";

const state: SearchState = {
  query: "m",
  caseSensitivity: "smart",
  isRegex: false,
  isWholeWord: false,
  narrowed: [],
};

function set(files: readonly FileMatch[], change: Partial<ResultSet> = {}): ResultSet {
  const request = { query: "m" };
  return { id: 1, state, request, startedAt: 0, files, repositories: new Map(), outcome: "done", ...change };
}

function found(repository: string, path: string, lines: readonly number[], change: Partial<FileMatch> = {}) {
  const file = fileMatch(repository, path, ...lines.map((number) => ({ number, text: `m ${number}` })));
  const repositoryId = [...repository].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 0);
  return { ...file, repositoryId, ...change };
}

const ranked = (score: number) => ({ explanation: `edges ${score}, weight 1` });

/** The tree as it is drawn, two blanks a level. */
function drawn(model: ResultModel, node?: ResultNode, depth = 0): string[] {
  return model
    .children(node)
    .flatMap((child) => [`${"  ".repeat(depth)}${words(child)}`, ...drawn(model, child, depth + 1)]);
}

function words(node: ResultNode): string {
  switch (node.kind) {
    case "set":
      return "set";
    case "repository":
      return `${node.name} ${node.matchCount} in ${node.fileCount}`;
    case "file":
      return `${node.file.repository}/${node.file.fileName.text} ${node.matchCount}`;
    case "line":
      return `${node.line.lineNumber}`;
    case "copies":
      return `${node.files.length} identical`;
    case "commit":
      return `${node.commit.repository} ${node.commit.message}`;
    case "more":
      return `${node.matchCount} more in ${node.count} ${node.of}`;
  }
}

function check(name: string, model: () => ResultModel, expected: readonly string[]): void {
  test(name, () => assert.deepEqual(drawn(model()), expected));
}

check("commits stand in the order of their answer", () => {
  const commit = (repositoryId: number, message: string) =>
    ({ repositoryId, repository: `r${repositoryId}`, hash: message, message }) as FoundCommit;
  return new ResultModel({ ...set([]), commits: [commit(2, "new"), commit(1, "old")] }, "path");
}, ["r2 new", "r1 old"]);

check(
  "the best file decides where its repository stands, and rank where a file stands",
  () =>
    new ResultModel(
      set([
        found("a", "low.ts", [1], ranked(1)),
        found("b", "best.ts", [2, 3], ranked(9)),
        found("a", "good.ts", [4], ranked(5)),
      ]),
      "relevance",
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
    .map(words);

test("orders", () => {
  assert.deepEqual(roots(new ResultModel(mixed(), "relevance")), ["b/z.ts 1", "b/a.ts 2", "a/c.ts 4"]);
  assert.deepEqual(roots(new ResultModel(mixed(), "repository")), ["a/c.ts 4", "b/z.ts 1", "b/a.ts 2"]);
  assert.deepEqual(roots(new ResultModel(mixed(), "path")), ["a/c.ts 4", "b/a.ts 2", "b/z.ts 1"]);
  assert.deepEqual(roots(new ResultModel(mixed(), "matchCount")), ["a/c.ts 4", "b/a.ts 2", "b/z.ts 1"]);
});

test("repositories that rank alike stand by name, however they come", () => {
  const come = (...names: string[]) => set(names.map((name) => found(name, `of-${name}.ts`, [1])));
  for (const order of ["relevance", "matchCount"] as const) {
    const [one, other] = [come("b", "a", "c"), come("c", "a", "b")].map(
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
      "relevance",
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
  "a file that is told of twice has one row",
  () => new ResultModel(set([found("a", "x.ts", [1]), found("a", "x.ts", [1])]), "relevance"),
  ["a 1 in 1", "  a/x.ts 1", "    1"],
);

check(
  "a repository that was looked for has nothing below it",
  () => new ResultModel(set([found("acme/web", "acme/web", [], { blobSha: "" })]), "relevance"),
  ["acme/web 1 in 1"],
);

test("counts are of everything, and rows of two thousand at most", () => {
  const files = Array.from({ length: 900 }, (_, index) => found(`r${index % 3}`, `f${index}.ts`, [1, 2, 3]));
  const model = new ResultModel(set(files), "repository");
  const lines = drawn(model);
  assert.equal(lines.filter((line) => !line.includes("more")).length <= rowsAtOnce, true);
  assert.deepEqual(
    lines.filter((line) => /more|^r/.test(line)),
    ["r0 900 in 300", "r1 900 in 300", "  303 more in 101 files", "900 more in 1 repositories"],
  );
  assert.deepEqual(model.counts, { matches: 2700, files: 900, repositories: 3 });
  const more = model.children().at(-1);
  assert.equal(more?.kind, "more");
  if (more?.kind === "more") model.extend(more);
  assert.equal(drawn(model).length, 900 * 4 + 3);
});

test("a file with many lines shows some, and more when it is asked to", () => {
  const lines = Array.from({ length: 250 }, (_, index) => index + 1);
  const model = new ResultModel(set([found("a", "x.ts", lines)]), "relevance");
  assert.equal(drawn(model).at(-1), "    150 more in 150 lines");
  const [repository] = model.children();
  const [file] = model.children(repository);
  const more = model.children(file).at(-1);
  if (more?.kind === "more") model.extend(more);
  assert.equal(drawn(model).length, 252);
});

test("what was not brought has a row at the end", () => {
  const stats = { flushReason: "MATCH_LIMIT", totalMatchCount: 50, actualMatchCount: 1 };
  const end = { stats } as NonNullable<ResultSet["end"]>;
  const model = new ResultModel(set([found("a", "x.ts", [1])], { end }), "relevance");
  assert.equal(drawn(model).at(-1), "50 more in 49 answer");
});

test("what is dismissed is gone from rows and counts, and its empty parents with it", () => {
  const model = new ResultModel(
    set([found("a", "x.ts", [1, 2]), found("a", "y.ts", [3]), found("b", "z.ts", [4])]),
    "relevance",
  );
  const row = (text: string) => {
    const all = (node?: ResultNode): ResultNode[] =>
      model.children(node).flatMap((each) => [each, ...all(each)]);
    const node = all().find((each) => words(each) === text);
    assert.ok(node);
    return node;
  };
  model.dismiss(row("1"));
  assert.deepEqual(drawn(model), [
    "a 2 in 2",
    "  a/x.ts 1",
    "    2",
    "  a/y.ts 1",
    "    3",
    "b 1 in 1",
    "  b/z.ts 1",
    "    4",
  ]);
  model.dismiss(row("2"));
  assert.deepEqual(drawn(model).slice(0, 3), ["a 1 in 1", "  a/y.ts 1", "    3"]);
  const next = (text: string) => words(model.near(row(text)).find((each) => model.has(each)) ?? row(text));
  assert.equal(next("3"), "b 1 in 1");
  assert.equal(next("b 1 in 1"), "a 1 in 1");
  model.dismiss(row("a 1 in 1"));
  assert.deepEqual(drawn(model), ["b 1 in 1", "  b/z.ts 1", "    4"]);
  assert.deepEqual(model.counts, { matches: 1, files: 1, repositories: 1 });
});

test("ids stay the same from one state of a search to the next, and differ from those of pinned results", () => {
  const files = [found("a", "x.ts", [1])];
  const all = (model: ResultModel, node?: ResultNode): string[] =>
    model.children(node).flatMap((each) => [each.id, ...all(model, each)]);
  const model = new ResultModel(set(files, { outcome: "running" }), "relevance");
  const before = all(model);
  model.update(set([...files, found("b", "y.ts", [1])]), "relevance");
  assert.deepEqual(all(model).slice(0, before.length), before);
  const pinned = new ResultModel(set(files), "relevance", { kind: "set", id: "pinned 1", set: set(files) });
  assert.equal(
    all(pinned).some((id) => before.includes(id)),
    false,
  );
});

test("the row of a result is made where it was not", () => {
  const files = Array.from({ length: 3000 }, (_, index) => found("a", `f${index}.ts`, [1]));
  const model = new ResultModel(set(files), "relevance");
  const last = files.at(-1);
  assert.ok(last);
  const row = model.rowOf(last, 1);
  assert.equal(row?.kind, "line");
  assert.equal(drawn(model).length, 6001);
});

test("when a file goes, what stood beside it takes its place, not what was below it", () => {
  const files = [found("a", "x.ts", [1], same), found("b", "x.ts", [1], same), found("c", "y.ts", [2])];
  const model = new ResultModel(set(files), "relevance");
  const [repository] = model.children();
  const [file] = model.children(repository);
  const [line] = model.children(file);
  assert.ok(line);
  const near = model.near(line);
  model.dismiss(line);
  assert.deepEqual(drawn(model), ["b 1 in 1", "  b/x.ts 1", "    1", "c 1 in 1", "  c/y.ts 1", "    2"]);
  assert.deepEqual(near.filter((row) => model.has(row)).map(words), ["c 1 in 1"]);
});
