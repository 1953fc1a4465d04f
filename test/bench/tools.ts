/** Measures the tools for agents as their clients do: over HTTP, by the official MCP client. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { estimateTokens } from "#agents/printListing";
import type { Product } from "./product";
import { heading, ms, printTable, quantile } from "./report";

/** Of each call. The first ones of a server run code that V8 has not compiled yet, and only the very first is printed. */
const rounds = { warmUp: 30, measured: 40 };

/** Calls that agents make, on any corpus. The file is one of the corpus. */
function callsFor(repo: string, path: string): readonly (readonly [tool: string, args: object])[] {
  return [
    ["grep", { pattern: "return" }],
    ["grep", { pattern: "kmalloc", context: 2 }],
    ["grep", { pattern: "\\w+_init\\(", regex: true }],
    ["grep", { patterns: ["retry", "backoff", "timeout"], mode: "files" }],
    ["grep", { pattern: "no such text anywhere" }],
    ["find", { name: "test" }],
    ["find", { name: "parse", type: "symbols" }],
    ["uses", { symbol: "parse" }],
    ["read", { files: [{ repo, path }] }],
    ["outline", { repo, path }],
    ["history", { repo, path }],
    ["repos", {}],
  ];
}

export async function benchTools(product: Product): Promise<void> {
  const { files } = await product.search({ query: "return", matches: 1 });
  const [file] = files;
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`)));
  const all: number[] = [];
  const rows: string[][] = [];
  try {
    for (const [name, args] of callsFor(file?.repository ?? "", file?.fileName.text ?? "")) {
      const times: number[] = [];
      let tokens = 0;
      for (let round = 0; round < rounds.warmUp + rounds.measured; round++) {
        const began = performance.now();
        const { content } = await client.callTool({ name, arguments: { ...args } });
        times.push(performance.now() - began);
        const [first] = content;
        tokens = first?.type === "text" ? estimateTokens(first.text) : 0;
      }
      const warm = times.slice(rounds.warmUp);
      all.push(...warm);
      const line = `${name} ${JSON.stringify(args)}`.slice(0, 70);
      rows.push([line, ms(times[0]), ms(quantile(warm, 0.5)), ms(quantile(warm, 0.95)), String(tokens)]);
    }
  } finally {
    await client.close();
  }
  heading("Tools for agents");
  rows.push(["all", "", ms(quantile(all, 0.5)), ms(quantile(all, 0.95)), ""]);
  printTable(["a call over MCP and HTTP", "first, ms", "median, ms", "95 %, ms", "tokens"], rows);
}
