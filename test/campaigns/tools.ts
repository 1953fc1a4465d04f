/**
 * Calls the tools for agents with random arguments, on a real server.
 *
 * No call may fail because of a defect, exceed its budget or contain control characters.
 */
import * as fc from "fast-check";
import type { Caller } from "#contract/service";
import { quantile } from "#test/bench/report";
import { startAgentServer } from "#test/support/agentServer";
import { checkToolCall, toolCalls } from "#test/support/toolFuzz";
import type { Campaign, CampaignOptions, CampaignResult } from "./campaign";

export const tools: Campaign = {
  summary: "random arguments of the tools for agents; a case is a call",
  fullCount: 10_000,
  shortCount: 1000,
  run,
};

async function run({ count, seed }: CampaignOptions): Promise<CampaignResult> {
  const server = await startAgentServer();
  const failures: string[] = [];
  const times: number[] = [];
  try {
    for (const call of fc.sample(toolCalls, { numRuns: count, seed })) {
      const start = performance.now();
      let operations = 0;
      const caller: Caller = (...operation) => {
        operations++;
        return server.caller(...operation);
      };
      const problem = await checkToolCall(call, caller);
      // Other calls were refused by the schema of the tool.
      if (operations > 0) times.push(performance.now() - start);
      if (problem !== undefined) failures.push(`${call.name} ${JSON.stringify(call.args)}: ${problem}`);
    }
  } finally {
    await server.close();
  }
  const milliseconds = (part: number) => `${quantile(times, part).toFixed(1)} ms`;
  return {
    figures: [
      ["calls with valid arguments", String(times.length)],
      ["time of a call, median", milliseconds(0.5)],
      ["95 %", milliseconds(0.95)],
    ],
    failures,
  };
}
