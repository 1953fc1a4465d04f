/**
 * `npm run campaign -- NAME... [--except NAME] [--count N] [--seed N] [--short]`
 *
 * Runs campaigns: many generated attempts to break the product, bounded and repeatable. Prints the figures of each, and
 * exits with 1 if any case failed. `all` stands for every campaign, and `--except` leaves one out; `--short` runs the
 * smaller number of cases that continuous integration runs; `--count` and `--seed` override the number of cases and the
 * seed.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "#test/bench/report";
import { Random } from "#test/support/corpus";
import { projectRoot } from "#test/support/house";
import type { Campaign } from "./campaign";
import { clients } from "./clients";
import { damage } from "./damage";
import { hostile } from "./hostile";
import { kills } from "./kills";
import { mcpClients } from "./mcpClients";
import { regexps } from "./regexps";
import { rights } from "./rights";
import { tools } from "./tools";

const campaigns: Readonly<Record<string, Campaign>> = {
  regexps,
  hostile,
  kills,
  damage,
  clients,
  mcpClients,
  tools,
  rights,
};

const shownFailures = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    except: { type: "string", multiple: true, default: [] },
    count: { type: "string" },
    seed: { type: "string", default: "1" },
    short: { type: "boolean", default: false },
  },
});
const named = positionals.includes("all") ? Object.keys(campaigns) : positionals;
const unknown = [...named, ...values.except].filter((name) => !Object.hasOwn(campaigns, name));
const names = named.filter((name) => !values.except.includes(name));
if (positionals.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`Unknown campaigns: ${unknown.join(", ")}.`);
  for (const [name, { summary }] of Object.entries(campaigns)) console.error(`${name.padEnd(12)}${summary}`);
  process.exit(2);
}

const scratch = join(projectRoot(), "out/campaigns", `run-${process.pid}`);
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  for (const name of names) {
    const campaign = campaigns[name];
    if (campaign === undefined) continue;
    const seed = Number(values.seed);
    const count = Number(values.count ?? (values.short ? campaign.shortCount : campaign.fullCount));
    const folder = join(scratch, name);
    mkdirSync(folder, { recursive: true });
    console.log(`\n## ${name}: ${count} cases, seed ${seed}\n`);
    const began = performance.now();
    const { figures, failures } = await campaign.run({
      count,
      seed,
      random: new Random(seed),
      scratch: folder,
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    printTable(
      ["figure", "value"],
      [...figures, ["seconds", seconds], ["failures", String(failures.length)]],
    );
    for (const failure of failures.slice(0, shownFailures)) console.error(`FAILED ${failure}`);
    if (failures.length > shownFailures)
      console.error(`... and ${failures.length - shownFailures} more failures`);
    if (failures.length > 0) process.exitCode = 1;
  }
}
