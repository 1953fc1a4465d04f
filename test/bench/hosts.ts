/** Compares mirroring a host with a loop of `git clone --mirror`, and sends many webhooks at once. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gitServer } from "#test/support/gitServer";
import { textOf, writeRepository } from "./corpus";
import { benchDeliveries } from "./deliveries";
import { cpuSecondsOfTree } from "./processes";
import { Product } from "./product";
import { heading, median, printTable, ratio } from "./report";

const repositoryCount = 300;
const filesEach = 12;
const rounds = 3;
const pollMs = 20;
const secret = "bench-secret";

interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number | undefined;
}

interface Synced {
  readonly mirrored: Cost;
  readonly searchable: Cost;
}

export async function benchHosts(folder: string): Promise<void> {
  const closing: (() => void)[] = [];
  const server = await gitServer({ after: (close: () => void) => void closing.push(close) });
  try {
    const paths = Array.from({ length: repositoryCount }, (_, at) => `acme/repository${at}`);
    for (const [at, path] of paths.entries()) {
      const files = Array.from({ length: filesEach }, (_, file) => [
        `file${file}.c`,
        textOf(at * 100 + file),
      ]);
      writeRepository(server.folderOf(path), new Map(files as [string, string][]));
    }
    const loops: Cost[] = [];
    const synced: Synced[] = [];
    for (let round = 0; round < rounds; round++) {
      const loop = await cloneEach(join(folder, "clones"), server.origin, paths);
      const sync = await syncAll(join(folder, "data"), server.origin, paths);
      loops.push(loop);
      synced.push(sync);
      printRound(round + 1, loop, sync);
    }
    heading(`${repositoryCount} repositories of a host`);
    printRatios(loops, synced);
    const file = configure(join(folder, "hooks"), server.origin, paths);
    await benchDeliveries(join(folder, "hooks"), { file, paths, secret, server });
  } finally {
    for (const close of closing) close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function printRound(round: number, loop: Cost, { mirrored, searchable }: Synced): void {
  const costs = [loop, mirrored, searchable].map(
    ({ seconds, cpuSeconds = Number.NaN }) => `${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s CPU)`,
  );
  console.log(`Round ${round}: loop ${costs[0]}, mirrored ${costs[1]}, searchable ${costs[2]}\n`);
}

function printRatios(loops: readonly Cost[], synced: readonly Synced[]): void {
  const middle = (costs: readonly Cost[]) => ({
    seconds: median(costs.map(({ seconds }) => seconds)),
    cpuSeconds: median(costs.map(({ cpuSeconds = Number.NaN }) => cpuSeconds)),
  });
  const loop = middle(loops);
  const row = (name: string, cost: ReturnType<typeof middle>) => [
    name,
    cost.seconds.toFixed(1),
    ratio(cost.seconds, loop.seconds),
    cost.cpuSeconds.toFixed(1),
    ratio(cost.cpuSeconds, loop.cpuSeconds),
  ];
  printTable(
    [`median of ${loops.length}`, "seconds", "to loop", "CPU seconds", "to loop"],
    [
      row("loop of `git clone --mirror`", loop),
      row("Trawl: all mirrored", middle(synced.map(({ mirrored }) => mirrored))),
      row("Trawl: all searchable", middle(synced.map(({ searchable }) => searchable))),
    ],
  );
}

/** The CPU seconds are those of the shell and of git, not those of the server. */
async function cloneEach(folder: string, origin: string, paths: readonly string[]): Promise<Cost> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const script =
    'for path; do git clone -q --mirror "$ORIGIN/$path.git" "$(basename "$path").git"; done; times';
  const began = performance.now();
  const child = spawn("sh", ["-ec", script, "sh", ...paths], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1", ORIGIN: origin },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text: Buffer) => {
    output += text.toString();
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`The loop exited with ${code}.`);
  const seconds = (performance.now() - began) / 1000;
  const times = [...output.matchAll(/(\d+)m([\d.]+)s/g)];
  return { seconds, cpuSeconds: times.reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0) };
}

async function syncAll(dataDir: string, origin: string, paths: readonly string[]): Promise<Synced> {
  rmSync(dataDir, { recursive: true, force: true });
  const began = performance.now();
  const product = await Product.start(dataDir, ["--config", configure(dataDir, origin, paths)]);
  const cost = (): Cost => ({
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: cpuSecondsOfTree(product.pid),
  });
  try {
    while (mirrorCount(dataDir) < paths.length) await sleep(pollMs);
    const mirrored = cost();
    // A search over everything is exhaustive once everything is indexed.
    while (!(await product.search({ query: "not_in_any_file" })).isSearchExhaustive) await sleep(pollMs);
    const searchable = cost();
    return { mirrored, searchable };
  } finally {
    await product.stop();
  }
}

function configure(dataDir: string, origin: string, paths: readonly string[]): string {
  const main = {
    type: "genericGitHost",
    url: origin,
    allowHttp: true,
    include: { repos: paths.map((path) => `${path}.git`) },
    webhook: { secret: { file: `${dataDir}.secret` } },
    sync: { fetchMin: "1h" },
  };
  const file = `${dataDir}.json`;
  mkdirSync(join(dataDir, ".."), { recursive: true });
  writeFileSync(`${dataDir}.secret`, secret);
  writeFileSync(file, JSON.stringify({ connections: { main } }), { mode: 0o600 });
  return file;
}

function mirrorCount(dataDir: string): number {
  try {
    return readdirSync(join(dataDir, "mirrors")).filter((name) => name.endsWith(".git")).length;
  } catch {
    return 0;
  }
}
