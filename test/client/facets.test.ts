import assert from "node:assert/strict";
import { test } from "node:test";
import { facetsOf } from "#client/results/facets";
import { filterText } from "#contract/queryText";
import type { FileMatch } from "#contract/search";
import { english } from "#test/support/english";
import { fileMatch } from "#test/support/fileMatch";

/** Parses `repository/path language matches` as a file. */
function file(text: string): FileMatch {
  const [fullPath = "", language = "", matches = "1"] = text.split(" ");
  const [owner = "", name = "", ...path] = fullPath.split("/");
  const match = fileMatch(`${owner}/${name}`, path.join("/"), { number: 1, text, matches: Number(matches) });
  return { ...match, language };
}

/** Formats each facet as `title: label count filter, …`, without empty ones. */
function facets(...texts: string[]): string[] {
  return facetsOf({ files: texts.map(file) }, english)
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) => {
      const formatted = items.map(
        ({ text, count, prefix, value }) =>
          `${text} ${count} ${filterText({ prefix, value, isNegated: false })}`,
      );
      return `${title}: ${formatted.join(", ")}`;
    });
}

const rows: readonly [name: string, files: readonly string[], expected: readonly string[]][] = [
  ["no files have no facets", [], []],
  ["a single value is no facet", ["o/api/src/a.ts TypeScript 3"], []],
  [
    "repositories are sorted by matches, with short names",
    ["o/api/a.ts TypeScript 1", "o/web/a.ts TypeScript 2", "o/web/b.ts TypeScript 1"],
    ["Repositories: web 3 repo:^o/web$, api 1 repo:^o/api$"],
  ],
  [
    "ambiguous short names are extended",
    ["o/api/a.ts Go", "p/api/a.ts Go"],
    ["Repositories: o/api 1 repo:^o/api$, p/api 1 repo:^p/api$"],
  ],
  [
    "languages, without files of unknown language",
    ["o/api/a.ts TypeScript", "o/api/a.go Go 4", "o/api/LICENSE"],
    ["Languages: Go 4 lang:Go, TypeScript 1 lang:TypeScript"],
  ],
  [
    "folders below the common parent",
    ["o/api/src/x/a.ts T", "o/api/src/x/deep/b.ts T", "o/api/src/y/c.ts T", "o/api/src/d.ts T"],
    ["Folders: src/x/ 2 file:^src/x/, src/y/ 1 file:^src/y/"],
  ],
  [
    "folders of which one name begins with the other",
    ["o/api/src/a.ts T", "o/api/src2/b.ts T"],
    ["Folders: src/ 1 file:^src/, src2/ 1 file:^src2/"],
  ],
];
for (const [name, files, expected] of rows) {
  test(name, () => assert.deepEqual(facets(...files), expected));
}

test("no facet has more than twenty items", () => {
  const many = Array.from({ length: 30 }, (_, at) => `o/r${at}/f${at}/a.l L${at} ${at + 1}`);
  const kinds = facetsOf({ files: many.map(file) }, english);
  assert.deepEqual(
    kinds.map(({ items }) => items.length),
    [20, 20, 20],
  );
  assert.deepEqual(
    kinds.map(({ items }) => items[0]?.text),
    ["r29", "L29", "f29/"],
  );
});
