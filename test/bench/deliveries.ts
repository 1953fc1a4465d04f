/** Sends webhooks to Trawl at a steady rate, which lead to few fetches. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { GitServer } from "#test/support/gitServer";
import { cpuSecondsOf, memoryOf } from "./processes";
import { Product } from "./product";
import { heading, megabytes, ms, printTable, quantile } from "./report";

const perSecond = 1000;
const durationSeconds = 10;
/** When nothing has been fetched for so long, all fetches that deliveries led to have ended. */
const quietMs = 5000;

interface Receiver {
  /** The configuration file. */
  readonly file: string;
  readonly paths: readonly string[];
  /** That of the connection `main`. */
  readonly secret: string;
  readonly server: GitServer;
}

export async function benchDeliveries(
  dataDir: string,
  { file, paths, secret, server }: Receiver,
): Promise<void> {
  const product = await Product.start(dataDir, ["--config", file]);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  try {
    await product.ready;
    const url = (at: number) =>
      `${product.url}/api/webhooks/main?repository=${encodeURIComponent(paths[at % paths.length] ?? "")}`;
    const memory = [memoryOf(product.pid)?.now ?? 0];
    const cpuBefore = cpuSecondsOf(product.pid) ?? 0;
    const requestsBefore = server.paths.length;
    const times: number[] = [];
    const refused = new Map<number, number>();
    const sent: Promise<void>[] = [];
    const total = perSecond * durationSeconds;
    const began = performance.now();
    while (sent.length < total) {
      const due = Math.min(total, ((performance.now() - began) / 1000) * perSecond);
      while (sent.length < due) {
        const answered = deliver(url(sent.length), secret, agent).then(([status, timeMs]) => {
          times.push(timeMs);
          if (status !== 202) refused.set(status, (refused.get(status) ?? 0) + 1);
        });
        sent.push(answered);
        if (sent.length % perSecond === 0) memory.push(memoryOf(product.pid)?.now ?? 0);
      }
      await sleep(1);
    }
    await Promise.all(sent);
    const seconds = (performance.now() - began) / 1000;
    const cpuSeconds = (cpuSecondsOf(product.pid) ?? 0) - cpuBefore;
    await untilQuiet(server);
    const commands = server.paths.slice(requestsBefore).filter((path) => path.includes("/info/refs")).length;
    heading(`${perSecond} webhooks per second for ${durationSeconds} s`);
    const others = [...refused].map(([status, count]) => `${count} with status ${status}`).join(", ");
    console.log(`${total} deliveries in ${seconds.toFixed(1)} s; not accepted: ${others || "none"}.\n`);
    printTable(
      ["", "figure"],
      [
        ["median response, ms", ms(quantile(times, 0.5))],
        ["99th percentile, ms", ms(quantile(times, 0.99))],
        ["CPU seconds of the server", cpuSeconds.toFixed(1)],
        ["git commands per repository", (commands / paths.length).toFixed(2)],
        ["memory before, MB", megabytes(memory[0])],
        ["memory after half of them, MB", megabytes(memory[memory.length >> 1])],
        ["memory after all, MB", megabytes(memory.at(-1))],
      ],
    );
  } finally {
    agent.destroy();
    await product.stop();
  }
}

async function untilQuiet(server: GitServer): Promise<void> {
  for (let before = -1; before !== server.paths.length; ) {
    before = server.paths.length;
    await sleep(quietMs);
  }
}

/** Returns the status and the milliseconds until it arrived. */
function deliver(url: string, secret: string, agent: Agent): Promise<[status: number, timeMs: number]> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${secret}`, "content-length": 0 };
    const sent = request(url, { method: "POST", headers, agent }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () => resolve([response.statusCode ?? 0, performance.now() - began]));
    });
    sent.on("error", reject);
    sent.end();
  });
}
