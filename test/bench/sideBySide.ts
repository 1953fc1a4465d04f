/** Asks Trawl and Zoekt the same questions alternately, and compares what each answer costs. */
import type { Figures } from "./figures";
import { cpuMsOfThreads, cpuMsSince, memoryOf } from "./processes";
import { type IndexRun, type Product, postBytes, type SearchResponse } from "./product";
import { benchQueries, titleOf, trawlRequest } from "./queries";
import { heading, median, megabytes, ms, printTable, quantile, ratio } from "./report";
import { type Zoekt, zoektMatches, zoektRequest } from "./zoekt";

const scopes = {
  first: { matches: 250, rounds: 20 },
  all: { matches: 100_000, rounds: 4 },
} as const;

/** So that V8 has compiled what a query uses, as in a server that has run for some time. */
const warmUpMs = 2000;

interface Cost {
  readonly times: number[];
  cpuMs: number;
  matches: number;
  isComplete: boolean;
}

/** One of the two servers. */
interface Side {
  readonly pid: number | undefined;
  ask(): Promise<Buffer>;
  read(body: Buffer): { readonly matches: number; readonly isComplete: boolean };
}

export async function benchSideBySide(product: Product, zoekt: Zoekt, figures: Figures): Promise<void> {
  heading("Beside Zoekt");
  console.log(
    `Over HTTP, alternately: medians of milliseconds until the whole body has arrived, and processor milliseconds of the ` +
      `server. "First" is ${scopes.first.matches} matches of Trawl and 50 documents of Zoekt; "all" is every match ` +
      `with its text, in Trawl up to ${scopes.all.matches.toLocaleString("en")}.\n`,
  );
  for (const scope of ["first", "all"] as const) {
    const rows: string[][] = [];
    for (const query of benchQueries) {
      const isAll = scope === "all";
      const trawlBody = { ...trawlRequest(query), matches: scopes[scope].matches };
      const [own, other] = await alternate(scopes[scope].rounds, [
        {
          pid: product.pid,
          ask: () => postBytes(`${product.url}/api/search`, trawlBody, product.agent),
          read(body) {
            const { stats, isSearchExhaustive } = JSON.parse(body.toString()) as SearchResponse;
            return { matches: stats.actualMatchCount, isComplete: isSearchExhaustive };
          },
        },
        {
          pid: zoekt.pid,
          ask: () => postBytes(`${zoekt.url}/api/search`, zoektRequest(query, isAll), product.agent),
          read: (body) => ({ matches: zoektMatches(JSON.parse(body.toString())), isComplete: true }),
        },
      ]);
      if (own === undefined || other === undefined) continue;
      const [time, otherTime] = [median(own.times), median(other.times)];
      figures.add(`${scope} ${query.pattern}, ms`, time, otherTime);
      figures.add(`${scope} ${query.pattern}, cpu`, measured(own.cpuMs), measured(other.cpuMs));
      rows.push([
        titleOf(query),
        `${own.isComplete || !isAll ? "" : "> "}${own.matches}`,
        String(other.matches),
        ms(time),
        ms(quantile(own.times, 0.95)),
        ms(otherTime),
        ratio(time, otherTime),
        ms(measured(own.cpuMs)),
        ms(measured(other.cpuMs)),
        ratio(measured(own.cpuMs), measured(other.cpuMs)),
      ]);
    }
    const head = [
      "matches",
      "Zoekt's",
      "ms",
      "p95",
      "Zoekt, ms",
      "to Zoekt",
      "cpu ms",
      "Zoekt, cpu",
      "to Zoekt",
    ];
    printTable([scope, ...head], rows);
  }
}

/** The processor time of a server that another process started is not known. */
function measured(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** Runs each side for a while to warm up, then both `rounds` times in turn. */
async function alternate(rounds: number, sides: readonly Side[]): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  for (const side of sides) {
    const until = performance.now() + warmUpMs;
    const answer = side.read(await side.ask());
    while (performance.now() < until) await side.ask();
    costs.push({ times: [], cpuMs: 0, ...answer });
  }
  for (let round = 0; round < rounds; round++) {
    for (const [at, { pid, ask }] of sides.entries()) {
      const cost = costs[at];
      const cpuBefore = cpuMsOfThreads(pid);
      const began = performance.now();
      await ask();
      cost?.times.push(performance.now() - began);
      if (cost !== undefined) cost.cpuMs += (cpuMsSince(cpuBefore, pid) ?? Number.NaN) / rounds;
    }
  }
  return costs;
}

/** Resident memory in bytes when ready and, after the searches, at its peak. */
export interface Resident {
  readonly ready: number | undefined;
  readonly peak: number | undefined;
}

/** Compares what building, storing and serving the index takes. */
export function printFootprint(
  built: IndexRun,
  zoekt: Zoekt,
  own: Resident,
  zoektReady: number | undefined,
  figures: Figures,
): void {
  const other = zoekt.build;
  const zoektPeak = zoekt.pid === undefined ? undefined : memoryOf(zoekt.pid)?.peak;
  const rows: readonly (readonly [string, number | undefined, number | undefined, (n: number) => string])[] =
    [
      ["build, seconds", built.seconds, other?.seconds, (n) => n.toFixed(1)],
      ["build, processor seconds", built.cpuSeconds, other?.cpuSeconds, (n) => n.toFixed(1)],
      ["on disk, MB", built.indexBytes, other?.bytes, megabytes],
      ["resident when ready, MB", own.ready, zoektReady, megabytes],
      ["peak resident while searching, MB", own.peak, zoektPeak, megabytes],
    ];
  for (const [name, value, theirs] of rows) figures.add(name, value, theirs);
  const cell = (value: number | undefined, format: (n: number) => string) =>
    value === undefined ? "" : format(value);
  printTable(
    ["without symbols", "Trawl", "Zoekt", "to Zoekt"],
    rows.map(([name, value, theirs, format]) => [
      name,
      cell(value, format),
      cell(theirs, format),
      ratio(value, theirs),
    ]),
  );
}
