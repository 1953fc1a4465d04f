import assert from "node:assert/strict";
import { test } from "node:test";
import { facetsOf } from "#client/search/facets";
import { filterText } from "#client/search/queryText";
import type { FileMatch } from "#contract/search";
import { english } from "#test/support/english";
import { fileMatch } from "#test/support/fileMatch";

/** `repository/path language matches`. */
function file(text: string): FileMatch {
  const [place = "", language = "", matches = "1"] = text.split(" ");
  const [owner = "", name = "", ...path] = place.split("/");
  const match = fileMatch(`${owner}/${name}`, path.join("/"), { number: 1, text, matches: Number(matches) });
  return { ...match, language };
}

/** Each kind as `title: label count filter, …`; kinds without items are left out. */
function facets(...texts: string[]): string[] {
  return facetsOf({ files: texts.map(file) }, english)
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) => {
      const told = items.map(
        ({ text, count, prefix, value }) =>
          `${text} ${count} ${filterText({ prefix, value, isNegated: false })}`,
      );
      return `${title}: ${told.join(", ")}`;
    });
}

const rows: readonly [name: string, files: readonly string[], expected: readonly string[]][] = [
  ["nothing was found", [], []],
  ["one of a kind divides nothing", ["o/api/src/a.ts TypeScript 3"], []],
  [
    "repositories, most matches first, by the ends of their names",
    ["o/api/a.ts TypeScript 1", "o/web/a.ts TypeScript 2", "o/web/b.ts TypeScript 1"],
    ["Repositories: web 3 repo:^o/web$, api 1 repo:^o/api$"],
  ],
  [
    "names that are alike are told in full",
    ["o/api/a.ts Go", "p/api/a.ts Go"],
    ["Repositories: o/api 1 repo:^o/api$, p/api 1 repo:^p/api$"],
  ],
  [
    "languages; files without one are not counted",
    ["o/api/a.ts TypeScript", "o/api/a.go Go 4", "o/api/LICENSE"],
    ["Languages: Go 4 lang:Go, TypeScript 1 lang:TypeScript"],
  ],
  [
    "folders below the one that holds them all",
    ["o/api/src/x/a.ts T", "o/api/src/x/deep/b.ts T", "o/api/src/y/c.ts T", "o/api/src/d.ts T"],
    ["Folders: src/x/ 2 file:^src/x/, src/y/ 1 file:^src/y/"],
  ],
  [
    "folders whose names begin alike",
    ["o/api/src/a.ts T", "o/api/src2/b.ts T"],
    ["Folders: src/ 1 file:^src/, src2/ 1 file:^src2/"],
  ],
];
for (const [name, files, expected] of rows) {
  test(name, () => assert.deepEqual(facets(...files), expected));
}

test("no kind has more than eight", () => {
  const many = Array.from({ length: 20 }, (_, at) => `o/r${at}/f${at}/a.l L${at} ${at + 1}`);
  const kinds = facetsOf({ files: many.map(file) }, english);
  assert.deepEqual(
    kinds.map(({ items }) => items.length),
    [8, 8, 8],
  );
  assert.deepEqual(
    kinds.map(({ items }) => items[0]?.text),
    ["r19", "L19", "f19/"],
  );
});
