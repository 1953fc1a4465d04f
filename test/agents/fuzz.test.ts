/** Any arguments: no defect, no result over its budget. `npm run campaign -- tools` tries more of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import { type AgentServer, startAgentServer } from "#test/support/agentServer";
import { checkToolCall, toolCalls } from "#test/support/toolFuzz";

let server: AgentServer;
before(async () => {
  server = await startAgentServer();
});
after(() => server.close());

test("random arguments", async () => {
  await fc.assert(
    fc.asyncProperty(toolCalls, async (call) =>
      assert.equal(await checkToolCall(call, server.caller), undefined),
    ),
    { numRuns: 400 },
  );
});
