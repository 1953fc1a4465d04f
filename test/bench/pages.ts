/** Measures the pages of the server as a browser requests them: the first byte, the whole page, and memory under load. */
import { Agent, get } from "node:http";
import { basename } from "node:path";
import { git } from "./corpus";
import { cpuSecondsOfTree, memoryOf } from "./processes";
import type { Product } from "./product";
import { heading, median, megabytes, ms, printTable, quantile } from "./report";

const clientCount = 32;
const repeats = 10;
const variety = 12;
const memoryReports = 6;

interface PageTime {
  readonly firstByteMs: number;
  readonly wholeMs: number;
}

/** Requests pages of each kind one by one, then all kinds from many clients for some time. */
export async function benchPages(product: Product, clone: string, seconds: number): Promise<void> {
  const kinds = pageKinds(clone);
  const agent = new Agent({ keepAlive: true, maxSockets: clientCount });
  const rows: string[][] = [];
  for (const [kind, paths] of Object.entries(kinds)) {
    for (const path of paths) await timePage(product.url + path, agent);
    const times: PageTime[] = [];
    const cpuBefore = cpuSecondsOfTree(product.pid);
    for (let turn = 0; turn < repeats; turn++) {
      for (const path of paths) times.push(await timePage(product.url + path, agent));
    }
    const cpuMs = 1000 * ((cpuSecondsOfTree(product.pid) ?? 0) - (cpuBefore ?? 0));
    const first = times.map(({ firstByteMs }) => firstByteMs);
    const whole = times.map(({ wholeMs }) => wholeMs);
    rows.push([
      kind,
      ms(median(first)),
      ms(quantile(first, 0.95)),
      ms(median(whole)),
      ms(quantile(whole, 0.95)),
      cpuBefore === undefined ? "" : ms(cpuMs / times.length),
    ]);
  }
  heading("Pages, warm, one at a time");
  printTable(["page", "first byte p50 ms", "p95 ms", "whole p50 ms", "p95 ms", "processor ms"], rows);
  await benchLoadedPages(product, Object.values(kinds).flat(), agent, seconds);
  agent.destroy();
}

async function benchLoadedPages(
  product: Product,
  paths: readonly string[],
  agent: Agent,
  seconds: number,
): Promise<void> {
  const times: number[] = [];
  const memory: string[] = [];
  const watch = setInterval(
    () => memory.push(megabytes(memoryOf(product.pid)?.now)),
    (seconds * 1000) / memoryReports,
  );
  const began = performance.now();
  const client = async (first: number) => {
    for (let turn = first; performance.now() - began < seconds * 1000; turn += 7) {
      times.push((await timePage(product.url + (paths[turn % paths.length] ?? "/"), agent)).wholeMs);
    }
  };
  await Promise.all(Array.from({ length: clientCount }, (_, n) => client(n)));
  clearInterval(watch);
  heading(`Pages for ${clientCount} clients`);
  const perSecond = times.length / ((performance.now() - began) / 1000);
  printTable(
    ["pages", "per second", "p50 ms", "p95 ms", "worst ms"],
    [
      [
        String(times.length),
        perSecond.toFixed(0),
        ms(median(times)),
        ms(quantile(times, 0.95)),
        ms(quantile(times, 1)),
      ],
    ],
  );
  console.log(`Resident, MB, at ${memoryReports} even times: ${memory.join(", ")}\n`);
}

/** Returns the paths of pages by kind, for files and commits that are spread over a clone. */
function pageKinds(clone: string): Readonly<Record<string, readonly string[]>> {
  const paths = spread(lines(clone, "ls-files"));
  const commits = spread(lines(clone, "log", "--format=%H", "--max-count=1000"));
  const encoded = paths.map((path) => path.split("/").map(encodeURIComponent).join("/"));
  const folders = encoded.map((path) => path.split("/").slice(0, -1).join("/"));
  const base = `/browse/${encodeURIComponent(basename(clone))}/-`;
  return {
    search: ["/?q=kmalloc", "/?q=return", "/?q=lang:c+struct", "/?q=file:readme", "/"],
    file: encoded.map((path) => `${base}/blob/${path}`),
    blame: encoded.map((path) => `${base}/blob/${path}?blame=1`),
    raw: encoded.map((path) => `${base}/raw/${path}`),
    folder: folders.map((path) => `${base}/tree/${path}`),
    commit: commits.map((hash) => `${base}/commit/${hash}`),
    history: [`${base}/commits`, ...encoded.map((path) => `${base}/commits/${path}`)],
    authors: [`${base}/authors`],
    revisions: [`${base}/refs`],
    "go to file": [`${base}/find`, `${base}/find?filter=main`],
    compare: [`${base}/compare/HEAD...HEAD`],
    repositories: ["/repositories"],
    others: ["/syntax", "/settings"],
  };
}

function lines(clone: string, ...args: readonly string[]): readonly string[] {
  return git(clone, ...args).split("\n");
}

function spread(values: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(values.length / variety));
  return values.filter((_, at) => at % step === 0).slice(0, variety);
}

function timePage(url: string, agent: Agent): Promise<PageTime> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { accept: "text/html", "accept-encoding": "gzip" };
    const sent = get(url, { agent, headers }, (response) => {
      let firstByteMs = 0;
      response.on("data", () => {
        firstByteMs ||= performance.now() - began;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${url} returned status ${response.statusCode}.`));
        else resolve({ firstByteMs, wholeMs: performance.now() - began });
      });
    });
    sent.on("error", reject);
  });
}
