/**
 * Profiles one query in every thread of the server. V8 writes a profile for each thread when it ends; these are cut to
 * the time of the requests. Chrome's developer tools, VS Code and speedscope show them as flame graphs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Product } from "./product";
import { type BenchQuery, benchQueries, literal, titleOf, trawlRequest } from "./queries";
import { heading, ms, printTable } from "./report";

const windowMs = 4000;
const shownFunctions = 12;
const scopes = { first: 250, all: 100_000 };

/** Times are microseconds of the monotonic clock. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly startTime: number;
  readonly endTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Window {
  readonly name: keyof typeof scopes;
  readonly from: number;
  readonly to: number;
  readonly requests: number;
}

/** Profiles the query with this pattern over an existing index, and writes the profiles to `folder`. */
export async function profileQuery(dataDir: string, pattern: string, folder: string): Promise<void> {
  const query = benchQueries.find((each) => each.pattern === pattern) ?? literal(pattern);
  const raw = join(folder, "raw");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(raw, { recursive: true });
  const product = await Product.start(dataDir, [], { nodeFlags: ["--cpu-prof", `--cpu-prof-dir=${raw}`] });
  const windows: Window[] = [];
  try {
    await product.ready;
    for (const name of ["first", "all"] as const) windows.push(await run(product, query, name));
  } finally {
    await product.stop();
  }
  heading(`Profile of ${titleOf(query)}`);
  for (const window of windows) {
    const request = `${window.name}: ${window.requests} requests of ${ms((window.to - window.from) / 1000 / window.requests)} ms`;
    const files = readdirSync(raw).sort();
    for (const [at, file] of files.entries()) {
      const profile = cut(JSON.parse(readFileSync(join(raw, file), "utf8")) as Profile, window);
      const rows = selfTimes(profile, window.requests);
      const thread = threadOf(profile);
      if (thread === undefined || rows.length === 0) continue;
      const target = join(folder, `${window.name}-${thread}-${at}.cpuprofile`);
      writeFileSync(target, JSON.stringify(profile));
      printTable([`${request}, ${thread}`, "ms a request"], rows);
    }
  }
  rmSync(raw, { recursive: true, force: true });
  console.log(`Profiles for a flame graph are in ${folder}.\n`);
}

async function run(product: Product, query: BenchQuery, name: keyof typeof scopes): Promise<Window> {
  const request = { ...trawlRequest(query), matches: scopes[name] };
  await product.search(request);
  const from = microseconds();
  let requests = 0;
  for (; microseconds() - from < windowMs * 1000; requests++) await product.search(request);
  return { name, from, to: microseconds(), requests };
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Keeps the samples within the window. */
function cut(profile: Profile, { from, to }: Window): Profile {
  const samples: number[] = [];
  const timeDeltas: number[] = [];
  let at = profile.startTime;
  for (const [index, sample] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    at += delta;
    if (at < from || at > to) continue;
    samples.push(sample);
    timeDeltas.push(samples.length === 1 ? 0 : delta);
  }
  return { ...profile, startTime: from, endTime: to, samples, timeDeltas };
}

/** Names a thread by its bundle; `undefined` for one that ran nothing of Trawl. */
function threadOf({ nodes, samples }: Profile): string | undefined {
  const used = new Set(samples);
  const bundles = nodes.filter(({ id }) => used.has(id)).map(({ callFrame }) => bundleOf(callFrame.url));
  return bundles.find((bundle) => bundle === "searchWorker") ?? bundles.find((bundle) => bundle === "trawl");
}

function bundleOf(url: string): string {
  return /([^/]+)\.js$/.exec(url)?.[1] ?? "";
}

function selfTimes(
  { nodes, samples, timeDeltas }: Profile,
  requests: number,
): readonly (readonly string[])[] {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || "(anonymous)"}${url ? ` ${bundleOf(url) || url}:${lineNumber + 1}` : ""}`,
    ]),
  );
  const times = new Map<string, number>();
  for (const [index, sample] of samples.entries()) {
    const name = names.get(sample) ?? "";
    if (name === "(idle)") continue;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0) / 1000 / requests);
  }
  return [...times]
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, shownFunctions)
    .map(([name, time]) => [name, time.toFixed(3)]);
}
