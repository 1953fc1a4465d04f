/**
 * `npm run bench -- [--corpus DIR] [--zoekt auto|URL] [--only PARTS] [--seconds N] [--ranking] [--record]`
 * `npm run bench -- --corpus DIR --profile PATTERN`
 * `npm run bench -- --only history [--history CLONE]`
 * `npm run bench -- --only pages --corpus DIR [--seconds N]`
 * `npm run bench -- --only retrieval [--questions DIR --repositories DIR] [--form words|or|plain] [--limit N] [--misses N]`
 * `npm run bench -- --only calls [--go CLONE] [--seed N] [--misses N]`
 * `npm run bench -- --only compare --other FOLDER [--corpus DIR] [--seed N] [--requests N] [--misses N]`
 * `npm run bench -- --only placement,idle [--seconds N]`
 * `npm run bench -- --symbols [--languages go,c++] [--misses N] [--megabytes N] [--least PERCENT]`
 *
 * Prints costs and results of the product next to those of its peers, from the same run. It never asserts a time,
 * because machines differ and shared ones are noisy. PARTS, separated by commas: build, symbols, ranking, search, zoekt,
 * tools, memory, fresh, clients, pages, load, small, history, store, access, calls, retrieval, hosts, compare, cluster, idle, placement.
 * `--ranking` alone means `--only ranking`. If symbols or ranking are requested without a corpus, the trees with labeled queries are fetched as
 * Debian packages and used one by one.
 *
 * `--zoekt auto` finds Zoekt's programs in `ZOEKT_BIN` or on the PATH. `--record` appends the ratios to the peers to
 * `test/bench/history.jsonl`; every run prints how they differ from the last ones there. `--profile` only profiles a query
 * in every thread of the server.
 *
 * `retrieval` asks questions in plain words, and runs only if it is named. The project's own questions are about packages
 * that it fetches. `--questions` names another folder of `NAME.json`, and `--repositories` the folder of the repositories
 * `NAME`. `--form` is how a question becomes a query, and `--misses` lists questions of the half for tuning.
 *
 * `calls` compares callers in this project with those that TypeScript finds, or with `--go` those in the clone of a Go
 * module with those that gopls finds (on the PATH or in `GOPLS`). It runs only if it is named. `--seed` chooses other
 * definitions, and `--misses` lists calls of each kind that were not found.
 *
 * `hosts` mirrors generated repositories of a git server and compares that with a loop of `git clone --mirror`, then sends
 * webhooks. It runs only if it is named.
 *
 * `compare` sends generated requests to this build and to the one in the folder `--other` (the root of a checkout, with
 * `dist`), compares their responses byte for byte, and fails if any differ. It runs only if it is named; without a corpus,
 * on this project. `--seed` chooses other requests, and `--misses` lists those with different responses.
 *
 * `cluster` divides a corpus that git tracks into 300 repositories, indexes these on three Zoekt nodes, and compares a
 * frontend with asking the nodes directly. It runs only if it is named. A second run uses the same index.
 *
 * `placement` places 100,000 repositories on up to 100 nodes, and compares the balance, and what moves with a node, with
 * theory. `idle` measures the processor time of PostgreSQL, an indexer and a frontend with 100,000 repositories on 40 nodes
 * while nothing changes, for `--seconds`. Both run only if they are named.
 *
 * With `--symbols`, it only compares definitions in real trees with those of universal-ctags, and with `--least` fails if
 * fewer are found.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "#test/support/house";
import { benchCalls } from "./calls";
import { benchClients } from "./clients";
import { benchCluster, clusterFolder } from "./cluster";
import { benchCompare } from "./compare";
import { corpusCopy, git, projectCopy } from "./corpus";
import { countAll } from "./counting";
import { benchCredentials } from "./credentials";
import { benchDefinitions } from "./definitions";
import { Figures } from "./figures";
import { benchFreshness } from "./freshness";
import { benchHistory } from "./history";
import { benchHosts } from "./hosts";
import { benchIdle } from "./idle";
import { benchLoad } from "./load";
import { benchNavigation } from "./navigation";
import { benchPages } from "./pages";
import { benchPlacement } from "./placement";
import { memoryOf, untilQuiet } from "./processes";
import { type IndexRun, indexOnce, Product } from "./product";
import { profileQuery } from "./profile";
import { benchRanking, fetchLabeledTrees, printRanks } from "./ranking";
import { heading, megabytes, ms, printTable, ratio } from "./report";
import { benchRetrieval, formNames, type RetrievalOptions } from "./retrieval";
import { benchSearches } from "./searches";
import { benchSideBySide, printFootprint } from "./sideBySide";
import { benchSmallRepositories } from "./smallRepositories";
import { benchStore } from "./store";
import { benchSymbols } from "./symbols";
import { benchTools } from "./tools";
import { Zoekt } from "./zoekt";

const usualParts = [
  "build",
  "symbols",
  "ranking",
  "search",
  "tools",
  "zoekt",
  "memory",
  "fresh",
  "clients",
  "pages",
  "load",
  "small",
  "history",
  "store",
  "access",
] as const;

const partsOnlyIfNamed = ["calls", "retrieval", "hosts", "compare", "cluster", "idle", "placement"] as const;

const parts: readonly string[] = [...usualParts, ...partsOnlyIfNamed];

const { values } = parseArgs({
  options: {
    corpus: { type: "string" },
    zoekt: { type: "string" },
    profile: { type: "string" },
    history: { type: "string" },
    questions: { type: "string" },
    repositories: { type: "string" },
    form: { type: "string", default: "words" },
    limit: { type: "string", default: "500" },
    record: { type: "boolean", default: false },
    only: { type: "string" },
    seconds: { type: "string", default: "60" },
    ranking: { type: "boolean", default: false },
    symbols: { type: "boolean", default: false },
    languages: { type: "string", default: "" },
    go: { type: "string" },
    seed: { type: "string", default: "1" },
    other: { type: "string" },
    requests: { type: "string", default: "2000" },
    misses: { type: "string", default: "0" },
    megabytes: { type: "string", default: "12" },
    least: { type: "string", default: "0" },
  },
});
const only = [...(values.only?.split(",") ?? []), ...(values.ranking ? ["ranking"] : [])];
const wanted = new Set<string>(only.length === 0 ? usualParts : only);
const unknown = [...wanted].filter((part) => !parts.includes(part));
if (unknown.length > 0) {
  console.error(`Unknown parts: ${unknown.join(", ")}. Use ${parts.join(", ")}.`);
  process.exit(2);
}
const retrieval = retrievalOptions();

const folder = join(projectRoot(), "out/bench");

const recordFile = join(projectRoot(), "test/bench/history.jsonl");
const figures = new Figures();

/** Unique to this run, because several may run at once. */
const scratch = join(folder, `run-${process.pid}`);
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  console.log("# Bench\n");
  const processor = `${cpus().length} x ${cpus()[0]?.model ?? "?"}`;
  console.log(`Node ${process.version}, ${processor}, ${megabytes(totalmem())} MB.\n`);
  if (values.symbols) return compareToCtags();
  if (wanted.has("compare")) return compareBuilds();
  if (wanted.has("cluster")) return compareToNodes();
  if (wanted.has("placement")) benchPlacement();
  if (wanted.has("idle")) await benchIdle(join(scratch, "idle"), Number(values.seconds));
  const corpora = chosenCorpora();
  if (corpora.length === 0) console.log("Without --corpus DIR, there is no large corpus to search.\n");
  const ranks: number[] = [];
  for (const corpus of corpora) ranks.push(...(await benchCorpus(corpus)));
  if (corpora.length > 1 && ranks.length > 0) printRanks("All", ranks);
  if (values.profile !== undefined) return;
  if (wanted.has("history")) await benchHistory(scratch, inUserFolder(values.history), figures);
  if (wanted.has("store")) await benchStore(scratch);
  if (wanted.has("access")) await benchCredentials(scratch);
  if (wanted.has("calls"))
    await benchCalls(scratch, inUserFolder(values.go), {
      seed: Number(values.seed),
      shownMisses: Number(values.misses),
    });
  if (wanted.has("hosts")) await benchHosts(join(scratch, "hosts"));
  if (wanted.has("retrieval")) await benchRetrieval(folder, scratch, retrieval);
  if (wanted.has("small")) {
    for (const count of [1_000, 5_000]) await benchSmallRepositories(join(scratch, "small"), count);
  }
  const corpus = corpora.map((path) => basename(path)).join(" ");
  figures.printDrift(recordFile, corpus);
  if (values.record) figures.record(recordFile, corpus, git(projectRoot(), "rev-parse", "--short", "HEAD"));
}

/** Resolves a path against `INIT_CWD`, because npm runs scripts in the package's folder. */
function inUserFolder(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(process.env["INIT_CWD"] ?? ".", path);
}

function chosenCorpora(): readonly string[] {
  const corpus = inUserFolder(values.corpus);
  if (corpus !== undefined) return [corpus];
  if (!only.includes("symbols") && !only.includes("ranking")) return [];
  const trees = fetchLabeledTrees(join(folder, "trees"));
  // The names of the symbol benchmark occur in the first tree.
  return only.includes("ranking") ? trees : trees.slice(0, 1);
}

function retrievalOptions(): RetrievalOptions {
  const form = formNames.find((name) => name === values.form);
  const limit = Number(values.limit);
  const shownMisses = Number(values.misses);
  const questions = inUserFolder(values.questions);
  const repositories = inUserFolder(values.repositories);
  if (form === undefined) console.error(`Unknown --form ${values.form}. Use ${formNames.join(", ")}.`);
  else if (!Number.isInteger(limit) || limit < 1)
    console.error(`--limit ${values.limit} is not a number from 1.`);
  else if ((questions === undefined) !== (repositories === undefined))
    console.error("Give both --questions and --repositories, or neither.");
  else return { questions, repositories, form, limit, shownMisses };
  process.exit(2);
}

async function compareToCtags(): Promise<void> {
  const share = await benchSymbols(join(folder, "trees"), {
    languages: values.languages.toLowerCase().split(",").filter(Boolean),
    shownMisses: Number(values.misses),
    maxBytes: Number(values.megabytes) * 1e6,
    worker: join(projectRoot(), "dist/server/symbolWorker.js"),
  });
  if (share * 100 >= Number(values.least)) return;
  console.error(
    `${(share * 100).toFixed(1)} % of the definitions that ctags finds is less than the required ${values.least} %.`,
  );
  process.exitCode = 1;
}

async function compareBuilds(): Promise<void> {
  const other = inUserFolder(values.other);
  if (other === undefined) throw new Error("Name the folder of the other build with --other.");
  const source = inUserFolder(values.corpus);
  const corpus = source === undefined ? projectCopy(folder) : corpusCopy(source, folder);
  const differing = await benchCompare(corpus, projectRoot(), {
    other,
    seed: Number(values.seed),
    count: Number(values.requests),
    shown: Number(values.misses),
  });
  if (differing === 0) return;
  console.error(`${differing} responses differ. --misses N shows how.`);
  process.exitCode = 1;
}

async function compareToNodes(): Promise<void> {
  const corpus = inUserFolder(values.corpus);
  if (corpus === undefined) throw new Error("Name the corpus with --corpus.");
  await benchCluster(corpus, clusterFolder(corpus, folder), Number(values.seconds));
}

/** Benchmarks one corpus; returns the ranks of `benchRanking`. */
async function benchCorpus(source: string): Promise<readonly number[]> {
  const corpus = corpusCopy(source, folder);
  const dataDir = join(scratch, basename(corpus));
  const built = await indexOnce(dataDir, [corpus], { flags: ["--no-symbols"] });
  if (values.profile !== undefined) {
    await profileQuery(dataDir, values.profile, join(folder, "profiles"));
    return [];
  }
  if (wanted.has("build")) printBuild(built);
  // Otherwise symbols would be built in the background while searches are measured.
  const needsSymbols = ["zoekt", "ranking", "symbols", "tools"].some((section) => wanted.has(section));
  if (needsSymbols) printSymbols(built, await indexOnce(dataDir, [corpus]), dataDir);
  if (wanted.has("symbols")) await benchDefinitions(dataDir, cpus().length);
  const counted = wanted.has("search") ? await countAll(dataDir) : new Map();

  const began = performance.now();
  const product = await Product.start(dataDir, []);
  try {
    await product.search({ query: "kmalloc", matches: 50 });
    const firstResponseMs = performance.now() - began;
    const readyMs = await product.ready;
    const idle = memoryOf(product.pid);
    if (wanted.has("search")) await benchSearches(product, corpus, counted);
    if (values.zoekt !== undefined && wanted.has("zoekt"))
      await benchZoekt(values.zoekt, product, corpus, built);
    const searched = memoryOf(product.pid);
    if (wanted.has("tools")) await benchTools(product);
    if (wanted.has("symbols")) await benchNavigation(product);
    const ranks = wanted.has("ranking") ? await benchRanking(product, corpus) : [];
    if (wanted.has("memory")) {
      heading("Start and memory");
      printTable(
        ["with an existing index", ""],
        [
          ["listening after, ms", ms(product.listeningMs)],
          ["first response after, ms", ms(firstResponseMs)],
          ["ready after, ms", ms(readyMs)],
          ["resident when ready, MB", megabytes(idle?.now)],
          ["peak resident while searching, MB", megabytes(searched?.peak)],
        ],
      );
    }
    if (wanted.has("fresh")) await benchFreshness(product, corpus);
    if (wanted.has("clients")) await benchClients(product, Number(values.seconds));
    if (wanted.has("pages")) await benchPages(product, corpus, Number(values.seconds));
    if (wanted.has("load")) await benchLoad(product, Number(values.seconds));
    return ranks;
  } finally {
    await product.stop();
  }
}

async function benchZoekt(where: string, product: Product, corpus: string, built: IndexRun): Promise<void> {
  const zoekt = await Zoekt.open(where, corpus, join(scratch, "zoekt"));
  try {
    // Symbols are built once the text is indexed.
    if (!(await untilQuiet(product.pid)))
      console.log("Symbols are still being built during these searches.\n");
    const ready = memoryOf(product.pid)?.now;
    const zoektReady = zoekt.pid === undefined ? undefined : memoryOf(zoekt.pid)?.now;
    await benchSideBySide(product, zoekt, figures);
    const peak = memoryOf(product.pid)?.peak;
    printFootprint(built, zoekt, { ready, peak }, zoektReady, figures);
  } finally {
    zoekt.stop();
  }
}

function printSymbols(text: IndexRun, run: IndexRun, dataDir: string): void {
  heading("Symbols");
  const folder = join(dataDir, "shards");
  const files = readdirSync(folder).filter((name) => name.endsWith(".symbols"));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const speed = run.cpuSeconds === undefined ? undefined : text.contentBytes / 1e6 / run.cpuSeconds;
  printTable(
    ["all definitions, once text is indexed", ""],
    [
      ["seconds", run.seconds.toFixed(1)],
      ["processor seconds", run.cpuSeconds?.toFixed(1) ?? ""],
      ["MB of text per processor second", speed?.toFixed(1) ?? ""],
      ["peak resident, MB", megabytes(run.peakBytes)],
      ["on disk to text", ratio(bytes, text.contentBytes)],
    ],
  );
}

function printBuild(built: IndexRun): void {
  heading("Build");
  const speed = built.cpuSeconds === undefined ? undefined : built.contentBytes / 1e6 / built.cpuSeconds;
  printTable(
    ["index from scratch", ""],
    [
      ["documents", String(built.documents)],
      ["text, MB", megabytes(built.contentBytes)],
      ["seconds", built.seconds.toFixed(1)],
      ["processor seconds, git's included", built.cpuSeconds?.toFixed(1) ?? ""],
      ["MB per processor second", speed?.toFixed(0) ?? ""],
      ["peak resident, MB", megabytes(built.peakBytes)],
      ["on disk to text", ratio(built.indexBytes, built.contentBytes)],
    ],
  );
}
