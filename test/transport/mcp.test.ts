/** MCP by the official client, over standard input and output and over HTTP, in every version that is served. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toolDefinitions } from "#agents/toolDefinitions";
import { type AgentServer, startAgentServer } from "#test/support/agentServer";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { callerOf, openListener } from "#test/support/service";
import { checkStructuredContent } from "#test/support/structuredContent";
import { startTrawl, trawl, trawlBundle } from "#test/support/trawl";

let server: AgentServer;
before(async () => {
  server = await startAgentServer();
});
after(() => server.close());

const shop = "github.com/acme/shop";
const versions: Readonly<Record<string, ClientOptions>> = {
  "2026-07-28": { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  "2025-11-25": { supportedProtocolVersions: ["2025-11-25"] },
  "2025-06-18": { supportedProtocolVersions: ["2025-06-18"] },
};

type Transport = Parameters<Client["connect"]>[0];
const transports: Readonly<Record<string, () => Transport>> = {
  stdio: () => stdio(server.dataDir),
  HTTP: () => new StreamableHTTPClientTransport(new URL(`${server.served.url}/mcp`)),
};

function stdio(
  dataDir: string,
  cwd = temporaryFolder(),
  flags: readonly string[] = [],
): StdioClientTransport {
  const args = [trawlBundle, "mcp", "--data-dir", dataDir, ...flags];
  return new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "ignore" });
}

async function connect(transport: Transport, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(transport);
  return client;
}

async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}

for (const [over, transport] of Object.entries(transports)) {
  for (const [version, options] of Object.entries(versions)) {
    test(`a session over ${over} with version ${version}`, async () => {
      const client = await connect(transport(), options);
      try {
        assert.equal(client.getNegotiatedProtocolVersion(), version);
        assert.equal(client.getServerVersion()?.name, "trawl");
        assert.match(client.getInstructions() ?? "", /grep/);
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }) => name),
          toolDefinitions().map(({ name }) => name),
        );
        assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
        assert.ok(tools.every(({ outputSchema }) => outputSchema === undefined));
        assert.match(
          await callTool(client, "grep", { pattern: "cart.total" }),
          /\n4: {2}return cart\.total\(\);$/,
        );
        const plain = await client.callTool({ name: "grep", arguments: { pattern: "total" } });
        assert.equal(plain.structuredContent, undefined);
        const wrong = await client.callTool({ name: "grep", arguments: { patern: "x" } });
        assert.equal(wrong.isError, true);
        await assert.rejects(
          client.callTool({ name: "nope", arguments: {} }),
          /Unknown tool\. There are grep/,
        );
        await checkResources(client);
        await checkPrompts(client);
      } finally {
        await client.close();
      }
    });
  }
}

const structuredTransports: Readonly<Record<string, () => Transport>> = {
  stdio: () => stdio(server.dataDir, undefined, ["--structured"]),
  HTTP: () => new StreamableHTTPClientTransport(new URL(`${server.served.url}/mcp?structured=true`)),
};
const structuredCalls: readonly (readonly [name: string, args: Record<string, unknown>])[] = [
  ["grep", { pattern: "total", context: 1 }],
  ["find", { name: "cart", type: "symbols" }],
  ["read", { files: [{ repo: "shop", path: "src/cart.ts", symbol: "total" }] }],
  ["outline", { repo: "shop", path: "src" }],
  ["uses", { symbol: "Cart" }],
  ["history", { repo: "shop" }],
  ["diff", { repo: "shop", head: "main" }],
  ["repos", {}],
];
for (const [over, transport] of Object.entries(structuredTransports)) {
  for (const [version, options] of Object.entries(versions)) {
    test(`structured content over ${over} with version ${version}`, async () => {
      const client = await connect(transport(), options);
      try {
        // The client compiles the schemas, and validates results with them.
        const { tools } = await client.listTools();
        assert.ok(tools.every(({ outputSchema }) => outputSchema?.["type"] === "object"));
        for (const [name, args] of structuredCalls) {
          const { content, structuredContent } = await client.callTool({ name, arguments: args });
          const [first] = content;
          assert.ok(first?.type === "text");
          assert.ok(checkStructuredContent(name, structuredContent ?? {}, first.text) > 0, name);
        }
        const wrong = await client.callTool({ name: "grep", arguments: {} });
        assert.equal(wrong.isError, true);
        assert.equal(wrong.structuredContent, undefined);
      } finally {
        await client.close();
      }
    });
  }
}

test("HTTP: a value of structured that is neither true nor false is refused", async () => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.served.url}/mcp?structured=1`, {
    method: "POST",
    headers,
    body: "{}",
  });
  assert.equal(response.status, 400);
  assert.match(
    await response.text(),
    /INVALID_QUERY_PARAMS.*\\"structured\\" must be true or false, but is \\"1\\"/,
  );
});

async function checkResources(client: Client): Promise<void> {
  const { resourceTemplates } = await client.listResourceTemplates();
  const [{ uriTemplate = "" } = {}] = resourceTemplates;
  const ref = { type: "ref/resource", uri: uriTemplate } as const;
  const complete = async (name: string, value: string, known: Record<string, string> = {}) => {
    const params = { ref, argument: { name, value }, context: { arguments: known } };
    return (await client.complete(params)).completion.values;
  };
  assert.deepEqual(await complete("repo", "sho"), [shop]);
  assert.deepEqual(await complete("rev", "v", { repo: shop }), ["v1"]);
  assert.deepEqual(await complete("path", "cart", { repo: shop, rev: "v1" }), ["src/cart.ts"]);
  assert.deepEqual(await complete("path", "", { repo: "github.com/acme/money" }), [
    `${"long/".repeat(25)}name.txt`,
    "currencies.ts",
    "rates.txt",
    "round.ts",
  ]);
  const uri = `trawl://${encodeURIComponent(shop)}@v1/src/cart.ts`;
  const { contents } = await client.readResource({ uri });
  assert.match(JSON.stringify(contents), /export class Cart/);
  await assert.rejects(client.readResource({ uri: `trawl://${shop}@v1/nope.ts` }), /"nope\.ts" not found/);
  await assert.rejects(client.readResource({ uri: "trawl://x" }), /Use trawl:/);
}

async function checkPrompts(client: Client): Promise<void> {
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.length > 0 && prompts.length <= 3);
  const { messages } = await client.getPrompt({ name: "who_uses", arguments: { symbol: "Cart" } });
  assert.match(JSON.stringify(messages), /uses Cart in all/);
  await assert.rejects(client.getPrompt({ name: "who_uses", arguments: {} }), /"symbol" is missing/);
}

test("trawl mcp leads if no other process does, indexes its folder, and ends with its client", async () => {
  const folder = repo("= main: First\na.ts\n| export const alone = 1;\n").path;
  const dataDir = temporaryFolder();
  const client = await connect(stdio(dataDir, folder));
  const transport = client.transport as StdioClientTransport;
  await eventually(async () =>
    (await callTool(client, "grep", { pattern: "alone" })).startsWith("1 match in 1 file."),
  );
  const { pid } = transport;
  await client.close();
  await eventually(() => !isRunning(pid));
  const status = await trawl(["status", "--data-dir", dataDir]);
  assert.doesNotMatch(status.stdout, /Served/);
});

function isRunning(pid: number | null): boolean {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
}

test("standard output carries nothing but the protocol", async () => {
  const running = startTrawl(["mcp", "--data-dir", server.dataDir]);
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  running.process.stdin.write(`not json\n${JSON.stringify(ping)}\n`);
  await running.line(/"id":1/);
  running.process.stdin.end();
  const { stdout, code } = await running.ended;
  assert.equal(code, 0);
  for (const line of stdout.trim().split("\n")) assert.equal(JSON.parse(line).jsonrpc, "2.0");
});

test("HTTP: access and origins are those of the endpoint, and only POST is allowed", async () => {
  const dataDir = temporaryFolder();
  const closed = await serve(dataDir, [server.shop.path], { flags: ["--anonymous", "off"] });
  try {
    await closed.ready();
    const created = await trawl(["keys", "create", "agent", "--json", "--data-dir", dataDir]);
    const { key } = JSON.parse(created.stdout);
    const url = new URL(`${closed.url}/mcp`);
    const post = (headers: Record<string, string>) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
      });
    const refused = await post({});
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get("www-authenticate"), "Bearer");
    assert.equal((await post({ authorization: "Bearer wrong" })).status, 401);
    assert.equal(
      (await post({ authorization: `Bearer ${key}`, origin: "https://evil.example" })).status,
      403,
    );
    assert.equal((await fetch(url)).status, 405);
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const client = await connect(new StreamableHTTPClientTransport(url, { requestInit }));
    assert.match(await callTool(client, "grep", { pattern: "checkOut" }), /^1 match/);
    await client.close();
  } finally {
    await closed.stop();
  }
});

test("HTTP: with OAuth, clients find the issuer", async () => {
  const issuer = "https://login.example.com";
  const listener = await openListener(callerOf(), { anonymous: "off", oauthIssuer: issuer });
  try {
    const headers = { "content-type": "application/json" };
    const refused = await fetch(`${listener.url}/mcp`, { method: "POST", headers, body: "{}" });
    assert.equal(refused.status, 401);
    const [, metadata = ""] =
      /^Bearer resource_metadata="(.*)"$/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    const found = await fetch(metadata);
    assert.equal(found.status, 200);
    assert.deepEqual(await found.json(), {
      resource: `${listener.url}/mcp`,
      resource_name: "Trawl",
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
    });
  } finally {
    await listener.close();
  }
});
