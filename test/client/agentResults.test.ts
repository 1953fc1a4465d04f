import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSearch, formatSource } from "#client/endpoint/agentResults";
import { fileMatch } from "#test/support/fileMatch";

const stats = { actualMatchCount: 2 } as never;
const source = { repo: "o/api", path: "a.ts", language: "TypeScript", source: "one\ntwo\nthree\n" };

test("a search result lists files with their lines, and says whether there are more", () => {
  const files = [fileMatch("o/api", "src/a.ts", { number: 4, text: "retry" })];
  assert.equal(
    formatSearch({ files, stats, isSearchExhaustive: true }),
    "2 matches in 1 files.\n\no/api src/a.ts\n4: retry",
  );
  assert.match(formatSearch({ files, stats, isSearchExhaustive: false }), /^2 matches.* There may be more/);
});

test("a file is formatted as the requested lines", () => {
  const rows: readonly (readonly [number | undefined, number | undefined, string])[] = [
    [undefined, undefined, "1: one\n2: two\n3: three"],
    [2, undefined, "2: two\n3: three"],
    [2, 2, "2: two"],
  ];
  for (const [from, to, lines] of rows)
    assert.equal(formatSource(source, from, to), `o/api a.ts (TypeScript), 3 lines\n${lines}`);
  assert.equal(formatSource(source, 9, 9), "o/api a.ts (TypeScript), 3 lines");
});

test("a long result is cut at its length limit and says what is left out", () => {
  for (const text of ["x".repeat(1_000_000), "some words\n".repeat(100_000)]) {
    const result = formatSource({ ...source, source: text });
    assert.ok(result.length < 25_000, `${result.length}`);
    assert.match(result, /\(\d+ more omitted: narrow the request\.\)$/);
  }
});
