import assert from "node:assert/strict";
import { test } from "node:test";
import { editorSearchOf } from "#client/search/editorSearch";
import { fileListsOf, withFileList } from "#client/search/fileFilters";
import type { QueryFilter } from "#contract/queries";
import { explainQuery } from "#query/parser/explain";
import { parseQuery } from "#query/parser/parse";

const flags = { isRegexEnabled: false, isCaseSensitivityEnabled: false };
const filtersOf = (query: string): readonly QueryFilter[] => [...explainQuery(query, flags).filters];

/** Lists as typed, the query that they make of `foo`, and paths: `+` if it matches, `-` if not. */
const included: readonly (readonly [list: string, query: string, ...paths: string[]])[] = [
  ["*.ts", "foo file:*.ts", "+a/b.ts", "-b.tsx"],
  ["src", "foo file:**/{src,src/**}", "+src/a", "+x/src/y/a", "+lib/src", "-mysrc/a"],
  ["./src/", "foo file:/{src,src/**}", "+src/a", "-x/src/a"],
  ["./*.md", "foo file:/*.md", "+a.md", "-x/a.md"],
  ["./a*.ts", "foo file:/{a*.ts,a*.ts/**}", "+ab.ts", "-x/ab.ts", "-ba.ts"],
  ["./{a,b}.ts", "foo file:/{{a,b}.ts,{a,b}.ts/**}", "+a.ts", "-c.ts", "-x/a.ts"],
  ["./a*.ts, ./b*.ts", "foo file:/{a*.ts,a*.ts/**,b*.ts,b*.ts/**}", "+ab.ts", "+b.ts", "-x/b.ts"],
  ["./src/*.ts", "foo file:/src/*.ts", "+src/a.ts", "-x/src/a.ts"],
  ["a*.ts", "foo file:**/a*.ts", "+x/ab.ts", "-x/ba.ts"],
  ["src, *.ts", "foo file:**/{src,src/**,*.ts}", "+src/a.c", "+b.ts", "-b.c"],
  ["*.{c,h}", "foo file:*.{c,h}", "+a/b.h", "-b.ts"],
  ["^src/", "foo file:^src/", "+src/a", "-x/src/a"],
  ["", "foo"],
];
for (const [list, expected, ...paths] of included) {
  test(`files to include: ${list}`, () => {
    const query = withFileList("foo", [], "include", list);
    assert.equal(query, expected);
    assert.equal(fileListsOf(filtersOf(query)).include, list === "./src/" ? "./src" : list);
    const { query: parsed } = parseQuery(query, flags);
    const patterns = parsed.kind === "and" ? parsed.children : [];
    const name = patterns.find((each) => each.kind === "text" && each.where === "name");
    for (const path of paths) {
      assert(name?.kind === "text" && name.pattern.kind === "regexp");
      const isMatch = new RegExp(name.pattern.source, "i").test(path.slice(1));
      assert.equal(isMatch, path.startsWith("+"), path);
    }
  });
}

test("a list replaces the filters of its kind", () => {
  const change = (query: string, list: "include" | "exclude", text: string) =>
    withFileList(query, filtersOf(query), list, text);
  assert.equal(change("file:*.ts foo -file:*.js", "include", "*.go"), "foo -file:*.js file:*.go");
  assert.equal(
    change("foo file:x", "exclude", "a*, node_modules"),
    "foo file:x -file:**/a* -file:**/{node_modules,node_modules/**}",
  );
  assert.equal(change("foo -file:*.ts", "exclude", ""), "foo");
  assert.equal(change("-file:test foo -file:*.md", "exclude", "*.js, test"), "-file:test foo -file:*.js");
  assert.equal(change("a or b", "include", "^src/, *.ts"), "(a or b) (file:^src/ or file:*.ts)");
  const both = filtersOf("foo file:a file:b -file:*.ts -file:c");
  assert.deepEqual(fileListsOf(both), { include: undefined, exclude: "*.ts, c" });
});

const state = { isRegex: false, isWholeWord: false, caseSensitivity: "smart", narrowed: [] } as const;
const found = {
  isRegex: false,
  isCaseSensitive: false,
  matchWholeWord: false,
  filesToInclude: "",
  filesToExclude: "",
  showIncludesExcludes: false,
  onlyOpenEditors: false,
  replace: "",
  triggerSearch: true,
};
const searches: Readonly<Record<string, Partial<ReturnType<typeof editorSearchOf>>>> = {
  "return new": { query: "return new" },
  '"a \\"b\\"\n c"': { query: 'a "b"\n c' },
  "foo or b.r": { query: "foo|b\\.r", isRegex: true },
  '"foo or bar"': { query: "foo or bar" },
  Foo: { query: "Foo", isCaseSensitive: true },
  "Foo case:no": { query: "Foo" },
  "foo case:yes": { query: "foo", isCaseSensitive: true },
  "x file:*.{c,h} -file:^src/a\\.b/ -file:^x\\.go$ -file:\\.md$ -file:test -file:**/{lib,lib/**}": {
    query: "x",
    filesToInclude: "*.{c,h}",
    filesToExclude: "./src/a.b/**, ./x.go, *.md, *test*, lib",
    showIncludesExcludes: true,
  },
};
for (const [query, expected] of Object.entries(searches)) {
  test(`in VS Code's search: ${query}`, () => {
    assert.deepEqual(editorSearchOf({ ...state, query }, filtersOf(query)), { ...found, ...expected });
  });
}

/** Searches with filters that VS Code's search does not have, and the files to exclude that are left. */
const incomplete: readonly (readonly [query: string, filesToExclude: string, ...narrowed: string[]])[] = [
  ["x lang:go", ""],
  ["x repo:api", ""],
  ["x file:(a|b)", ""],
  ["x file:a.*b", ""],
  ["x file:\\d\\.ts$", ""],
  ["x (file:a or file:*.ts)", ""],
  ["x file:a file:b", ""],
  ["x -file:^src -file:*.ts", "*.ts"],
  ["x", "", "y"],
];
for (const [query, filesToExclude, ...narrowed] of incomplete) {
  test(`in VS Code's search, without replacing: ${[query, ...narrowed].join(", narrowed by ")}`, () => {
    const { replace: _, ...rest } = found;
    assert.deepEqual(editorSearchOf({ ...state, query, narrowed }, filtersOf(query)), {
      ...rest,
      query: "x",
      filesToExclude,
      showIncludesExcludes: filesToExclude !== "",
    });
  });
}

test("only the open editors are searched in VS Code's search, too", () => {
  const query = "x repo:^api$ file:^(a\\.ts|b\\.ts)$";
  const filters = filtersOf(query);
  const expected = { ...found, query: "x", showIncludesExcludes: true, onlyOpenEditors: true };
  assert.deepEqual(editorSearchOf({ ...state, query }, filters, filters), expected);
});

test("expressions stay expressions in VS Code's search", () => {
  const search = (query: string) => editorSearchOf({ ...state, isRegex: true, query }, []);
  assert.deepEqual(search("a.*b"), { ...found, isRegex: true, query: "a.*b" });
  assert.deepEqual(search('"a.b"'), { ...found, isRegex: true, query: "a\\.b" });
});
