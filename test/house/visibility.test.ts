/** No operation reaches repositories around the view of its caller. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OperationName, operation } from "#contract/operations";
import { serverSources } from "#test/support/house";

const files = serverSources();
const composition = "src/service/createService.ts";

/** The folders whose code runs on behalf of callers. */
const serving = files.filter(({ path }) => /^src\/(service|agents|transport)\//.test(path));

test("code that serves callers does not import what knows all repositories", () => {
  const forbidden = /^#(catalog|sync|shard|mirrors|indexing|engine\/embedded)\//;
  const found = serving.flatMap(({ path, imports }) =>
    imports.filter((name) => forbidden.test(name)).map((name) => `${path} imports ${name}`),
  );
  assert.deepEqual(found, []);
});

test("handlers are created in one place, over the caller's view", () => {
  const factories = serving.flatMap(({ path, text }) =>
    path.startsWith("src/service/")
      ? [...text.matchAll(/^export function (\w+Handlers)\(/gm)].map(([, name = ""]) => name)
      : [],
  );
  assert.ok(factories.includes("searchHandlers"));
  const found = files.flatMap(({ path, text }) =>
    factories
      .filter((name) => path !== composition && new RegExp(`(?<!function )\\b${name}\\(`).test(text))
      .map((name) => `${path} calls ${name}`),
  );
  assert.deepEqual(found, []);
  const created = files.filter(({ text }) => /(?<!function )\bcreateServices\(/.test(text));
  assert.deepEqual(
    created.map(({ path }) => path),
    ["src/instance/leader.ts"],
  );
});

test("operations that act on the whole instance are for owners", () => {
  const { text = "" } = files.find(({ path }) => path === composition) ?? {};
  const [, union = ""] = /type LocalOperation =([^;]+);/.exec(text) ?? [];
  const names = [...union.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name as OperationName);
  assert.ok(names.includes("clones"));
  // Webhooks only say that something has changed, and are answered the same whatever that is.
  assert.deepEqual(
    names.filter((name) => operation(name).access !== "owner"),
    ["receiveWebhook"],
  );
});

/**
 * Caches of modules serve all callers, so their keys must not depend on what exists: here, a path of a visible repository,
 * the hash of a text that the caller has just read, or the list of visible repositories itself.
 */
const moduleCaches = [
  "src/agents/toolDefinitions.ts",
  "src/service/repositories/stars.ts",
  "src/service/repositories/unindexedRevisions.ts",
  "src/transport/pages/highlight.ts",
];

test("no module keeps results of one caller for another", () => {
  const found = serving.filter(({ text }) =>
    /^(?:export )?const \w+(?:: [^=]+)? = new (?:Map<|WeakMap|ByteCache)/m.test(text),
  );
  assert.deepEqual(found.map(({ path }) => path).sort(), moduleCaches);
});
