/** The MCP server that the extension offers to VS Code's agent mode. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { McpProvider } from "#client/endpoint/mcpProvider";
import { mcpProviderId } from "#client/endpoint/toolNames";
import {
  EventEmitter,
  type McpServerProvider,
  mcpServerProviders,
  settings,
  setVersion,
} from "#test/support/vscode";

const settingsChanged = new EventEmitter();
const wanted = { "api.agentTools": false, "api.agentMcpServer": true };
let program: [string, ...string[]] = ["/old/trawl.js"];
let opened: McpProvider | undefined;

afterEach(() => {
  opened?.dispose();
  settingsChanged.dispose();
  setVersion("1.139.0");
  for (const name of Object.keys(wanted)) delete settings[name];
  program = ["/old/trawl.js"];
});

/** Opens a window with these settings. */
function openWindow(change: Readonly<Record<string, boolean>>): void {
  Object.assign(settings, change);
  opened = new McpProvider({
    version: "7.0.0",
    program: () => program,
    onSettings: settingsChanged.event as never,
  });
}

function changeSettings(change: Readonly<Record<string, boolean>>): void {
  Object.assign(settings, change);
  settingsChanged.fire();
}

/** Returns what VS Code knows of, if anything. */
function offered(): McpServerProvider | undefined {
  return mcpServerProviders.get(mcpProviderId);
}

test("the server is offered while the settings say so, and not beside the tools", () => {
  openWindow({ "api.agentTools": true, "api.agentMcpServer": true });
  assert.equal(offered(), undefined);
  changeSettings({ "api.agentTools": false });
  const definitions = offered()?.provideMcpServerDefinitions();
  assert.deepEqual(
    definitions?.map((each) => ({ ...(each as object) })),
    [{ args: ["/old/trawl.js", "mcp"], version: "7.0.0" }],
  );
  changeSettings({ "api.agentMcpServer": false });
  assert.equal(offered(), undefined);
  changeSettings(wanted);
  assert.notEqual(offered(), undefined);
  opened?.dispose();
  assert.equal(offered(), undefined);
});

test("VS Code learns that the program has changed, and of no other change", () => {
  openWindow(wanted);
  const provider = offered();
  let changes = 0;
  provider?.onDidChangeMcpServerDefinitions(() => changes++);
  changeSettings(wanted);
  assert.equal(changes, 0);
  program = ["/new/trawl.js", "--data-dir", "/data"];
  changeSettings(wanted);
  assert.equal(changes, 1);
  assert.equal(offered(), provider);
  const [definition] = provider?.provideMcpServerDefinitions() ?? [];
  assert.deepEqual((definition as { readonly args: unknown }).args, [
    "/new/trawl.js",
    "mcp",
    "--data-dir",
    "/data",
  ]);
});

for (const [version, isOffered] of [
  ["1.100.3", false],
  ["1.101.0", true],
  ["1.101.0-insider", true],
  ["1.139.0", true],
  ["2.0.0", true],
] as const) {
  test(`the server is ${isOffered ? "offered" : "not offered"} in VS Code ${version}`, () => {
    setVersion(version);
    openWindow(wanted);
    assert.equal(offered() !== undefined, isOffered);
  });
}
