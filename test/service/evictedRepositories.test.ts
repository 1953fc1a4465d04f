/** What searches say about repositories without an index. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Repository } from "#model/repository";
import { parseQuery } from "#query/parser/parse";
import { evictionGaps, namesRepositories } from "#service/repositories/evictedRepositories";
import { visibleRepositories } from "#service/repositories/visibleRepositories";
import { callerOf, repository, viewOf } from "#test/support/service";

const eviction = { reason: "space", maxIndexBytes: 1000 } as const;
const evicted = (id: number, name: string) =>
  repository(id, name, { state: "evicted", eviction, revisions: [] });
const all: readonly Repository[] = [evicted(1, "acme/open"), evicted(2, "acme/secret"), repository(3, "b")];
const ids = all.map(({ id }) => id);

test("a caller with limited rights sees only evicted repositories that it may see", async () => {
  const view = visibleRepositories(viewOf(all), { grants: [[{ names: ["acme/open", "b"] }]] });
  assert.equal(evictionGaps(ids, view, 0).repositoriesEvicted, 1);
  const restored: number[] = [];
  const whole = { ...viewOf(all), restore: async (id: number) => void restored.push(id) };
  const limited = visibleRepositories(whole, { grants: [[{ names: ["b"] }]] });
  for (const id of ids) await limited.restore(id, 1000, new AbortController().signal);
  assert.deepEqual(restored, [3]);
});

test("the list of repositories has the reason", async () => {
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  const { items } = await callerOf({ repositories: viewOf(all) })("repos", {}, call);
  assert.deepEqual(
    items.map(({ state, evictedReason = "" }) => [state, /1000 bytes \(maxIndexBytes\)/.test(evictedReason)]),
    [
      ["evicted", true],
      ["evicted", true],
      ["ready", false],
    ],
  );
});

test("queries that name repositories", () => {
  const cases: Readonly<Record<string, boolean>> = {
    "word repo:acme": true,
    "word (repo:a or repo:b)": true,
    "word reposet:acme/open": true,
    word: false,
    "word -repo:acme": false,
    "word rev:main": false,
    "word archived:no": false,
  };
  for (const [query, names] of Object.entries(cases))
    assert.equal(
      namesRepositories(parseQuery(query, { isRegexEnabled: false, isCaseSensitivityEnabled: false }).query),
      names,
      query,
    );
});
