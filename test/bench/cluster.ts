/** Compares a frontend with asking its Zoekt nodes directly, over many repositories of parts of a corpus. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runGit } from "#test/support/repo";
import { findProgram, serveZoekt, zoektIndexer } from "#test/support/zoektPrograms";
import { cacheName } from "./corpus";
import { benchFirstResults, type TimedNode, timedNode } from "./firstResults";
import { cpuMsOfThreads, cpuMsSince } from "./processes";
import { Product, postBytes } from "./product";
import { benchQueries, literal, trawlRequest } from "./queries";
import { heading, median, ms, printTable, quantile, ratio } from "./report";
import { zoektRequest } from "./zoekt";

const repositoryCount = 300;
const nodeCount = 3;
const clientCounts = [1, 32] as const;
/** Rounds alternate between the frontend and the nodes, because other programs of the computer disturb both. */
const roundCount = 4;
/** What the nodes return if each document has one. */
const matches = 150;

/** Literals and expressions, of which some are new to every cache. */
const queries = [
  ...benchQueries,
  ...[
    "mutex_lock",
    "dev_err",
    "goto out",
    "sizeof(struct",
    "pm_runtime",
    "spin_unlock",
    "NULL)",
    "u32 val",
  ].map(literal),
];

/** Each side is asked for `seconds`, with each number of clients. */
export async function benchCluster(corpus: string, folder: string, seconds: number): Promise<void> {
  const { repositories, indexFolders, bytes } = splitCorpus(corpus, folder);
  const nodes = await Promise.all(indexFolders.map((path) => serveZoekt(path)));
  const start = (urls: readonly string[]) => {
    const config = join(folder, "trawl.json");
    const zoekt = {
      nodes: urls.map((url, at) => ({ name: `node-${at}`, url, indexFolder: indexFolders[at] })),
      indexer: findProgram(zoektIndexer),
    };
    writeFileSync(config, JSON.stringify({ engine: { zoekt } }), { mode: 0o600 });
    return Product.start(join(folder, "data"), [repositories], { flags: ["--config", config] });
  };
  let product = await start(nodes.map(({ url }) => url));
  const proxies: TimedNode[] = [];
  try {
    await product.ready;
    heading(`A frontend over ${nodeCount} nodes`);
    console.log(
      `${repositoryCount} repositories of ${(bytes / 1e6).toFixed(0)} MB. Direct: each node is asked at the same time for its first 50 ` +
        `documents, with the lines. Frontend: ${matches} matches of all nodes.\n`,
    );
    const direct: Side = {
      pids: nodes.map(({ child }) => child.pid),
      ask: async (turn) => {
        const body = zoektRequest(queries[turn % queries.length] ?? literal(""), false);
        await Promise.all(nodes.map(({ url }) => postBytes(`${url}/api/search`, body, product.agent)));
      },
    };
    const frontend: Side = {
      pids: [product.pid, ...direct.pids],
      ask: async (turn) => {
        const body = { ...trawlRequest(queries[turn % queries.length] ?? literal("")), matches };
        await postBytes(`${product.url}/api/search`, body, product.agent);
      },
    };
    const rows: string[][] = [];
    for (const clients of clientCounts) {
      const costs = await alternate([direct, frontend], clients, (seconds * 1000) / roundCount);
      const [one, other] = costs;
      if (one === undefined || other === undefined) continue;
      const cells = ({ times, cpuMs }: Cost) => [
        String(times.length),
        ms(median(times)),
        ms(quantile(times, 0.99)),
        ms(cpuMs / times.length),
      ];
      rows.push(
        [`${clients} clients, direct`, ...cells(one)],
        [`${clients} clients, frontend`, ...cells(other)],
      );
      rows.push([
        `${clients} clients, ratio`,
        "",
        ratio(median(other.times), median(one.times)),
        ratio(quantile(other.times, 0.99), quantile(one.times, 0.99)),
        ratio(other.cpuMs / other.times.length, one.cpuMs / one.times.length),
      ]);
    }
    printTable(["", "responses", "p50 ms", "p99 ms", "cpu ms"], rows);
    await product.stop();
    for (const { url } of nodes) proxies.push(await timedNode(url));
    product = await start(proxies.map(({ url }) => url));
    await product.ready;
    await benchFirstResults(product, proxies, queries, matches);
  } finally {
    await product.stop();
    for (const proxy of proxies) proxy.stop();
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

interface Side {
  readonly pids: readonly (number | undefined)[];
  ask(turn: number): Promise<void>;
}

interface Cost {
  readonly times: number[];
  cpuMs: number;
}

async function alternate(sides: readonly Side[], clients: number, roundMs: number): Promise<readonly Cost[]> {
  const costs = sides.map((): Cost => ({ times: [], cpuMs: 0 }));
  for (const { ask } of sides) for (let turn = 0; turn < queries.length; turn++) await ask(turn);
  for (let round = 0; round < roundCount; round++) {
    for (const [at, { pids, ask }] of sides.entries()) {
      const cost = costs[at] as Cost;
      const before = pids.map(cpuMsOfThreads);
      const until = performance.now() + roundMs;
      const client = async (first: number) => {
        for (let turn = first; performance.now() < until; turn++) {
          const sentAt = performance.now();
          await ask(turn);
          cost.times.push(performance.now() - sentAt);
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, first) => client(first)));
      for (const [index, pid] of pids.entries()) cost.cpuMs += cpuMsSince(before[index], pid) ?? Number.NaN;
    }
  }
  return costs;
}

interface SplitCorpus {
  readonly repositories: string;
  readonly indexFolders: readonly string[];
  readonly bytes: number;
}

/** Divides the files of a corpus into repositories of the same size, cached in `folder` between runs. */
function splitCorpus(corpus: string, folder: string): SplitCorpus {
  const repositories = join(folder, "repositories");
  const indexFolders = Array.from({ length: nodeCount }, (_, at) => join(folder, `index${at}`));
  const marker = join(folder, "bytes");
  if (existsSync(marker)) return { repositories, indexFolders, bytes: Number(readFileSync(marker, "utf8")) };
  console.log(`Dividing ${corpus} ...\n`);
  rmSync(folder, { recursive: true, force: true });
  for (const path of indexFolders) mkdirSync(path, { recursive: true });
  const paths = listFiles(corpus);
  const sizes = paths.map((path) => statSync(join(corpus, path)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const groups = Array.from({ length: repositoryCount }, (): string[] => []);
  let before = 0;
  for (const [at, path] of paths.entries()) {
    groups[Math.min(repositoryCount - 1, Math.floor((before / bytes) * repositoryCount))]?.push(path);
    before += sizes[at] ?? 0;
  }
  for (const [at, group] of groups.entries()) {
    const gitDir = join(repositories, `part-${String(at).padStart(3, "0")}.git`);
    importFiles(gitDir, corpus, group);
  }
  writeFileSync(marker, String(bytes));
  return { repositories, indexFolders, bytes };
}

function listFiles(corpus: string): readonly string[] {
  return runGit(corpus, ["ls-files", "-z", "."])
    .toString()
    .split("\0")
    .filter((path) => path !== "" && statSync(join(corpus, path), { throwIfNoEntry: false })?.isFile())
    .sort();
}

function importFiles(gitDir: string, corpus: string, paths: readonly string[]): void {
  mkdirSync(gitDir, { recursive: true });
  runGit(gitDir, ["init", "-q", "--bare", "-b", "main"]);
  const author = "Bench <bench@localhost> 1700000000 +0000";
  const files = paths.flatMap((path) => {
    const content = readFileSync(join(corpus, path));
    const head = `M 100644 inline ${JSON.stringify(path)}\ndata ${content.length}\n`;
    return [Buffer.from(head), content, Buffer.from("\n")];
  });
  const commit = Buffer.from(`commit refs/heads/main\ncommitter ${author}\ndata 6\nCorpus\n`);
  runGit(gitDir, ["fast-import", "--quiet"], Buffer.concat([commit, ...files]));
}

/** Returns the folder in which the parts of a corpus are cached. */
export function clusterFolder(corpus: string, folder: string): string {
  return join(folder, `cluster-${cacheName(corpus)}`);
}
