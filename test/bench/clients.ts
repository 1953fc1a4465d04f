/** Measures many concurrent clients over loopback. */

import { memoryOf } from "./processes";
import type { Product } from "./product";
import { benchQueries, trawlRequest } from "./queries";
import { heading, median, megabytes, ms, printTable, quantile } from "./report";

const clientCount = 32;
const matches = 50;

export async function benchClients(product: Product, seconds: number): Promise<void> {
  const requests = benchQueries.map((query) => ({ ...trawlRequest(query), matches }));
  const times: number[] = [];
  const failures = new Map<string, number>();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(product.pid)?.now ?? 0);
  }, 200);
  const began = performance.now();
  const client = async (first: number) => {
    for (let turn = first; performance.now() - began < seconds * 1000; turn++) {
      const sentAt = performance.now();
      try {
        await product.search(requests[turn % requests.length] ?? {});
        times.push(performance.now() - sentAt);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        failures.set(reason, (failures.get(reason) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: clientCount }, (_, n) => client(n)));
  clearInterval(watch);
  const elapsed = (performance.now() - began) / 1000;
  heading(`${clientCount} concurrent clients`);
  printTable(
    ["for", "responses", "per second", "p50 ms", "p99 ms", "worst ms", "failed", "most memory MB"],
    [
      [
        `${elapsed.toFixed(0)} s`,
        String(times.length),
        (times.length / elapsed).toFixed(0),
        ms(median(times)),
        ms(quantile(times, 0.99)),
        ms(quantile(times, 1)),
        String([...failures.values()].reduce((sum, count) => sum + count, 0)),
        megabytes(peak || undefined),
      ],
    ],
  );
  for (const [reason, count] of failures) console.log(`${count} times: ${reason}`);
}
