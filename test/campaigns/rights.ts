/**
 * Sends random requests as members who see some repositories only, and compares each response with that of a server that
 * has only these repositories.
 */
import * as fc from "fast-check";
import { compare, rightsRequests } from "#test/support/rightsFuzz";
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
  const counts = new Map<string, { cases: number; telling: number }>();
  try {
    const { byOperation, others } = rightsRequests(world);
    const requests = fc.oneof(...byOperation.values(), ...others);
    let index = 0;
    for (const sample of fc.sample(requests, { numRuns: count, seed })) {
      const viewer = world.viewers[index++ % world.viewers.length];
      if (viewer === undefined) continue;
      const kind = "operation" in sample ? sample.operation : (Object.keys(sample)[0] ?? "");
      const { leak, isTelling } = await compare(viewer, sample);
      const { cases, telling } = counts.get(kind) ?? { cases: 0, telling: 0 };
      counts.set(kind, { cases: cases + 1, telling: telling + Number(isTelling) });
      if (leak !== undefined) failures.push(leak);
    }
  } finally {
    await world.close();
  }
  const figures = [...counts].map(
    ([kind, { cases, telling }]) => [kind, `${cases}, ${telling} of them with content`] as const,
  );
  return { figures, failures };
}
