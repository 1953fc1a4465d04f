/** Sends hostile requests: each must get a documented response, without affecting other requests. */
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ExampleOrganization } from "#test/support/exampleOrganization";
import { startExampleOrganization } from "#test/support/exampleOrganization";
import type { Campaign, CampaignOptions, CampaignResult } from "./campaign";
import { type GeneratedRequest, hostileRequest, operationStatuses } from "./hostileRequests";
import { parseResponses, problemOf } from "./hostileResponses";

const concurrency = 6;
/** The time limit of a response: a search's limit, a wrong key's delay, and a margin. */
const responseLimitMs = 20_000;
/** How long an incomplete request is left open. */
const abandonMs = 100;
/** Keep-alive connections are closed after this long without traffic. */
const stallTimeoutMs = 1500;
const healthLimitMs = 2000;
const stopLimitMs = 3000;
const maxGrowthBytes = 400e6;
/** A request that breaks out of its argument would create this file. */
const trap = "/tmp/trawl-hostile";

export const hostile: Campaign = {
  summary: "hostile HTTP requests, generated from the OpenAPI document and a corpus",
  fullCount: 10_000,
  shortCount: 600,
  run,
};

async function run({ count, random, scratch }: CampaignOptions): Promise<CampaignResult> {
  const instance = await startExampleOrganization(scratch);
  const port = Number(new URL(instance.url).port);
  const pid = instance.process.pid ?? 0;
  const failures: string[] = [];
  const kinds = new Map<string, number>();
  const statuses = new Map<number, number>();
  const before = await ordinaryResponses(instance);
  const memoryBefore = residentBytes(pid);
  const health = watchHealth(instance.url);
  let slowest = { ms: 0, what: "" };
  let sent = 0;

  const worker = async () => {
    while (sent < count) {
      const number = ++sent;
      const request = hostileRequest(random, instance.key);
      kinds.set(request.kind, (kinds.get(request.kind) ?? 0) + 1);
      const began = performance.now();
      const bytes = await exchange(port, request);
      const ms = performance.now() - began;
      const what = `#${number} ${request.kind} ${describe(request)}`;
      if (ms > slowest.ms) slowest = { ms, what };
      const responses = parseResponses(bytes, request.isHead);
      if (request.isComplete && responses.length === 0) {
        failures.push(
          `${what}: no response within ${Math.round(ms)} ms, only ${bytes.toString("latin1", 0, 200)}`,
        );
      }
      const documented = request.operation && operationStatuses.get(request.operation);
      for (const response of responses) {
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        const problem = problemOf(response, request.operation, documented);
        if (problem !== undefined) failures.push(`${what}: ${problem}`);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));

  const worstHealth = await health.stop();
  const memoryAfter = residentBytes(pid);
  const after = await ordinaryResponses(instance);
  for (const [what, response] of before) {
    if (after.get(what) !== response)
      failures.push(`${what} gets a different response afterwards: ${after.get(what)?.slice(0, 300)}`);
  }
  if (worstHealth > healthLimitMs) failures.push(`health took ${Math.round(worstHealth)} ms`);
  if (memoryAfter - memoryBefore > maxGrowthBytes)
    failures.push(`memory grew from ${memoryBefore} to ${memoryAfter} bytes`);
  if (existsSync(trap)) failures.push(`${trap} exists: a request ran a command or wrote a file`);
  const stopping = performance.now();
  const { code, stderr } = await instance.stop();
  const stopMs = performance.now() - stopping;
  if (code !== 0 || stopMs > stopLimitMs)
    failures.push(`it exited with ${code} after ${Math.round(stopMs)} ms`);
  const logged = stderr.split("\n").filter((line) => line.includes('"level":"error"'));
  for (const line of new Set(logged.map((each) => each.slice(each.indexOf('"message"'), 400))))
    failures.push(`logged: ${line}`);

  return {
    figures: [
      ["requests", String(count)],
      ...[...kinds].sort().map(([kind, number]): [string, string] => [`of these, ${kind}`, String(number)]),
      ...[...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, number]): [string, string] => [`responses ${status}`, String(number)]),
      ["slowest request", slowest.what.slice(0, 160)],
      ["its response time, ms", slowest.ms.toFixed(0)],
      ["slowest health, ms", worstHealth.toFixed(0)],
      ["memory before, MB", (memoryBefore / 1e6).toFixed(0)],
      ["memory after, MB", (memoryAfter / 1e6).toFixed(0)],
      ["exit after SIGTERM, ms", stopMs.toFixed(0)],
    ],
    failures,
  };
}

/** Reads until the connection closes, or is idle after complete responses. */
function exchange(port: number, { pieces, isComplete, isHead }: GeneratedRequest): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const received: Buffer[] = [];
    const limit = setTimeout(() => socket.destroy(), responseLimitMs);
    let silence: NodeJS.Timeout | undefined;
    socket.on("data", (bytes) => {
      received.push(bytes);
      clearTimeout(silence);
      silence = setTimeout(() => {
        if (parseResponses(Buffer.concat(received), isHead).length > 0) socket.destroy();
      }, stallTimeoutMs);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(limit);
      clearTimeout(silence);
      resolve(Buffer.concat(received));
    });
    const send = async () => {
      for (const piece of pieces) {
        if (!socket.writable) return;
        socket.write(piece);
        if (pieces.length > 1) await delay(2);
      }
      if (!isComplete) setTimeout(() => socket.destroy(), abandonMs);
    };
    socket.on("connect", send);
  });
}

function describe({ pieces }: GeneratedRequest): string {
  const text = Buffer.concat(pieces).toString("latin1");
  const shown = text.length <= 700 ? text : `${text.slice(0, 500)}…${text.slice(-150)}`;
  return JSON.stringify(shown);
}

/** Polls the health endpoint; `stop` returns the longest response time. */
function watchHealth(url: string): { stop(): Promise<number> } {
  let worst = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const began = performance.now();
      await (await fetch(`${url}/api/health`)).text();
      worst = Math.max(worst, performance.now() - began);
      await delay(50);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await watching;
      return worst;
    },
  };
}

/** Responses to ordinary requests, without values that differ each time. */
async function ordinaryResponses({ url }: ExampleOrganization): Promise<ReadonlyMap<string, string>> {
  const repo = "github.com/acme/shop";
  const file = new URLSearchParams({ repo, path: "src/cart.ts" });
  const requests: [path: string, body?: unknown][] = [
    ["/api/search", { query: "addItem" }],
    ["/api/search", { query: "add\\w+\\(", isRegexEnabled: true, contextLines: 2 }],
    ["/api/search", { query: "type:commit cart" }],
    ["/api/search", { query: "sym:pay rev:feature" }],
    ["/api/find_definitions", { symbolName: "addItem" }],
    ["/api/find_references", { symbolName: "addItem" }],
    ["/api/outline", { place: { repo, path: "src/cart.ts", ref: "v1.0" } }],
    ["/api/tree", { repoName: repo, paths: ["src"] }],
    [`/api/source?${file}`],
    [`/api/blame?${file}`],
    [`/api/commits?${file}`],
    [`/api/commits/authors?${new URLSearchParams({ repo })}`],
    [`/api/repos/branches?${new URLSearchParams({ repo })}`],
    [`/api/diff?${new URLSearchParams({ repo, base: "v1.0", head: "main" })}`],
    [`/browse/${repo}@main/-/blob/README.md?blame=1`],
  ];
  const responses = new Map<string, string>();
  for (const [path, body] of requests) {
    const sent = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${url}${path}`, sent || {});
    const text = (await response.text()).replace(/"stats":\{[^}]*\},?/, "");
    responses.set(`${path} ${JSON.stringify(body) ?? ""}`, `${response.status} ${text}`);
  }
  return responses;
}

/** Resident memory of a process in bytes; 0 if the system does not report it. */
function residentBytes(pid: number): number {
  const path = `/proc/${pid}/status`;
  const [, kilobytes = "0"] = existsSync(path)
    ? (/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, "utf8")) ?? [])
    : [];
  return Number(kilobytes) * 1024;
}
