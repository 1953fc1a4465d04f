import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesGlob } from "#base/glob";

const globs: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
  ["a/*.c", "a/b.c", true],
  ["a/*.c", "a/b/c.c", false],
  ["a/**/c", "a/c", true],
  ["a/**/c", "a/x/y/c", true],
  ["a/**", "a/b/c", true],
  ["a/**", "a", false],
  ["**/c", "c", true],
  ["**/a/**/b/*", "x/a/y/b/z", true],
  ["?b[c-e][!f]", "abdx", true],
  ["?b[c-e][!f]", "abdf", false],
  ["[]]", "]", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["😀?", "😀é", true],
  ["*a*b*", "xxaxxbxx", true],
  ["*a*b*", "xxbxxaxx", false],
];

for (const [pattern, path, matches] of globs) {
  test(`${pattern} on ${path}`, () => assert.equal(matchesGlob(pattern, path), matches));
}

// An exponential matcher would time out here.
test("matches hostile patterns in time", { timeout: 20_000 }, () => {
  assert.equal(matchesGlob(`${"*a".repeat(500)}b`, "a".repeat(4000)), false);
  assert.equal(matchesGlob(`${"**/a/".repeat(200)}b`, "a/".repeat(2000)), false);
});
