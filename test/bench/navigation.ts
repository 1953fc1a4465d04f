/** Measures definitions, references and symbols as an editor requests them. */
import { request } from "node:http";
import { cpuSecondsOf } from "./processes";
import type { Product } from "./product";
import { heading, median, ms, printTable, quantile } from "./report";

const defined = ["kmalloc", "probe", "task_struct", "tcp_sendmsg", "no_such_name"];
const prefixes = ["k", "sp", "spin", "netif_rx"];
const fuzzy = ["kmal", "tcpsndmsg"];
/** A name whose references no earlier request has parsed. */
const used = "kmalloc";
const firstReferences = 100;
const rounds = 20;

export async function benchNavigation(product: Product): Promise<void> {
  const coldBefore = cpuSecondsOf(product.pid);
  const cold = await streamReferences(product);
  const coldCpu = cpuSince(coldBefore, product, 1);
  const rows: string[][] = [
    [
      `\`${used}\`: first ${firstReferences} references, streamed, nothing parsed before`,
      "",
      ms(cold.firstMs),
      "",
      "",
      "",
    ],
    [`\`${used}\`: first 1000, the same stream`, String(cold.count), ms(cold.allMs), "", "", coldCpu],
  ];
  const measure = async (what: string, path: string, body: Readonly<Record<string, unknown>>) => {
    const times: number[] = [];
    let count = 0;
    let before: number | undefined;
    for (let round = 0; round <= rounds; round++) {
      if (round === 1) before = cpuSecondsOf(product.pid);
      const began = performance.now();
      const response = (await product.post(path, body)) as SymbolResponse;
      times.push(performance.now() - began);
      count = response.stats?.matchCount ?? response.symbols?.length ?? 0;
    }
    const again = times.slice(1);
    rows.push([
      what,
      String(count),
      ms(times[0]),
      ms(median(again)),
      ms(quantile(again, 0.95)),
      cpuSince(before, product, rounds),
    ]);
  };
  await measure(`references to \`${used}\` again`, "/api/find_references", { symbolName: used });
  for (const symbolName of defined)
    await measure(`definitions of \`${symbolName}\``, "/api/find_definitions", { symbolName });
  for (const query of prefixes)
    await measure(`symbols with the prefix \`${query}\``, "/api/find_symbols", { query, match: "prefix" });
  for (const query of fuzzy)
    await measure(`symbols with the letters of \`${query}\``, "/api/find_symbols", { query, match: "fuzzy" });
  heading("Names in code, over HTTP");
  printTable(["request", "found", "first, ms", "median after, ms", "p95 after, ms", "processor, ms"], rows);
}

/** Processor milliseconds per request, over all threads. */
function cpuSince(before: number | undefined, product: Product, requests: number): string {
  const now = cpuSecondsOf(product.pid);
  return before === undefined || now === undefined ? "" : ms(((now - before) * 1000) / requests);
}

interface SymbolResponse {
  readonly stats?: { readonly matchCount: number };
  readonly symbols?: readonly unknown[];
}

/** Milliseconds until the first references arrived, and until the end. */
function streamReferences(
  product: Product,
): Promise<{ firstMs: number | undefined; allMs: number; count: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(`${product.url}/api/stream_references`, { method: "POST", headers }, (response) => {
      let text = "";
      let count = 0;
      let firstMs: number | undefined;
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) count += referencesIn(event);
        if (count >= firstReferences) firstMs ??= performance.now() - began;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ firstMs, allMs: performance.now() - began, count }));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ symbolName: used }));
  });
}

function referencesIn(event: string): number {
  const data = /^event: files\ndata: (.*)$/.exec(event)?.[1];
  if (data === undefined) return 0;
  const { files } = JSON.parse(data) as {
    readonly files: readonly { readonly matches: readonly unknown[] }[];
  };
  return files.reduce((sum, { matches }) => sum + matches.length, 0);
}
