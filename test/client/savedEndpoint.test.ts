/** The local endpoint: reopens as it was, and only with the same protection. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { ApiKeys } from "#client/endpoint/apiKeys";
import { endpointCommands } from "#client/endpoint/endpointCommands";
import { SavedEndpoint } from "#client/endpoint/savedEndpoint";
import { eventually } from "#test/support/eventually";
import { EventEmitter, files, settings, Uri } from "#test/support/vscode";

const path = "/storage/endpoint.json";
const key = { id: "1", userId: "1" };
let keys: readonly unknown[];
let calls: string[];

beforeEach(() => {
  keys = [key];
  calls = [];
  settings["api.allowedOrigins"] = [];
});

afterEach(() => {
  files.clear();
  delete settings["api.allowedOrigins"];
});

/** A window that has just been opened; its server runs after `start`. */
function openWindow() {
  const state = new EventEmitter();
  const responses: Readonly<Record<string, () => unknown>> = {
    keys: () => keys,
    members: () => [{ id: "1", email: "a@example.com" }],
  };
  const service = {
    onState: state.event,
    call: async (operation: string) => {
      calls.push(operation);
      return responses[operation]?.() ?? {};
    },
  } as never;
  const instance = { refresh: async () => undefined, state: { dataDir: "/data" } } as never;
  const apiKeys = new ApiKeys(service);
  const folder = new Uri("/storage") as never;
  const warnings: string[] = [];
  const savedEndpoint = new SavedEndpoint({
    service,
    instance,
    keys: apiKeys,
    folder,
    warn: (text) => warnings.push(text),
  });
  return {
    savedEndpoint,
    keys: apiKeys,
    commands: endpointCommands({ service, instance, keys: apiKeys, savedEndpoint }),
    warnings,
    start: () => state.fire("running"),
  };
}

function remembered(): unknown {
  const text = files.get(path);
  return text === undefined ? undefined : JSON.parse(text);
}

async function startOnce(): Promise<void> {
  const window = openWindow();
  await window.keys.load();
  await window.savedEndpoint.remember("http://127.0.0.1:4878");
}

/** Waits until all pending work is done. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

test("an endpoint with keys reopens when the server starts", async () => {
  await startOnce();
  assert.deepEqual(remembered(), { port: 4878, dataDir: "/data", hasKeys: true });
  calls = [];
  openWindow().start();
  await eventually(async () => calls.includes("startEndpoint"));
  assert.ok(!calls.includes("stopEndpoint"));
});

test("an endpoint whose keys are lost stays closed, however often the server starts", async () => {
  await startOnce();
  keys = [];
  for (let restart = 0; restart < 2; restart++) {
    calls = [];
    openWindow().start();
    await settle();
    assert.ok(!calls.includes("startEndpoint"), `restart ${restart}`);
    assert.equal(remembered(), undefined);
  }
});

test("an endpoint whose keys are lost stays closed if something else notices it first", async () => {
  await startOnce();
  keys = [];
  calls = [];
  const window = openWindow();
  await window.keys.load();
  await settle();
  window.start();
  await settle();
  assert.ok(!calls.includes("startEndpoint"));
});

test("an endpoint without keys is protected once it has one", async () => {
  keys = [];
  await startOnce();
  const window = openWindow();
  keys = [key];
  await window.keys.load();
  await eventually(async () => files.get(path)?.includes('"hasKeys":true') === true);
  keys = [];
  calls = [];
  openWindow().start();
  await settle();
  assert.ok(!calls.includes("startEndpoint"));
});

test("keys that are not known count as protection", async () => {
  await openWindow().savedEndpoint.remember("http://127.0.0.1:4878");
  assert.deepEqual(remembered(), { port: 4878, dataDir: "/data", hasKeys: true });
});

test("forgetting an endpoint is not undone by keys that are noticed at the same time", async () => {
  keys = [];
  await startOnce();
  const window = openWindow();
  keys = [key];
  await window.keys.load();
  await window.savedEndpoint.forget();
  await settle();
  assert.equal(remembered(), undefined);
  await window.savedEndpoint.forget();
  assert.deepEqual(window.warnings, []);
});

test("the endpoint stops even if it cannot be forgotten", async () => {
  const { commands, savedEndpoint } = openWindow();
  savedEndpoint.forget = () => Promise.reject(new Error("disk"));
  await assert.rejects(async () => commands["api.stop"]());
  assert.deepEqual(calls, ["stopEndpoint"]);
});
