/** What is added to the configuration files of MCP clients, and what is left to their users. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { entrySnippet, mcpClients, withTrawl } from "#agents/clientConfiguration";

const command = { command: "/usr/bin/node", args: ["/opt/trawl.js", "mcp"] };
const fromEditor = { ...command, env: { ELECTRON_RUN_AS_NODE: "1" } };
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
  [
    "cursor",
    '{ "mcpServers": { "trawl": { "command": "node", "args": ["/old/trawl.js", "mcp", "--data-dir", "/mine"] } } }',
    /another entry/,
  ],
  [
    "cursor",
    '{ "mcpServers": { "trawl": { "command": "node", "args": ["/old/trawl.js", "mcp"], "env": { "A": "1" } } } }',
    /another entry/,
  ],
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

test("an entry for the same Trawl in another folder is replaced", () => {
  for (const client of mcpClients.filter(({ format }) => format === "json")) {
    for (const current of [command, fromEditor]) {
      const old = withTrawl(client, "{}", {
        ...current,
        command: "/old/node",
        args: ["/old/0.1.0/trawl.js", "mcp"],
      });
      const expected = withTrawl(client, "{}", current);
      assert.ok(old.kind === "changed" && expected.kind === "changed");
      const updated = withTrawl(client, old.text, current);
      assert.ok(updated.kind === "changed", client.name);
      assert.deepEqual(JSON.parse(updated.text), JSON.parse(expected.text));
    }
  }
});

test("the variable with which VS Code runs as Node is part of the entry", () => {
  const snippets = mcpClients.map((client) => [client.name, entrySnippet(client, fromEditor)] as const);
  for (const [name, snippet] of snippets) {
    const expected =
      name === "codex" ? 'env = { ELECTRON_RUN_AS_NODE = "1" }\n' : '"ELECTRON_RUN_AS_NODE": "1"';
    assert.ok(snippet.includes(expected), snippet);
  }
});
