import assert from "node:assert/strict";
import { test } from "node:test";
import type { Examples } from "#contract/editor";
import { openEngine, openIndex, type TestDocument } from "#test/support/engines";
import { callerOf, repository, viewOf } from "#test/support/service";

/** Returns the suggested queries if `folders` are open. Repositories are at `/src/<name>`. */
async function examplesOf(
  repositories: Readonly<Record<string, Readonly<Record<string, string>>>>,
  folders: readonly string[],
): Promise<Examples["queries"]> {
  const names = Object.keys(repositories);
  const directory = await openIndex(
    Object.values(repositories).map((files, at) => {
      const documents = Object.entries(files).map(([path, content]): TestDocument => ({ path, content }));
      return { id: at + 1, segments: [documents] };
    }),
  );
  const { engine } = openEngine(directory);
  try {
    const view = viewOf(names.map((name, at) => repository(at + 1, name)));
    const call = { credentials: { kind: "local" }, signal: new AbortController().signal, folders } as const;
    const { queries } = await callerOf({ engine, repositories: view, examplesTimeMs: 60_000 })(
      "examples",
      {},
      call,
    );
    return queries;
  } finally {
    await engine.close();
  }
}

const shop = {
  "cart.ts":
    "export class ShoppingCart {}\nfunction test_everything() {}\nfunction short() {}\nfunction lowercaseonly() {}\n",
  "pay.ts": "export function retryWithBackoff() {}\nretryWithBackoff();\ninterface OnlyOnceHere {}\n",
  "pay.test.ts": "retryWithBackoff();\n",
};
const api = { "client.go": "func retry_all_requests() {}\n// retryWithBackoff ShoppingCart\n" };
const docs = { "notes.md": "struct retry_all_requests, retryWithBackoff\n" };

test("names that occur in several repositories come first, with their numbers of results", async () => {
  assert.deepEqual(await examplesOf({ shop, api, docs }, ["/src/shop"]), [
    { query: "ShoppingCart", repositories: 2, matches: 2 },
    { query: "retryWithBackoff", repositories: 3, matches: 5 },
    { query: "OnlyOnceHere", repositories: 1, matches: 1 },
  ]);
});

test("for a single repository, names that it uses are suggested", async () => {
  const [first, ...others] = await examplesOf({ shop }, ["/src/shop/src"]);
  assert.deepEqual(first, { query: "retryWithBackoff", repositories: 1, matches: 3 });
  assert.equal(others.length, 2);
});

test("without an open folder, names of any repository are suggested", async () => {
  assert.deepEqual(
    (await examplesOf({ api, docs }, [])).map(({ query }) => query),
    ["retry_all_requests"],
  );
});

test("without suitable names, nothing is suggested", async () => {
  assert.deepEqual(await examplesOf({ empty: { "a.txt": "nothing here\n" } }, []), []);
  assert.deepEqual(await examplesOf({}, []), []);
});
