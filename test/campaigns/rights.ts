/**
 * Sends random requests as members who see some repositories only, and compares each response with that of a server that
 * has only these repositories.
 */
import * as fc from "fast-check";
import { findLeak, rightsRequests } from "#test/support/rightsFuzz";
import { startRightsWorld } from "#test/support/rightsWorld";
import type { Campaign, CampaignOptions, CampaignResult } from "./campaign";

export const rights: Campaign = {
  summary: "requests of members who see some repositories only; a case is a request",
  fullCount: 10_000,
  shortCount: 500,
  run,
};

async function run({ count, seed }: CampaignOptions): Promise<CampaignResult> {
  const world = await startRightsWorld();
  const failures: string[] = [];
  const counts = new Map<string, number>();
  try {
    const { byOperation, others } = rightsRequests(world.commits);
    const requests = fc.oneof(...byOperation.values(), ...others);
    let index = 0;
    for (const sample of fc.sample(requests, { numRuns: count, seed })) {
      const viewer = world.viewers[index++ % world.viewers.length];
      if (viewer === undefined) continue;
      const kind = "operation" in sample ? sample.operation : (Object.keys(sample)[0] ?? "");
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const leak = await findLeak(viewer, sample);
      if (leak !== undefined) failures.push(leak);
    }
  } finally {
    await world.close();
  }
  return { figures: [...counts].map(([kind, number]) => [kind, String(number)] as const), failures };
}
