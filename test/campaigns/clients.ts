/**
 * Runs clients of the language server, each with its configuration from `docs/editors.md`, and a raw client whose random
 * edits and requests are compared with a plain model of its documents. All messages of the server are checked against
 * the types of the protocol.
 *
 * A client that is not installed is reported as not run, or fails if `CLIENTS_REQUIRED` names it (names separated by
 * semicolons, or `all`). `.ci/clients` installs them. `CLIENTS` restricts which ones are run.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "#test/support/eventually";
import { projectRoot } from "#test/support/house";
import type { Campaign, CampaignResult } from "./campaign";
import { checker, clients as editors, programsFor } from "./clients/editors";
import { createHome, type Home, runProgram } from "./clients/home";
import { runRawClient } from "./clients/rawClient";
import { differences } from "./clients/steps";

export const clients: Campaign = {
  summary: "steps of random edits and requests over LSP; the editors of docs/editors.md before them",
  fullCount: 5000,
  shortCount: 300,
  async run({ count, random, scratch }): Promise<CampaignResult> {
    const figures: (readonly [string, string])[] = [];
    const failures: string[] = [];
    const connections: string[] = [];
    for (const client of editors.filter(({ name }) => isWanted(name))) {
      const began = performance.now();
      const programs = programsFor(client);
      if (typeof programs === "string") {
        figures.push([client.name, `NOT RUN: ${programs}`]);
        if (isRequired(client.name)) failures.push(`${client.name} was not run: ${programs}`);
        continue;
      }
      const home = createHome(join(scratch, client.name.replaceAll(/\W/g, "")), programs);
      const results = await client.run(home, programs);
      const found = [...differences(results, home.path), ...(await endings(home))];
      failures.push(...found.map((each) => `${client.name}: ${each}`));
      connections.push(...home.connections());
      figures.push([client.name, found.length === 0 ? `as expected, ${seconds(began)}` : "DIFFERS"]);
    }
    const began = performance.now();
    const home = createHome(join(scratch, "raw"), {});
    const raw = await runRawClient(home, count, random);
    failures.push(...raw.failures.map((each) => `raw client: ${each}`));
    connections.push(...home.connections());
    figures.push(["raw client", `${raw.summary}, ${seconds(began)}`]);
    const checked = await checkMessages(connections);
    failures.push(...checked.failures);
    figures.push(["messages checked", checked.summary]);
    return { figures, failures };
  },
};

export function isWanted(name: string): boolean {
  const wanted = process.env["CLIENTS"];
  return wanted === undefined || wanted.split(";").includes(name);
}

export function isRequired(name: string): boolean {
  const required = process.env["CLIENTS_REQUIRED"] ?? "";
  return required === "all" || required.split(";").includes(name);
}

/** Returns problems with how the servers of a client started and exited. */
async function endings(home: Home): Promise<string[]> {
  if (home.connections().length === 0) return ["no server was started"];
  // Some editors do not wait for the server to exit.
  const lock = join(home.path, "data/trawl/owner.lock");
  const isGone = await eventually(() => !existsSync(lock)).then(
    () => true,
    () => false,
  );
  return isGone ? [] : ["the server did not end"];
}

async function checkMessages(connections: readonly string[]) {
  const programs = programsFor(checker);
  if (typeof programs === "string") {
    const failures = isRequired("messages") ? [`messages were not checked: ${programs}`] : [];
    return { summary: `NOT CHECKED: ${programs}`, failures };
  }
  const script = join(projectRoot(), "test/campaigns/clients/check_messages.py");
  const folders = connections.filter((folder) => existsSync(join(folder, "out")));
  const { output } = await runProgram(programs["python3"] ?? "", [script, ...folders], {
    cwd: projectRoot(),
    env: process.env,
    timeLimitMs: 120_000,
  });
  try {
    const { messages, problems } = JSON.parse(output) as { messages: number; problems: string[] };
    return { summary: `${messages} of ${folders.length} connections`, failures: problems };
  } catch {
    return { summary: "FAILED", failures: [`messages could not be checked: ${output.slice(-2000)}`] };
  }
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
