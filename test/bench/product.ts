/** Trawl as users run it: a separate process that serves HTTP. */
import { type ChildProcess, spawn } from "node:child_process";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { projectRoot } from "#test/support/house";
import { cpuSecondsOfEnded, memoryOf } from "./processes";

/** Returns the program of the build in a folder. */
export function bundleIn(root: string): string {
  return join(root, "dist/server/trawl.js");
}

const ownBundle = bundleIn(projectRoot());

export interface SearchResponse {
  readonly files: readonly {
    readonly fileName: { readonly text: string };
    readonly origin: string;
    readonly repository: string;
  }[];
  readonly stats: {
    readonly duration: number;
    readonly totalMatchCount: number;
    readonly actualMatchCount: number;
    readonly flushReason: string;
  };
  readonly isSearchExhaustive: boolean;
}

export interface IndexRun {
  readonly seconds: number;
  readonly cpuSeconds: number | undefined;
  readonly peakBytes: number | undefined;
  readonly contentBytes: number;
  readonly indexBytes: number;
  readonly documents: number;
}

/** As in the container image, the systemd unit and VS Code. */
const env = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072",
  NODE_OPTIONS: "--max-semi-space-size=8",
  ...process.env,
};

/** Runs `trawl index` and measures its resource use from outside. */
export async function indexOnce(
  dataDir: string,
  paths: readonly string[],
  { bundle = ownBundle, flags = [] }: { readonly bundle?: string; readonly flags?: readonly string[] } = {},
): Promise<IndexRun> {
  const cpuBefore = cpuSecondsOfEnded();
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [bundle, "index", "--json", ...flags, "--data-dir", dataDir, ...paths],
    { stdio: ["ignore", "pipe", "pipe"], env },
  );
  const stderr: Buffer[] = [];
  child.stderr.on("data", (bytes: Buffer) => stderr.push(bytes));
  let peakBytes: number | undefined;
  const watch = setInterval(() => {
    peakBytes = memoryOf(child.pid ?? 0)?.peak || peakBytes;
  }, 50);
  const out: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(watch);
  const seconds = (performance.now() - began) / 1000;
  if (code !== 0) throw new Error(`trawl index exited with ${code}: ${Buffer.concat(stderr)}`);
  const cpuAfter = cpuSecondsOfEnded();
  const { repositories } = JSON.parse(Buffer.concat(out).toString()) as {
    readonly repositories: readonly Record<"contentBytes" | "indexBytes" | "documentCount", number>[];
  };
  const total = (field: "contentBytes" | "indexBytes" | "documentCount") =>
    repositories.reduce((sum, each) => sum + each[field], 0);
  return {
    seconds,
    cpuSeconds: cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
    peakBytes,
    contentBytes: total("contentBytes"),
    indexBytes: total("indexBytes"),
    documents: total("documentCount"),
  };
}

/** A `trawl serve` process on a free port. Times are milliseconds since it was started. */
export class Product {
  readonly pid: number;
  readonly url: string;
  readonly listeningMs: number;
  /** Resolves with the time at which everything was indexed. */
  readonly ready: Promise<number>;
  readonly #child: ChildProcess;
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  private constructor(child: ChildProcess, url: string, listeningMs: number, ready: Promise<number>) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.url = url;
    this.listeningMs = listeningMs;
    this.ready = ready;
  }

  static async start(
    dataDir: string,
    paths: readonly string[],
    {
      bundle = ownBundle,
      nodeFlags = [],
      flags = [],
    }: {
      readonly bundle?: string;
      readonly nodeFlags?: readonly string[];
      readonly flags?: readonly string[];
    } = {},
  ): Promise<Product> {
    const began = performance.now();
    const args = [...nodeFlags, bundle, "serve", "--port", "0", "--data-dir", dataDir, ...flags, ...paths];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
    let stderr = "";
    child.stderr.on("data", (text: Buffer) => {
      stderr += text.toString();
    });
    const line = (pattern: RegExp) =>
      new Promise<[ms: number, match: string]>((resolve, reject) => {
        let text = "";
        child.stdout.on("data", (bytes: Buffer) => {
          text += bytes.toString();
          const match = pattern.exec(text);
          if (match !== null) resolve([performance.now() - began, match[1] ?? ""]);
        });
        child.on("close", (code) => reject(new Error(`trawl serve exited with ${code}: ${stderr}`)));
      });
    const ready = line(/^Ready()/m).then(([ms]) => ms);
    ready.catch(() => undefined);
    const [listeningMs, url] = await line(/^Listening on (\S+)/m);
    return new Product(child, url, listeningMs, ready);
  }

  search(body: Record<string, unknown>): Promise<SearchResponse> {
    return this.post("/api/search", body) as Promise<SearchResponse>;
  }

  post(path: string, body: unknown): Promise<unknown> {
    return postJson(`${this.url}${path}`, body, this.agent);
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    if (this.#child.exitCode !== null) return;
    const closed = new Promise((resolve) => this.#child.on("close", resolve));
    this.#child.kill("SIGTERM");
    await closed;
  }
}

export async function postJson(url: string, body: unknown, agent?: Agent): Promise<unknown> {
  return JSON.parse((await postBytes(url, body, agent)).toString());
}

/** Returns the body of a response as it is, so that parsing it does not count. */
export function postBytes(url: string, body: unknown, agent?: Agent): Promise<Buffer> {
  const bytes = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) };
    const sent = request(url, { method: "POST", headers, ...(agent && { agent }) }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const whole = Buffer.concat(parts);
        if (response.statusCode === 200) resolve(whole);
        else reject(new Error(`${url} returned status ${response.statusCode}: ${whole.subarray(0, 300)}`));
      });
    });
    sent.on("error", reject);
    sent.end(bytes);
  });
}
