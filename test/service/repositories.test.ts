import assert from "node:assert/strict";
import { test } from "node:test";
import type { RepositoryId } from "#model/repository";
import { callerOf, repository, viewOf } from "#test/support/service";

const call = { credentials: { kind: "none" } as const, signal: new AbortController().signal };

test("repositories are sorted, filtered and paged", async () => {
  const caller = callerOf({
    repositories: viewOf([
      repository(1, "a/one", { pushedAt: 300, indexedAt: 10, stars: 4 }),
      repository(2, "b/two", { formerNames: ["b/Second"], pushedAt: 100, indexedAt: 30 }),
      repository(3, "c/Two", { indexedAt: 20, stars: 9 }),
    ]),
  });
  const rows: [request: Record<string, unknown>, expected: string, total: number][] = [
    [{}, "a/one b/two c/Two", 3],
    [{ direction: "desc" }, "c/Two b/two a/one", 3],
    [{ sort: "pushed" }, "c/Two b/two a/one", 3],
    [{ sort: "indexed", direction: "desc" }, "b/two c/Two a/one", 3],
    [{ sort: "stars", direction: "desc" }, "c/Two a/one b/two", 3],
    [{ query: "TWO" }, "b/two c/Two", 2],
    [{ query: "TWO", page: 2, perPage: 1 }, "c/Two", 2],
    [{ page: 4 }, "", 3],
    [{ query: "b/second" }, "b/two", 1],
    [{ query: "b/sec" }, "", 0],
    [{ query: ".*" }, "", 0],
  ];
  for (const [request, expected, total] of rows) {
    const page = await caller("repos", request, call);
    assert.equal(page.items.map(({ repoName }) => repoName).join(" "), expected, JSON.stringify(request));
    assert.equal(page.total, total);
  }
});

test("packages are listed on request, and their problems are reported by the projects that use them", async () => {
  const tooLarge = { kind: "package", state: "failed", lastError: "It is too large." } as const;
  const caller = callerOf({
    repositories: viewOf([
      repository(1, "app", { dependencies: [2, 3] as RepositoryId[], dependencyProblem: "Too many." }),
      repository(2, "npm/a@1.0.0", { kind: "package" }),
      repository(3, "npm/b@1.0.0", tooLarge),
    ]),
  });
  const names = async (request: Record<string, unknown>) =>
    (await caller("repos", request, call)).items.map(({ repoName }) => repoName).join(" ");
  assert.equal(await names({}), "app");
  assert.equal(await names({ dependencies: "yes" }), "app npm/a@1.0.0 npm/b@1.0.0");
  assert.equal(await names({ dependencies: "only", query: "npm/b" }), "npm/b@1.0.0");
  const { items } = await caller("repos", {}, call);
  assert.equal(items[0]?.dependencyCount, 2);
  const problem = "Too many. 1 could not be indexed, such as npm/b@1.0.0: It is too large.";
  assert.equal(items[0]?.dependencyProblem, problem);
});

test("skipped documents are paged across repositories, and only those of the page are read", async () => {
  const read: number[] = [];
  const documents = (name: string, count: number) =>
    Array.from({ length: count }, (_, each) => ({ path: `${name}${each}`, reason: "binary" as const }));
  const view = viewOf(
    [repository(1, "a", { skippedCount: 3 }), repository(2, "b"), repository(3, "c", { skippedCount: 4 })],
    { 1: documents("a", 3), 3: documents("c", 4) },
  );
  const caller = callerOf({
    repositories: {
      ...view,
      skipped(id, signal) {
        read.push(id);
        return view.skipped(id, signal);
      },
    },
  });
  const rows: [request: Record<string, unknown>, expected: string, total: number, read: number[]][] = [
    [{}, "a0 a1 a2 c0 c1 c2 c3", 7, [1, 3]],
    [{ perPage: 2 }, "a0 a1", 7, [1]],
    [{ perPage: 2, page: 2 }, "a2 c0", 7, [1, 3]],
    [{ perPage: 2, page: 3 }, "c1 c2", 7, [3]],
    [{ perPage: 2, page: 4 }, "c3", 7, [3]],
    [{ perPage: 2, page: 5 }, "", 7, []],
    [{ repo: "c", perPage: 3, page: 2 }, "c3", 4, [3]],
    [{ repo: "b" }, "", 0, []],
  ];
  for (const [request, expected, total, expectedRead] of rows) {
    read.length = 0;
    const page = await caller("skippedRepos", request, call);
    assert.equal(page.items.map(({ path }) => path).join(" "), expected, JSON.stringify(request));
    assert.deepEqual([page.total, read], [total, expectedRead]);
  }
});

test("documents without symbols are paged across repositories", async () => {
  const documents = (name: string, count: number) =>
    Array.from({ length: count }, (_, each) => ({
      path: `${name}${each}.c`,
      language: "C",
      reason: "tooSlow" as const,
      sizeBytes: 10,
    }));
  const unparsed = { 1: documents("a", 2), 3: documents("c", 1) };
  const all = [repository(1, "a"), repository(2, "b"), repository(3, "c")];
  const caller = callerOf({ repositories: viewOf(all, {}, unparsed) });
  const rows: [request: Record<string, unknown>, expected: string, total: number][] = [
    [{}, "a/a0.c a/a1.c c/c0.c", 3],
    [{ perPage: 2 }, "a/a0.c a/a1.c", 3],
    [{ perPage: 2, page: 2 }, "c/c0.c", 3],
    [{ page: 2 }, "", 3],
    [{ repo: "a", perPage: 1, page: 2 }, "a/a1.c", 2],
    [{ repo: "b" }, "", 0],
  ];
  for (const [request, expected, total] of rows) {
    const { items, total: found } = await caller("unparsedRepos", request, call);
    assert.equal(items.map(({ repoName, path }) => `${repoName}/${path}`).join(" "), expected);
    assert.equal(found, total);
  }
});
