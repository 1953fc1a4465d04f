import assert from "node:assert/strict";
import { test } from "node:test";
import type { Examples } from "#contract/editor";
import { openEngine, openIndex, type TestDocument } from "#test/support/engines";
import { callerOf, repository, viewOf } from "#test/support/service";

/** What is proposed to a person who has `folders` open; a repository lies at `/src/<name>`. */
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

test("names that several repositories know come first, with what a search finds of them", async () => {
  assert.deepEqual(await examplesOf({ shop, api, docs }, ["/src/shop"]), [
    { query: "ShoppingCart", repositories: 2, matches: 2 },
    { query: "retryWithBackoff", repositories: 3, matches: 5 },
    { query: "OnlyOnceHere", repositories: 1, matches: 1 },
  ]);
});

test("a single repository gives the names that it uses", async () => {
  const [first, ...others] = await examplesOf({ shop }, ["/src/shop/src"]);
  assert.deepEqual(first, { query: "retryWithBackoff", repositories: 1, matches: 3 });
  assert.equal(others.length, 2);
});

test("without an open folder any repository will do", async () => {
  assert.deepEqual(
    (await examplesOf({ api, docs }, [])).map(({ query }) => query),
    ["retry_all_requests"],
  );
});

test("nothing is made up", async () => {
  assert.deepEqual(await examplesOf({ empty: { "a.txt": "nothing here\n" } }, []), []);
  assert.deepEqual(await examplesOf({}, []), []);
});
