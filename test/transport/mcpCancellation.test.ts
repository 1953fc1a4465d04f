/** A canceled MCP request cancels its operation, and so does a closed connection. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { canceled } from "#base/error";
import type { Call, Caller } from "#contract/service";
import { silentLog } from "#platform/log";
import { openListener } from "#test/support/service";
import { createMcpServer } from "#transport/mcp/mcpServer";

/** A caller whose searches run until they are canceled. */
function waitingCaller() {
  const events = new EventEmitter();
  const [started, stopped] = [once(events, "started"), once(events, "stopped")];
  const caller = async (name: string, _request: unknown, { signal }: Call) => {
    if (name !== "search") return { version: "1" };
    events.emit("started");
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        events.emit("stopped");
        reject(canceled());
      });
    });
  };
  return { caller: caller as Caller, started, stopped };
}

const grep = { name: "grep", arguments: { pattern: "x" } };

test("a notification cancels the operation", async () => {
  const { caller, started, stopped } = waitingCaller();
  const [there, back] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(
    { version: "1", caller, log: silentLog },
    { credentials: { kind: "local" } },
  );
  await server.connect(back as never);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(there);
  const controller = new AbortController();
  const called = client.callTool(grep, { signal: controller.signal });
  await started;
  controller.abort();
  await assert.rejects(called);
  await stopped;
  await client.close();
});

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const requests: Readonly<Record<string, [headers: Record<string, string>, params: object]>> = {
  "2026-07-28": [
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "grep" },
    { ...grep, _meta: meta },
  ],
  "2025-11-25": [{ "mcp-protocol-version": "2025-11-25" }, grep],
};

for (const [version, [headers, params]] of Object.entries(requests)) {
  test(`closing the connection cancels the operation in version ${version}`, async () => {
    const { caller, started, stopped } = waitingCaller();
    const listener = await openListener(caller);
    const controller = new AbortController();
    try {
      const sent = fetch(`${listener.url}/mcp`, {
        method: "POST",
        signal: controller.signal,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      }).then((response) => response.text());
      sent.catch(() => undefined);
      await Promise.race([started, sent.then((text) => assert.fail(text))]);
      controller.abort();
      await stopped;
    } finally {
      await listener.close();
    }
  });
}
