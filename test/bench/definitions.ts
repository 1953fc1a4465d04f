/** Measures finding definitions by name. */
import { join } from "node:path";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { WorkerCall, WorkerResponse } from "#engine/embedded/searchMessages";
import type { SymbolName } from "#engine/engine";
import { startThread } from "#platform/workerThread";
import { simplifyQuery } from "#query/analysis/simplify";
import { parseQuery } from "#query/parser/parse";
import { ShardDirectory } from "#shard/directory/directory";
import { planOf } from "#test/support/engines";
import { projectRoot } from "#test/support/house";
import { heading, median, ms, printTable } from "./report";

const names: readonly SymbolName[] = [
  { kind: "exact", text: "kmalloc", caseSensitive: true },
  { kind: "exact", text: "probe", caseSensitive: true },
  { kind: "exact", text: "task_struct", caseSensitive: false },
  { kind: "prefix", text: "k", caseSensitive: false },
  { kind: "prefix", text: "spin", caseSensitive: false },
  { kind: "prefix", text: "netif_rx", caseSensitive: false },
  { kind: "prefix", text: "nothing_begins_so", caseSensitive: false },
  { kind: "fuzzy", text: "kmal", caseSensitive: false },
  { kind: "fuzzy", text: "tcpsndmsg", caseSensitive: false },
];

const queries = ["sym:kmalloc", "sym:^kmalloc$", "sym:^spin_", "sym:[a-z]+_suspend$", "type:symbol schedule"];

/** The number of results that a quick pick shows. */
const shown = 50;
const runs = 21;

/** Measures on an index that no process serves, with as many warm threads as the product uses. */
export async function benchDefinitions(dataDir: string, workerCount: number): Promise<void> {
  const directory = await ShardDirectory.open(join(dataDir, "shards"));
  const script = join(projectRoot(), "dist/server/searchWorker.js");
  const engine = new EmbeddedEngine({
    directory,
    workerCount,
    startThread: (onExit) => startThread<WorkerCall, WorkerResponse>(script, onExit),
    onDamage: (file) => console.error(`${file} is damaged.`),
  });
  const { signal } = new AbortController();
  const rows: string[][] = [];
  const measure = async (what: string, find: () => Promise<readonly [number, string]>) => {
    const times: number[] = [];
    let result: readonly [number, string] = [0, ""];
    for (let run = 0; run < runs; run++) {
      const began = performance.now();
      result = await find();
      times.push(performance.now() - began);
    }
    rows.push([
      what,
      String(result[0]),
      result[1],
      ms(times[0] ?? 0),
      ms(median(times)),
      ms(Math.max(...times.slice(1))),
    ]);
  };
  try {
    for (const name of names) {
      await measure(`${name.kind} \`${name.text}\``, async () => {
        const { symbols, flushReason } = await engine.findSymbols(
          {
            name,
            withLocals: true,
            repositories: "all",
            revisions: [],
            unsaved: [],
            preferred: [],
            limit: shown,
          },
          signal,
        );
        return [symbols.length, flushReason];
      });
    }
    for (const text of queries) {
      const options = { isRegexEnabled: false, isCaseSensitivityEnabled: false, contexts: new Set<string>() };
      const query = simplifyQuery(parseQuery(text, options).query);
      await measure(`\`${text}\``, async () => {
        const { stats } = await engine.search(
          planOf(query, { maxMatches: shown, maxDisplayedMatches: shown }),
          signal,
        );
        return [stats.actualMatchCount, stats.flushReason];
      });
    }
  } finally {
    await engine.close();
  }
  heading("Definitions");
  printTable(["asked", "shown", "more", "first, ms", "median, ms", "slowest after, ms"], rows);
}
