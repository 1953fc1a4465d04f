/** The manifest's agent tools: their definitions come from the server, which runs them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toolDefinitions } from "#agents/toolDefinitions";
import { mcpProviderId, toolNames } from "#client/endpoint/toolNames";
import { readProjectFile } from "#test/support/client";

interface Tool {
  readonly name: string;
  readonly when: string;
  readonly displayName: string;
  readonly toolReferenceName: string;
  readonly modelDescription: string;
  readonly icon: string;
  readonly inputSchema: object;
}

const packageJSON = JSON.parse(readProjectFile("package.json"));
const tools: readonly Tool[] = packageJSON.contributes.languageModelTools;

test("exactly the server's tools are declared and registered", () => {
  const names = toolDefinitions().map(({ name }) => `trawl_${name}`);
  assert.deepEqual(
    tools.map(({ name }) => name),
    names,
  );
  assert.deepEqual(toolNames({ packageJSON }), names);
});

test("every tool can be turned off, and has its own icon and a name that users can type", () => {
  for (const { name, when, displayName, modelDescription, toolReferenceName } of tools) {
    assert.equal(when, "config.trawl.api.agentTools", name);
    assert.match(displayName, /^%.+%$/, name);
    assert.match(toolReferenceName, /^\w+$/, name);
    assert.ok(modelDescription.length > 50, name);
  }
  assert.equal(new Set(tools.map(({ icon }) => icon)).size, tools.length);
});

test("the MCP server is offered only where the tools are not", () => {
  const providers = packageJSON.contributes.mcpServerDefinitionProviders;
  const when = "!config.trawl.api.agentTools && config.trawl.api.agentMcpServer";
  assert.deepEqual(providers, [{ id: mcpProviderId, label: "Trawl", when }]);
});
