/** Measures what a large cluster costs while nothing changes. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ListedRepository } from "#gitServer/protocol";
import { placeRepository } from "#indexing/placement";
import { IndexerLoop } from "#instance/indexerLoop";
import { IndexFeed } from "#instance/indexFeed";
import type { CommitHash, Repository } from "#model/repository";
import { systemClock } from "#platform/clock";
import { silentLog } from "#platform/log";
import type { IndexQueue } from "#store/indexQueue";
import { openIndexQueue } from "#store/openIndexQueue";
import { postgresDatabase } from "#store/postgres";
import { howToGetPostgres, postgresFolder, runSql, startPostgres } from "#test/support/postgres";
import { startTrawl, trawl } from "#test/support/trawl";
import { cpuSecondsOfTree, memoryOf } from "./processes";
import { heading, megabytes, printTable } from "./report";

const repositoryCount = 100_000;
const nodeCount = 40;
const replicas = 2;
const secret = "bench-secret-0123456789";
/** As many as a git server passes on again: it does so one after the other, whatever their number. */
const fedCount = 10_000;
/** A process has several connections. */
const maxConnections = 400;
/** Of reading the lists of nodes: the first ones include what a start leaves to do. */
const settledRounds = 4;
const startLimitMs = 300_000;

interface SyntheticRepository {
  readonly id: number;
  readonly name: string;
  readonly commit: string;
  readonly nodes: readonly string[];
}

const nodeNames = Array.from({ length: nodeCount }, (_, at) => `node-${at}`);

/**
 * PostgreSQL, one indexer and one frontend are real processes. The other indexers are loops of the product in this process,
 * which also answers in place of the Zoekt nodes and a git server. Each is watched for `seconds`.
 */
export async function benchIdle(scratch: string, seconds: number): Promise<void> {
  const count = repositoryCount.toLocaleString("en-US");
  heading(`${count} repositories on ${nodeCount} nodes, while nothing changes`);
  const binaries = postgresFolder();
  if (binaries === undefined) {
    console.log(`${howToGetPostgres}\n`);
    return;
  }
  mkdirSync(scratch, { recursive: true });
  const postgres = await startPostgres(binaries, maxConnections);
  const url = await postgres.database();
  const open = () => openIndexQueue(postgresDatabase(url, silentLog), systemClock);
  const queue = await open();
  const closings: (() => Promise<unknown>)[] = [() => queue.close(), () => postgres.close()];
  try {
    const repositories = await placedRepositories(queue);
    await fill(queue, repositories, url);
    const servers = await serveLists(repositories);
    closings.unshift(() => servers.close());
    const config = configure(scratch, url, servers);
    const others = await Promise.all(
      nodeNames.slice(1).map(async (node) => {
        const own = await open();
        const loop = newLoop(own, node);
        return async () => {
          await loop.close();
          await own.close();
        };
      }),
    );
    closings.unshift(...others);
    const start = async (flags: readonly string[], announcement: RegExp) => {
      const running = startTrawl(["serve", "--port", "0", "--config", config, ...flags], scratch);
      closings.unshift(async () => {
        running.process.kill("SIGTERM");
        await running.ended;
      });
      await running.line(announcement);
      return running.process.pid;
    };
    const indexer = await start(["--role", "indexer", "--node", "node-0"], /^Indexing for node/);
    const beganAt = performance.now();
    const frontend = await start(
      ["--role", "frontend", "--data-dir", join(scratch, "frontend")],
      /^Listening on/m,
    );
    await servers.untilSettled(settledRounds);
    const startSeconds = (performance.now() - beganAt) / 1000;
    const watched = [
      ["PostgreSQL", postgres.pid],
      ["an indexer", indexer],
      ["a frontend", frontend],
    ] as const;
    const listedBefore = servers.sentBytes();
    const before = watched.map(([, pid]) => cpuSecondsOfTree(pid));
    const commitsBefore = await commitCount(url);
    const watchedAt = performance.now();
    await sleep(seconds * 1000);
    const elapsed = (performance.now() - watchedAt) / 1000;
    const rows = watched.map(([name, pid], at) => {
      const used = (cpuSecondsOfTree(pid) ?? Number.NaN) - (before[at] ?? Number.NaN);
      const memory = pid === undefined ? undefined : memoryOf(pid)?.now;
      return [name, ((used / elapsed) * 100).toFixed(2), name === "PostgreSQL" ? "" : megabytes(memory)];
    });
    const transactions = ((await commitCount(url)) - commitsBefore) / elapsed;
    const listed = (servers.sentBytes() - listedBefore) / elapsed;
    printTable([`during ${elapsed.toFixed(0)} s`, "% of a core", "MB"], rows);
    console.log(
      `${transactions.toFixed(0)} transactions per second. Nodes and the git server sent ${megabytes(listed)} MB per ` +
        `second to the frontend, which had known all of them after ${startSeconds.toFixed(0)} s.\n`,
    );
    await benchRounds(queue, repositories, postgres.pid, config);
  } finally {
    for (const close of closings) await close().catch((error: unknown) => console.error(error));
  }
}

/** Measures what reads or passes on everything at once. */
async function benchRounds(
  queue: IndexQueue,
  repositories: readonly SyntheticRepository[],
  postgres: number | undefined,
  config: string,
): Promise<void> {
  const rows: string[][] = [];
  const measure = async (name: string, run: () => Promise<unknown>) => {
    const before = cpuSecondsOfTree(postgres) ?? Number.NaN;
    const own = process.cpuUsage();
    const startedAt = performance.now();
    await run();
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(own);
    const database = (cpuSecondsOfTree(postgres) ?? Number.NaN) - before;
    rows.push([name, seconds.toFixed(1), database.toFixed(2), ((user + system) / 1e6).toFixed(2)]);
  };
  const fed = repositories.slice(0, fedCount);
  await measure(`a git server passes on ${fedCount} repositories again`, () => feedAll(queue, fed));
  await measure("trawl cluster status", () => trawl(["cluster", "status", "--config", config]));
  printTable(["", "seconds", "cpu s of PostgreSQL", "cpu s of this process"], rows);
}

async function feedAll(queue: IndexQueue, repositories: readonly SyntheticRepository[]): Promise<void> {
  let stored = 0;
  let feed: IndexFeed | undefined;
  const all = () =>
    repositories.map(({ id, name, commit }) => {
      const chosen = { revisions: [{ name: branch, commit: commit as CommitHash }] };
      return { repository: { id, name } as Repository, chosen, maxFileBytes, isForced: false };
    });
  await new Promise<void>((resolve) => {
    feed = new IndexFeed({
      queue: async () => queue,
      async store({ repository: { id, name }, chosen: { revisions } }) {
        const job = { repositoryId: id, name, source: sourceOf(name), maxFileBytes, revisions };
        await queue.want((repositories[id - 1]?.nodes ?? []).map((node) => ({ ...job, node })));
        if (++stored === repositories.length) resolve();
      },
      all,
      keepMs: 0,
      clock: systemClock,
      log: silentLog,
    });
    feed.setFeeder(true);
  });
  feed?.close();
}

const maxFileBytes = 1_000_000;
const branch = "refs/heads/main";

function sourceOf(name: string): string {
  return `https://git.example.com/git/${name}`;
}

async function placedRepositories(queue: IndexQueue): Promise<readonly SyntheticRepository[]> {
  const nodes = nodeNames.map((name) => ({ name, weight: 1 }));
  const names = Array.from(
    { length: repositoryCount },
    (_, at) => `git.example.com/team-${at % 977}/service-${at}`,
  );
  const repositories: SyntheticRepository[] = [];
  for (const [name, id] of await queue.idsOf(names)) {
    const commit = createHash("sha1").update(name).digest("hex");
    repositories.push({
      id,
      name,
      commit,
      nodes: placeRepository(id, nodes, replicas).map((node) => node.name),
    });
  }
  return repositories.sort((left, right) => left.id - right.id);
}

/** Fills the queue with jobs that are done. */
async function fill(
  queue: IndexQueue,
  repositories: readonly SyntheticRepository[],
  url: string,
): Promise<void> {
  await queue.want(
    repositories.flatMap(({ id, name, commit, nodes }) =>
      nodes.map((node) => ({
        repositoryId: id,
        node,
        name,
        source: sourceOf(name),
        maxFileBytes,
        revisions: [{ name: branch, commit }],
      })),
    ),
  );
  await runSql(
    url,
    `update "indexJob" set "state" = 'indexed', "indexed" = "wanted", "dueAt" = null`,
    // Otherwise, these would begin on their own while it is watched.
    "vacuum analyze",
    "checkpoint",
  );
}

function newLoop(queue: IndexQueue, node: string): IndexerLoop {
  return new IndexerLoop({
    queue,
    node,
    slots: 2,
    clock: systemClock,
    log: silentLog,
    run: () => Promise.reject(new Error("No job should be due.")),
    leaseMs: 60_000,
  });
}

interface Lists {
  readonly nodeUrls: readonly string[];
  readonly gitUrl: string;
  /** Waits until the frontend has read the lists of all nodes often enough since it knows the repositories. */
  untilSettled(rounds: number): Promise<void>;
  sentBytes(): number;
  close(): Promise<void>;
}

/** Answers in place of Zoekt nodes and of a git server. Their processor time is not part of the results. */
async function serveLists(repositories: readonly SyntheticRepository[]): Promise<Lists> {
  let sent = 0;
  let knownAt: number | undefined;
  let rounds = 0;
  const servers: Server[] = [];
  const listen = async (answer: (path: string, body: string, tag: string | undefined) => Buffer | number) => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const reply = answer(request.url ?? "", body, request.headers["if-none-match"]);
        if (typeof reply === "number") return void response.writeHead(reply, { etag: '"1"' }).end();
        sent += reply.length;
        response.writeHead(200, {
          "content-type": "application/json",
          "content-length": reply.length,
          etag: '"1"',
        });
        response.end(reply);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const gitList = Buffer.from(JSON.stringify({ repositories: repositories.map(toListed) }));
  const gitUrl = await listen((path, _, tag) => {
    if (path !== "/repositories") return 200;
    if (tag !== '"1"') return gitList;
    knownAt ??= performance.now();
    return 304;
  });
  const nodeUrls: string[] = [];
  for (const name of nodeNames) {
    const own = repositories.filter(({ nodes }) => nodes.includes(name));
    const full = Buffer.from(JSON.stringify(fullList(own)));
    const short = Buffer.from(JSON.stringify(shortList(own)));
    nodeUrls.push(
      await listen((path, body) => {
        if (path !== "/api/list") return 200;
        if (name === "node-0" && knownAt !== undefined) rounds++;
        return JSON.parse(body).Opts?.Field === 2 ? short : full;
      }),
    );
  }
  return {
    gitUrl,
    nodeUrls,
    sentBytes: () => sent,
    async untilSettled(wanted) {
      for (const until = performance.now() + startLimitMs; rounds < wanted; await sleep(500))
        if (performance.now() > until) throw new Error("The frontend has not read the lists of the nodes.");
    },
    async close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

function toListed({ name, commit }: SyntheticRepository): ListedRepository {
  return {
    name,
    codeHostType: "github",
    isFork: false,
    isArchived: false,
    isPublic: false,
    defaultRevision: branch,
    revisions: [{ name: branch, commit }],
    state: "ready",
    indexedAt: 1_700_000_000_000,
  };
}

/** As `zoekt-webserver` responds, with all of the fields that it sends. */
function fullList(repositories: readonly SyntheticRepository[]): unknown {
  const count = { Documents: 1000, IndexBytes: 5_000_000, ContentBytes: 12_000_000 };
  const lines = {
    NewLinesCount: 300_000,
    DefaultBranchNewLinesCount: 300_000,
    OtherBranchesNewLinesCount: 0,
  };
  const stats = { Repos: 0, Shards: 1, ...count, ...lines };
  const Repos = repositories.map(({ id, name, commit }) => ({
    Repository: {
      ...{ TenantID: 0, ID: id, Name: name, URL: "", Metadata: null, Source: "/index/.trawl/copy" },
      ...{ Branches: [{ Name: branch, Version: commit }], SubRepoMap: null, CommitURLTemplate: "" },
      ...{ FileURLTemplate: "", LineFragmentTemplate: "", RawConfig: { name, repoid: String(id) }, Rank: 0 },
      ...{ IndexOptions: "0123456789abcdef0123456789abcdef01234567", HasSymbols: false, Tombstone: false },
      LatestCommitDate: "2026-01-01T00:00:00Z",
    },
    IndexMetadata: {
      ...{ IndexFormatVersion: 16, IndexFeatureVersion: 12, IndexMinReaderVersion: 10 },
      ...{
        IndexTime: "2026-01-01T00:00:00Z",
        PlainASCII: false,
        LanguageMap: { Go: 1, Markdown: 2, YAML: 3 },
      },
      ...{ ZoektVersion: "", ID: "0123456789abcdef" },
    },
    Stats: stats,
  }));
  return { List: { Repos, ReposMap: {}, Crashes: 0, Stats: stats } };
}

function shortList(repositories: readonly SyntheticRepository[]): unknown {
  const entries = repositories.map(({ id, commit }) => [
    String(id),
    { HasSymbols: false, Branches: [{ Name: branch, Version: commit }], IndexTimeUnix: 1_767_225_600 },
  ]);
  return { List: { Repos: [], ReposMap: Object.fromEntries(entries), Crashes: 0, Stats: {} } };
}

function configure(folder: string, database: string, { nodeUrls, gitUrl }: Lists): string {
  const file = join(folder, "secret");
  writeFileSync(file, secret, { mode: 0o600 });
  const nodes = nodeUrls.map((url, at) => ({
    ...{ name: nodeNames[at], url, hasIndexer: true },
    indexFolder: join(folder, "index"),
  }));
  mkdirSync(join(folder, "index"));
  const config = join(folder, "trawl.json");
  const gitServers = [{ name: "git", url: gitUrl, secret: { file } }];
  const settings = { database, gitServers, engine: { zoekt: { nodes, replicas } } };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  return config;
}

async function commitCount(url: string): Promise<number> {
  const [row] = await runSql(
    url,
    "select xact_commit as count from pg_stat_database where datname = current_database()",
  );
  return Number(row?.["count"]);
}
