import assert from "node:assert/strict";
import { test } from "node:test";
import { Exclusion } from "#base/exclusion";

const paths = [
  "a.js",
  "a.min.js",
  "dist/b.js",
  "lib/dist/c.js",
  "lib/docs/d.md",
  "docs/e.md",
  "docs/out/f/g.md",
];

const cases: readonly (readonly [patterns: string, excluded: string])[] = [
  ["", ""],
  ["*.min.js", "a.min.js"],
  ["dist", "dist/b.js lib/dist/c.js"],
  ["dist/", "dist/b.js lib/dist/c.js"],
  ["./dist/**", "dist/b.js"],
  ["/dist/b.js", "dist/b.js"],
  ["**/dist/**", "dist/b.js lib/dist/c.js"],
  ["docs/out", "docs/out/f/g.md"],
  ["lib/*", "lib/dist/c.js lib/docs/d.md"],
  ["*.md a.js", "a.js lib/docs/d.md docs/e.md docs/out/f/g.md"],
  ["*", paths.join(" ")],
  ["nothing /", ""],
];

for (const [patterns, excluded] of cases) {
  test(`"${patterns}" excludes ${excluded || "nothing"}`, () => {
    const exclusion = new Exclusion(patterns.split(" "));
    assert.equal(paths.filter((path) => exclusion.excludes(path)).join(" "), excluded);
    assert.equal(exclusion.isEmpty, patterns === "");
  });
}
