import assert from "node:assert/strict";
import { test } from "node:test";
import { searchAnswer, sourceAnswer } from "#client/endpoint/agentAnswers";
import { fileMatch } from "#test/support/fileMatch";

const stats = { actualMatchCount: 2 } as never;
const source = { repo: "o/api", path: "a.ts", language: "TypeScript", source: "one\ntwo\nthree\n" };

test("files with their lines, and whether there are more", () => {
  const files = [fileMatch("o/api", "src/a.ts", { number: 4, text: "retry" })];
  assert.equal(
    searchAnswer({ files, stats, isSearchExhaustive: true }),
    "2 matches in 1 files.\n\no/api src/a.ts\n4: retry",
  );
  assert.match(searchAnswer({ files, stats, isSearchExhaustive: false }), /^2 matches.* There may be more/);
});

test("lines of a file as they were asked for", () => {
  const rows: readonly (readonly [number | undefined, number | undefined, string])[] = [
    [undefined, undefined, "1: one\n2: two\n3: three"],
    [2, undefined, "2: two\n3: three"],
    [2, 2, "2: two"],
  ];
  for (const [from, to, lines] of rows)
    assert.equal(sourceAnswer(source, from, to), `o/api a.ts (TypeScript), 3 lines\n${lines}`);
  assert.equal(sourceAnswer(source, 9, 9), "o/api a.ts (TypeScript), 3 lines");
});

test("no answer is longer than an agent can read, and what is left out is said", () => {
  for (const text of ["x".repeat(1_000_000), "some words\n".repeat(100_000)]) {
    const answer = sourceAnswer({ ...source, source: text });
    assert.ok(answer.length < 25_000, `${answer.length}`);
    assert.match(answer, /\(\d+ more are left out: ask for less\.\)$/);
  }
});
