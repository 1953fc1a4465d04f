/** Measures how far past the deadline the slowest response is when many clients send the most expensive requests. */
import { Agent, request } from "node:http";
import { defaultTimeLimitMs } from "#query/limits";
import type { Product } from "./product";
import { heading, median, ms, printTable, quantile } from "./report";

const clientCount = 16;
const healthIntervalMs = 250;
const shownLate = 20;

interface Shape {
  readonly kind: string;
  readonly path: string;
  /** Absent for a GET. */
  readonly body?: Readonly<Record<string, unknown>>;
}

interface Sample {
  readonly kind: string;
  /** When the request was sent, in seconds since the load began, and its content. */
  readonly sentAtSeconds: number;
  readonly request: string;
  readonly ms: number;
  readonly outcome: string;
}

/** Sends requests of all kinds for some time. Each response is due within `deadlineMs`, the server's time limit. */
export async function benchLoad(
  product: Product,
  seconds: number,
  deadlineMs = defaultTimeLimitMs,
): Promise<void> {
  const shapes = await shapesFor(product);
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * clientCount });
  const samples: Sample[] = [];
  const health: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  const sendRequest = async (shape: Shape): Promise<Sample> => {
    const sentAt = performance.now();
    const outcome = await drain(product.url, shape, agent);
    const { kind, path, body } = shape;
    return {
      kind,
      sentAtSeconds: (sentAt - began) / 1000,
      request: `${path} ${body === undefined ? "" : JSON.stringify(body)}`,
      ms: performance.now() - sentAt,
      outcome,
    };
  };
  const client = async (first: number) => {
    for (let turn = first; performance.now() < end; turn += 5) {
      const shape = shapes[turn % shapes.length];
      if (shape !== undefined) samples.push(await sendRequest(shape));
    }
  };
  const probe = async () => {
    while (performance.now() < end) {
      health.push((await sendRequest({ kind: "health", path: "/api/health" })).ms);
      await new Promise((resolve) => setTimeout(resolve, healthIntervalMs));
    }
  };
  await Promise.all([probe(), ...Array.from({ length: clientCount }, (_, n) => client(n * 3))]);
  agent.destroy();
  print(samples, health, deadlineMs);
}

function print(samples: readonly Sample[], health: readonly number[], deadlineMs: number): void {
  heading(`${clientCount} concurrent clients, expensive requests of all kinds, deadline ${deadlineMs} ms`);
  const row = (title: string, times: readonly number[], due = deadlineMs) => {
    const worst = quantile(times, 1);
    return [title, String(times.length), ms(median(times)), ms(worst), ms(Math.max(0, worst - due))];
  };
  const kinds = [...new Set(samples.map(({ kind }) => kind))].toSorted();
  printTable(
    ["requests", "responses", "p50 ms", "worst ms", "past deadline ms"],
    [
      ...kinds.map((kind) =>
        row(
          kind,
          samples.filter((each) => each.kind === kind).map((each) => each.ms),
        ),
      ),
      row("health", health),
    ],
  );
  const late = samples
    .filter((each) => each.ms > deadlineMs + 1000)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, shownLate);
  if (late.length > 0) {
    console.log("The slowest responses, with the second of the run in which each request was sent:\n");
    printTable(
      ["ms", "sent after s", "request"],
      late.map((each) => [ms(each.ms), each.sentAtSeconds.toFixed(1), each.request.slice(0, 120)]),
    );
  }
  const outcomes = new Map<string, number>();
  for (const { outcome } of samples) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  for (const [outcome, count] of outcomes) console.log(`${count} times: ${outcome}`);
}

async function shapesFor(product: Product): Promise<readonly Shape[]> {
  const repositories = (await get(product, "/api/repos")) as readonly { readonly repoName: string }[];
  const searches = [
    { query: "e", matches: 100_000 },
    { query: "return", matches: 100_000, contextLines: 3 },
    { query: "content:license", matches: 100_000, whole: true },
    { query: "(a|b|ab)*c\\w*(x+x+)+y", isRegexEnabled: true, matches: 100_000 },
    { query: "(\\w+\\s*)+[;]{3}", isRegexEnabled: true, matches: 500 },
    { query: "(?s)struct.*\\{.*\\}.*[\\x01]", isRegexEnabled: true, matches: 500 },
    { query: "type:repo return", matches: 100 },
    { query: "type:commit e", matches: 10_000 },
  ];
  const shapes: Shape[] = searches.flatMap((body) => [
    { kind: "search", path: "/api/search", body },
    { kind: "stream", path: "/api/stream_search", body },
  ]);
  const names = ["size", "value", "name", "get", "push", "index", "length", "data", "error", "type"];
  for (const symbolName of names) {
    const body = { symbolName, matches: 10_000 };
    shapes.push({ kind: "references", path: "/api/find_references", body });
    shapes.push({ kind: "reference stream", path: "/api/stream_references", body });
    shapes.push({ kind: "definitions", path: "/api/find_definitions", body });
    shapes.push({ kind: "symbols", path: "/api/find_symbols", body: { query: symbolName, match: "fuzzy" } });
  }
  for (const { repoName } of repositories) {
    const repo = encodeURIComponent(repoName);
    const commits = (await get(product, `/api/commits?repo=${repo}&perPage=100`)) as readonly {
      readonly hash: string;
    }[];
    const files = (await product.search({ query: `repo:^${repoName}$ type:file lang:c`, matches: 20 })).files;
    const paths = files.map(({ fileName }) => fileName.text);
    for (const { hash } of commits.slice(0, 20)) {
      const body = { query: `rev:${hash} return`, matches: 100_000 };
      shapes.push({ kind: "search of a revision", path: "/api/search", body });
      shapes.push({ kind: "git", path: `/api/diff?repo=${repo}&base=${hash}~1&head=HEAD` });
      shapes.push({ kind: "git", path: `/api/commits?repo=${repo}&ref=${hash}&query=e.*e` });
      shapes.push({ kind: "git", path: `/api/commits/authors?repo=${repo}&ref=${hash}` });
    }
    for (const path of paths)
      shapes.push({ kind: "git", path: `/api/blame?repo=${repo}&path=${encodeURIComponent(path)}` });
  }
  return shapes;
}

async function get(product: Product, path: string): Promise<unknown> {
  return await (await fetch(product.url + path)).json();
}

/** Reads and discards a whole response; returns how it ended. */
function drain(url: string, { kind, path, body }: Shape, agent: Agent): Promise<string> {
  const bytes = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve) => {
    const headers =
      bytes === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) };
    const sent = request(
      url + path,
      { method: bytes === undefined ? "GET" : "POST", headers, agent },
      (response) => {
        let first = "";
        response.on("data", (part: Buffer) => {
          if (response.statusCode !== 200 && first.length < 300) first += part.toString();
        });
        response.on("error", (error) => resolve(`${kind}: ${error.message}`));
        response.on("end", () =>
          resolve(
            response.statusCode === 200
              ? "completed"
              : `${kind}: ${response.statusCode} ${first.slice(0, 120)}`,
          ),
        );
      },
    );
    sent.on("error", (error) => resolve(`${kind}: ${error.message}`));
    sent.end(bytes);
  });
}
