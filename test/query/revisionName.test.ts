import assert from "node:assert/strict";
import { test } from "node:test";
import { revisionMatcher } from "#query/revisionName";

const commit = "0123456789abcdef0123456789abcdef01234567";

const cases: readonly (readonly [name: string, ref: string, matches: boolean])[] = [
  ["*", "refs/heads/a/b", true],
  ["main", "refs/heads/main", true],
  ["main", "refs/heads/maintenance", false],
  ["refs/tags/v1", "refs/tags/v1", true],
  ["v1", "refs/tags/v1", true],
  ["Main", "refs/heads/main", false],
  ["release/*", "refs/heads/release/1", true],
  ["release/*", "refs/heads/release/1/x", false],
  ["refs/heads/*", "refs/heads/main", true],
  ["v[0-9].?", "refs/tags/v1.2", true],
  ["**/x", "refs/heads/a/b/x", true],
  ["0123456", "refs/heads/main", true],
  ["012345", "refs/heads/main", false],
  ["fedcba9", "refs/heads/main", false],
];

for (const [name, ref, matches] of cases) {
  test(`${name} on ${ref}`, () => assert.equal(revisionMatcher(name)(ref, commit), matches));
}

// Globs come from callers: an exponential matcher would time out here.
test("matches hostile globs in time", { timeout: 20_000 }, () => {
  assert.equal(revisionMatcher(`${"*a".repeat(100)}b`)(`refs/heads/${"a".repeat(200)}`, commit), false);
});
