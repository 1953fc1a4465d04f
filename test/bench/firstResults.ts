/** How long after the first node has responded a frontend streams the first file, and how long completions take. */
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Product, postBytes } from "./product";
import { type BenchQuery, trawlRequest } from "./queries";
import { median, ms, printTable, quantile } from "./report";

const roundCount = 6;
/** Part of the repositories, and how often they are searched first, so that V8 has compiled the code. */
const warmedUp = "repo:part-0";
const warmUpCount = 5;
const completed = ["file:", "file:m", "file:ma", "file:main", "file:linux/", "lang:", "lang:py", "lang:c"];

/** A proxy for a node that records when a response with files has passed. */
export interface TimedNode {
  readonly url: string;
  respondedAt: number | undefined;
  stop(): void;
}

export async function timedNode(target: string): Promise<TimedNode> {
  const server: Server = createServer((incoming, response) => {
    const { method, headers, url } = incoming;
    const outgoing = request(`${target}${url}`, { method, headers }, async (answer) => {
      const body = await bodyOf(answer);
      response.writeHead(answer.statusCode ?? 502, { "content-length": body.length });
      response.end(body);
      const hasFiles = url === "/api/search" && !body.includes('"Files":null');
      if (hasFiles) node.respondedAt ??= performance.now();
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const node: TimedNode = {
    url: `http://127.0.0.1:${port}`,
    respondedAt: undefined,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
  return node;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A search in some of the repositories precedes the first round in all others, which is about documents that are new. */
export async function benchFirstResults(
  product: Product,
  nodes: readonly TimedNode[],
  queries: readonly BenchQuery[],
  matches: number,
): Promise<void> {
  const first: number[] = [];
  const later: number[] = [];
  const delayOf = async (query: BenchQuery, scope: string): Promise<number[]> => {
    for (const node of nodes) node.respondedAt = undefined;
    const request = trawlRequest(query);
    const streamedAt = await firstFileAt(product, {
      ...request,
      query: `${request.query} ${scope}`,
      matches,
    });
    const respondedAt = Math.min(...nodes.map((node) => node.respondedAt ?? Number.POSITIVE_INFINITY));
    return streamedAt === undefined ? [] : [streamedAt - respondedAt];
  };
  for (let round = 0; round < warmUpCount; round++)
    for (const query of queries) await delayOf(query, warmedUp);
  for (let round = 0; round < roundCount; round++)
    for (const query of queries)
      (round === 0 ? first : later).push(...(await delayOf(query, `-${warmedUp}`)));
  const completions: number[] = [];
  for (let round = 0; round < roundCount; round++)
    for (const query of completed) {
      const sentAt = performance.now();
      await postBytes(`${product.url}/api/complete_query`, { query, offset: query.length }, product.agent);
      completions.push(performance.now() - sentAt);
    }
  const row = (title: string, times: readonly number[]) => [
    title,
    String(times.length),
    ms(median(times)),
    ms(quantile(times, 0.9)),
    ms(quantile(times, 1)),
  ];
  printTable(
    ["", "requests", "p50 ms", "p90 ms", "max ms"],
    [
      row("First file after that of a node, new documents", first),
      row("First file after that of a node, later", later),
      row("Completions of paths and languages", completions),
    ],
  );
}

/** Runs a streaming search to its end. Returns when the first file arrived; undefined if there was none. */
async function firstFileAt({ url }: Product, body: object): Promise<number | undefined> {
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const response = await fetch(`${url}/api/stream_search`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  let arrivedAt: number | undefined;
  for await (const chunk of response.body ?? [])
    if (Buffer.from(chunk).includes("event: files")) arrivedAt ??= performance.now();
  return arrivedAt;
}
