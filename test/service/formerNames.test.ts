/** Filters with names that repositories had before they were renamed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Query } from "#query/query";
import { resolveRepositories } from "#service/repositories/repositoryFilters";
import { repository } from "#test/support/service";

const repositories = [
  repository(1, "git.example.com/new/app", {
    formerNames: ["git.example.com/old/app", "git.example.com/x/tool"],
  }),
  repository(2, "git.example.com/x/tool"),
  repository(3, "git.example.com/old/app-docs"),
];

async function idsOf(query: Query): Promise<readonly number[]> {
  const resolved = await resolveRepositories(query, repositories, {});
  if (resolved.kind === "const") return resolved.value ? [1, 2, 3] : [];
  return resolved.kind === "repositoryIds" ? resolved.ids : assert.fail(resolved.kind);
}

function matching(source: string): Query {
  return { kind: "repository", pattern: { kind: "regexp", source, caseSensitive: false } };
}

test("a former name is found if it is written in full, and if no other repository has it", async () => {
  assert.deepEqual(await idsOf(matching("^git\\.example\\.com/Old/app$")), [1]);
  assert.deepEqual(await idsOf(matching("git.example.com/old/app")), [1, 3]);
  assert.deepEqual(await idsOf(matching("old/app")), [3]);
  assert.deepEqual(await idsOf(matching("^git\\.example\\.com/x/tool$")), [2]);
  const names = ["git.example.com/old/app", "git.example.com/x/tool"];
  assert.deepEqual(await idsOf({ kind: "repositorySet", names }), [1, 2]);
});
