/** What is added to the configuration files of MCP clients, and what is left to their users. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { entrySnippet, mcpClients, withTrawl } from "#agents/clientConfiguration";

const command = ["/usr/bin/node", "/opt/trawl.js", "mcp"];
const clientOf = (name: string) => mcpClients.find((client) => client.name === name)!;

const changed: readonly (readonly [client: string, before: string | undefined, after: string])[] = [
  [
    "cursor",
    undefined,
    '{\n  "mcpServers": {\n    "trawl": {\n      "command": "/usr/bin/node",\n      "args": [\n        "/opt/trawl.js",\n        "mcp"\n      ]\n    }\n  }\n}\n',
  ],
  [
    "gemini",
    '{\n\t// keep\n\t"theme": "dark",\n\t"mcpServers": { "other": { "command": "x" } }, // and this\n}\n',
    '{\n\t// keep\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t},\n\t\t"trawl": {\n\t\t\t"command": "/usr/bin/node",\n\t\t\t"args": [\n\t\t\t\t"/opt/trawl.js",\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t}, // and this\n}\n',
  ],
  [
    "codex",
    'model = "o5"\n\n[mcp_servers.other]\ncommand = "x"',
    'model = "o5"\n\n[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.trawl]\ncommand = "/usr/bin/node"\nargs = ["/opt/trawl.js","mcp"]\n',
  ],
  [
    "codex",
    '[mcp_servers.trawl-dev]\r\ncommand = "x"\r\n',
    '[mcp_servers.trawl-dev]\r\ncommand = "x"\r\n\r\n[mcp_servers.trawl]\r\ncommand = "/usr/bin/node"\r\nargs = ["/opt/trawl.js","mcp"]\r\n',
  ],
  ["codex", undefined, '[mcp_servers.trawl]\ncommand = "/usr/bin/node"\nargs = ["/opt/trawl.js","mcp"]\n'],
];
for (const [name, before, after] of changed) {
  test(`${name}: ${JSON.stringify(before)} is changed once`, () => {
    assert.deepEqual(withTrawl(clientOf(name), before, command), { kind: "changed", text: after });
    assert.deepEqual(withTrawl(clientOf(name), after, command), { kind: "unchanged" });
  });
}

const refused: readonly (readonly [client: string, before: string, reason: RegExp])[] = [
  ["claude", "{ not json", /not valid JSON/],
  ["claude", "[]", /not valid JSON/],
  ["claude", '{ "mcpServers": [] }', /"mcpServers" is not an object/],
  ["claude", '{ "mcpServers": { "trawl": { "command": "mine" } } }', /another entry/],
  ["opencode", '{ "mcp": { "trawl": null } }', /another entry/],
  ["codex", '[mcp_servers.trawl]\ncommand = "mine"\n', /another entry/],
  ["codex", "[ 'mcp_servers' . \"trawl\".env ]\nA = 1\n", /another entry/],
  ["codex", 'mcp_servers = { other = { command = "x" } }\n', /a form that Trawl does not change/],
  ["codex", 'mcp_servers.trawl.command = "x"\n', /a form that Trawl does not change/],
];
for (const [name, before, reason] of refused) {
  test(`${name}: ${before} is refused`, () => {
    const change = withTrawl(clientOf(name), before, command);
    assert.match(change.kind === "refused" ? change.reason : change.kind, reason);
  });
}

test("every client has an entry that names the command", () => {
  for (const client of mcpClients) assert.match(entrySnippet(client, command), /"\/opt\/trawl\.js",\s*"mcp"/);
});
