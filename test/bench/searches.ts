/** Measures searches next to their peers in the same run. */
import { findRipgrep, type Measured, ripgrep } from "./peers";
import type { Product } from "./product";
import { type BenchQuery, benchQueries, titleOf, trawlRequest } from "./queries";
import { heading, median, ms, printTable, quantile, ratio } from "./report";

const firstMatches = 250;
const allMatches = 100_000;
const rounds = 11;

interface Row {
  readonly first: readonly number[];
  readonly all: readonly number[];
  readonly matches: number;
  readonly complete: boolean;
  readonly ripgrep: Measured | undefined;
}

export async function benchSearches(
  product: Product,
  corpus: string,
  counted: ReadonlyMap<BenchQuery, Measured>,
): Promise<void> {
  const program = await findRipgrep();
  const rows = new Map<BenchQuery, Row>();
  for (const query of benchQueries) {
    const first = await measure(product, query, firstMatches);
    const all = await measure(product, query, allMatches);
    rows.set(query, {
      first: first.times,
      all: all.times,
      matches: all.matches,
      complete: all.complete,
      ripgrep: program === undefined ? undefined : await best(() => ripgrep(program, corpus, query)),
    });
  }
  heading("Searches");
  console.log(
    `Milliseconds, medians. "First" is ${firstMatches} matches and "all" is every match up to ` +
      `${allMatches.toLocaleString("en")}, both with their text, as the server measures them. "Counted" counts every ` +
      `match in the engine, as ripgrep does: both on two threads, with a warm cache.\n`,
  );
  printTable(
    ["query", "matches", "ripgrep's", "first", "p95", "all", "counted", "ripgrep", "rg/first", "rg/counted"],
    [...rows].map(([query, row]) => {
      const count = counted.get(query);
      return [
        titleOf(query),
        String(count?.matches ?? `${row.complete ? "" : "> "}${row.matches}`),
        row.ripgrep === undefined ? "" : String(row.ripgrep.matches),
        ms(median(row.first)),
        ms(quantile(row.first, 0.95)),
        `${row.complete ? "" : "> "}${ms(median(row.all))}`,
        ms(count?.ms),
        ms(row.ripgrep?.ms),
        ratio(row.ripgrep?.ms, median(row.first)),
        ratio(row.ripgrep?.ms, count?.ms),
      ];
    }),
  );
  const firsts = [...rows.values()].flatMap((row) => row.first);
  console.log(
    `First, over all queries: p50 ${ms(median(firsts))} ms, p95 ${ms(quantile(firsts, 0.95))} ms.\n`,
  );
}

async function measure(product: Product, query: BenchQuery, matches: number) {
  const times: number[] = [];
  const request = { ...trawlRequest(query), matches };
  // The first run is a warm-up and is not counted: it reads files and compiles code.
  let result = await product.search(request);
  for (let round = 0; round < rounds; round++) {
    result = await product.search(request);
    times.push(result.stats.duration / 1e6);
  }
  return { times, matches: result.stats.totalMatchCount, complete: result.isSearchExhaustive };
}

async function best(run: () => Promise<Measured>): Promise<Measured> {
  const results = [await run(), await run(), await run()];
  return results.reduce((one, other) => (other.ms < one.ms ? other : one));
}
