/** Any arguments: no defect, no answer over its budget, and errors that say what to do. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import { estimateTokens } from "#agents/printListing";
import { runTool } from "#agents/runTool";
import { type AgentServer, startAgentServer } from "#test/support/agentServer";
import { toolCalls } from "#test/support/toolFuzz";

let server: AgentServer;
before(async () => {
  server = await startAgentServer();
});
after(() => server.close());

test("random arguments", async () => {
  const signal = new AbortController().signal;
  await fc.assert(
    fc.asyncProperty(toolCalls, async ({ name, args }) => {
      const call = { credentials: { kind: "local" }, signal } as const;
      const { text, isError } = await runTool(name, args, server.caller, call, (error) => {
        throw error;
      });
      const { maxTokens } = (args ?? {}) as { readonly maxTokens?: unknown };
      const budget =
        typeof maxTokens === "number" && maxTokens >= 200 && maxTokens <= 50_000 ? maxTokens : 8000;
      assert.ok(estimateTokens(text) <= budget, text);
      assert.doesNotMatch(text, /internal error/i);
      assert.equal(isError, text.startsWith("Error: "), text);
      if (isError) assert.match(text, /\.|\?/);
    }),
    { numRuns: 400 },
  );
});
