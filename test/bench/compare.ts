/** Sends the same requests to two builds of Trawl, alternately, and compares their responses byte for byte. */
import { cpSync, existsSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ComparedRequest, generateRequests } from "./comparedRequests";
import { cpuMsOfThreads, cpuMsSince, untilQuiet } from "./processes";
import { bundleIn, indexOnce, Product, postBytes } from "./product";
import { heading, median, ms, printTable, quantile, ratio } from "./report";

export interface Comparison {
  /** Root of the other build, which contains `dist`. */
  readonly other: string;
  readonly seed: number;
  readonly count: number;
  /** How many requests with different responses are printed. */
  readonly shown: number;
}

/** On a busy machine, a server may never be quiet. */
const maxQuietSeconds = 20;

/** A server of one of the two builds. */
interface Side {
  readonly product: Product;
  readonly client: Client;
}

interface Response {
  /** Without what may differ between two runs: URLs of the server, times, and how much was read. */
  readonly text: string;
  readonly isLate: boolean;
}

interface Row {
  readonly times: readonly [number[], number[]];
  readonly cpuMs: readonly [number[], number[]];
  differing: number;
  late: number;
}

/**
 * Compares this build with another on one corpus. The index is kept next to the corpus between runs. Returns how many
 * responses differ. Responses that reached the time limit are counted, but not compared.
 */
export async function benchCompare(corpus: string, root: string, comparison: Comparison): Promise<number> {
  const { other, seed, count, shown } = comparison;
  const bundles = [bundleIn(root), bundleIn(other)] as const;
  const [own, copy] = [`${corpus}-index`, `${corpus}-index-other`] as const;
  await indexOnce(own, [corpus], { bundle: bundles[0] });
  if (!existsSync(copy)) cpSync(own, copy, { recursive: true });
  await indexOnce(copy, [corpus], { bundle: bundles[1] });
  const requests = generateRequests(corpus, seed, count);
  const sides: [Side, Side] = [await openSide(own, bundles[0]), await openSide(copy, bundles[1])];
  try {
    return await compare(requests, sides, shown);
  } finally {
    for (const { client, product } of sides) {
      await client.close();
      await product.stop();
    }
  }
}

async function openSide(dataDir: string, bundle: string): Promise<Side> {
  const product = await Product.start(dataDir, [], { bundle });
  await product.ready;
  await untilQuiet(product.pid, maxQuietSeconds);
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`)));
  return { product, client };
}

async function compare(
  requests: readonly ComparedRequest[],
  sides: readonly [Side, Side],
  shown: number,
): Promise<number> {
  const rows = new Map<string, Row>();
  const differences: string[] = [];
  for (const [at, request] of requests.entries()) {
    const row = rows.get(request.kind) ?? { times: [[], []], cpuMs: [[], []], differing: 0, late: 0 };
    rows.set(request.kind, row);
    const responses: [string, string] = ["", ""];
    let isLate = false;
    // The second one finds the text in the page cache, so they take turns.
    for (const index of at % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { product } = sides[index];
      const cpuBefore = cpuMsOfThreads(product.pid);
      const began = performance.now();
      const response = await send(sides[index], request);
      row.times[index].push(performance.now() - began);
      row.cpuMs[index].push(cpuMsSince(cpuBefore, product.pid) ?? Number.NaN);
      responses[index] = response.text;
      isLate ||= response.isLate;
    }
    if (isLate) row.late++;
    else if (responses[0] !== responses[1]) {
      row.differing++;
      differences.push(explainDifference(request, responses));
    }
  }
  print(rows);
  for (const difference of differences.slice(0, shown)) console.log(difference);
  return differences.length;
}

async function send({ product, client }: Side, { target, body }: ComparedRequest): Promise<Response> {
  let text: string;
  try {
    if (target.startsWith("/"))
      text = (await postBytes(product.url + target, body, product.agent)).toString();
    else text = JSON.stringify((await client.callTool({ name: target, arguments: body })).content);
  } catch (error) {
    text = String(error);
  }
  // Within the text of a file, quotes are escaped.
  const isLate = text.includes('"flushReason":"TIME_LIMIT"') || text.includes("Not everything was searched");
  return { text: comparable(text.replaceAll(product.url, "")), isLate };
}

const comparedStats = new Set([
  "actualMatchCount",
  "totalMatchCount",
  "fileCount",
  "filesMissing",
  "crashes",
  "flushReason",
]);

/** Removes times, and how much work a search was, from the statistics of a response. */
function comparable(text: string): string {
  return text
    .replace(/"stats":\{[^{}]*\}/, (stats) =>
      stats.replace(/"(\w+)":(?:[\d.]+|"\w*"),?/g, (field, name: string) =>
        comparedStats.has(name) ? field : "",
      ),
    )
    .replace(/"requestId":"[^"]*"/, "");
}

function explainDifference({ kind, target, body }: ComparedRequest, [own, other]: [string, string]): string {
  let at = 0;
  while (at < own.length && own[at] === other[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 80), at + 120);
  return `${kind}: ${target} ${JSON.stringify(body)}\n  this:  ${around(own)}\n  other: ${around(other)}\n`;
}

function print(rows: ReadonlyMap<string, Row>): void {
  heading("Comparison with the other build");
  const all: Row = { times: [[], []], cpuMs: [[], []], differing: 0, late: 0 };
  for (const row of rows.values()) {
    for (const index of [0, 1] as const) {
      all.times[index].push(...row.times[index]);
      all.cpuMs[index].push(...row.cpuMs[index]);
    }
    all.differing += row.differing;
    all.late += row.late;
  }
  printTable(
    [
      "requests",
      "",
      "differ",
      "late",
      "p50 ms",
      "other",
      "p95 ms",
      "other",
      "cpu ms",
      "other",
      "cpu to other",
    ],
    [...[...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)), ["all", all] as const].map(
      ([kind, { times, cpuMs, differing, late }]) => {
        const counted = times[0].length;
        return [
          kind,
          String(counted),
          String(differing),
          String(late),
          ...times.map((each) => ms(median(each))),
          ...times.map((each) => ms(quantile(each, 0.95))),
          ...cpuMs.map((each) => ms(median(each))),
          ratio(sum(cpuMs[0]), sum(cpuMs[1])),
        ];
      },
    ),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
