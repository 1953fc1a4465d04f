/** The service with all its dependencies as plain values, and a listener for it. */
import { connect } from "node:net";
import { join } from "node:path";
import type { Caller, Service } from "#contract/service";
import type { Engine, EngineResult } from "#engine/engine";
import { defaultGitTimeLimitMs } from "#git/gitRequest";
import { encodeChunks, type FileMatch } from "#model/match";
import type { Repository, RepositoryId } from "#model/repository";
import { noStats } from "#model/stats";
import { silentLog } from "#platform/log";
import { createServices, type ServiceOptions, type Services } from "#service/createService";
import { createDispatch, type DispatchOptions } from "#service/dispatch";
import { History } from "#service/history/history";
import { Metrics } from "#service/metrics";
import type { RepositoryView, SkippedEntry, UnparsedEntry } from "#service/repositories/repositoryView";
import { symbolParsers } from "#symbols/parsing/parsers";
import { projectRoot } from "#test/support/house";
import { type Listener, type ListenerOptions, listen } from "#transport/http/listener";
import { type TestOrganization, testOrganization } from "./organization";
import { temporaryFolder } from "./repo";

/** Creates a repository as the catalog would describe it. */
export function repository(id: number, name: string, change: Partial<Repository> = {}): Repository {
  return {
    id: id as RepositoryId,
    name,
    kind: "clone",
    path: `/src/${name}`,
    codeHostType: "github",
    hostUrl: `https://${name}`,
    isFork: false,
    isArchived: false,
    isPublic: false,
    defaultRevision: "refs/heads/main",
    revisions: [{ name: "refs/heads/main", commit: "c".repeat(40) as Repository["revisions"][0]["commit"] }],
    state: "ready",
    documentCount: 3,
    skippedCount: 0,
    contentBytes: 100,
    indexBytes: 130,
    ...change,
  };
}

/** Creates one match, `found`, in line 2 of the file. */
export function fileMatch(repositoryId: number, path: string, change: Partial<FileMatch> = {}): FileMatch {
  const at = (byteOffset: number, column: number) => ({ byteOffset, lineNumber: 2, column });
  return {
    repositoryId: repositoryId as RepositoryId,
    path,
    nameRanges: [],
    chunks: encodeChunks([
      {
        content: "it is found here\n",
        contentStart: at(10, 1),
        matchRanges: [{ start: at(16, 7), end: at(21, 12) }],
        symbols: [],
      },
    ]),
    rangeCount: 1,
    language: "TypeScript",
    branches: ["refs/heads/main"],
    origin: "commit",
    commit: "c".repeat(40),
    blobSha: "b".repeat(40),
    content: "",
    score: 1,
    matchCount: 1,
    ...change,
  };
}

export function engineResult(files: readonly FileMatch[], change: Partial<EngineResult> = {}): EngineResult {
  const matches = files.reduce((sum, { matchCount }) => sum + matchCount, 0);
  const stats = { ...noStats, actualMatchCount: matches, totalMatchCount: matches, fileCount: files.length };
  return { files, stats, isExhaustive: true, ...change };
}

/** Creates an engine with this search function. */
export function engineOf(search: Engine["search"]): Engine {
  return {
    search,
    count: async () => ({ counts: new Map(), isComplete: true }),
    findSymbols: async () => ({ symbols: [], flushReason: "NONE", filesMissing: 0 }),
    readDocuments: async (requests) => requests.map(() => undefined),
    close: async () => {},
  };
}

export function viewOf(
  repositories: readonly Repository[],
  skipped: Readonly<Record<number, readonly SkippedEntry[]>> = {},
  unparsed: Readonly<Record<number, readonly UnparsedEntry[]>> = {},
): RepositoryView {
  const sorted = [...repositories].sort((left, right) => (left.name < right.name ? -1 : 1));
  const own = sorted.filter(({ kind }) => kind !== "package");
  const packages = sorted.filter(({ kind }) => kind === "package");
  const all = [...own, ...packages];
  return {
    isLimited: false,
    all: () => own,
    packages: () => packages,
    get: (id) => all.find((each) => each.id === id),
    byName: (name) =>
      all.find((each) => each.name === name) ?? all.find((each) => each.formerNames?.includes(name)),
    containing: (path) => all.find((each) => path.startsWith(`${each.path}/`)),
    isScanning: () => false,
    hasUnknownRights: () => false,
    isScanningPackages: () => false,
    isPolled: () => false,
    hasSymbols: () => false,
    indexRevision: async () => "absent",
    restore: async () => {},
    evictionCount: () => 0,
    wasEvictedSince: () => false,
    noteUse: () => {},
    skipped: async (id) => skipped[id] ?? [],
    unparsed: async (id) => unparsed[id] ?? [],
  };
}

const codeHostPlan = {
  scopes: [],
  listed: 0,
  requests: 0,
  problems: [],
  added: [],
  renamed: [],
  excluded: [],
  removed: [],
  kept: 0,
  unconfirmed: 0,
};

const notLocal: ServiceOptions["local"] = {
  addPaths: async () => ({ repositories: [] }),
  removePaths: async () => ({ repositories: [], excluded: [] }),
  indexing: async (_request, { emit }) => {
    await emit?.({ repositories: [], total: 2, ready: 1 });
    return { total: 2, ready: 2, failed: [] };
  },
  removeRepositories: async () => ({}),
  reindex: async () => ({}),
  pauseIndexing: async () => ({}),
  clones: async () => ({ clones: [{ repositoryId: 1, repository: "r", folder: "/src/r", isBare: false }] }),
  codeHosts: async () => [],
  planCodeHost: async () => codeHostPlan,
  codeHostRepositories: async () => ({ items: [], total: 0 }),
  syncCodeHost: async () => ({ ...codeHostPlan, isListing: false }),
  checkCodeHost: async () => codeHostPlan,
  addCodeHost: async () => ({}),
  removeCodeHost: async () => ({}),
  holdCodeHostTokens: async (_request, { emit }) => {
    await emit?.({ held: 1 });
    return {};
  },
  reloadCodeHosts: async () => ({}),
  confirmCodeHost: async () => ({ confirmed: 0 }),
  receiveWebhook: async () => ({}),
  siblings: async () => ({
    repositories: [{ path: "/src/s", name: "s", sizeBytes: 3 }],
    isComplete: true,
  }),
  instance: async () => ({
    version: "1.2.3",
    pid: 1,
    dataDir: "/data",
    url: "http://127.0.0.1:4878",
    isPaused: false,
    paths: 1,
    repositories: 2,
    ready: 1,
    failed: 1,
    polled: 0,
    contentBytes: 200,
    indexBytes: 260,
    evicted: 0,
    memoryBytes: 1,
    uptimeSeconds: 0,
  }),
  startEndpoint: async () => ({ url: "http://127.0.0.1:4878" }),
  stopEndpoint: async () => ({}),
};

export function serviceOf(options: Partial<ServiceOptions> = {}): Service {
  return servicesOf(options)(undefined);
}

function servicesOf(options: Partial<ServiceOptions> = {}): Services {
  const { repositories = viewOf([]) } = options;
  return createServices({
    engine: engineOf(async () => engineResult([])),
    parsers: symbolParsers(join(projectRoot(), "dist/server/symbolWorker.js"), 1),
    repositories,
    history: new History({ repositories }),
    contexts: {},
    languageOf: () => "",
    version: "1.2.3",
    metrics: new Metrics(),
    local: notLocal,
    organization: testOrganization().handlerOptions,
    savedState: {
      read: () => ({ texts: {}, counts: { paths: 0, mirrors: 0 } }),
      add: () => ({ paths: 0, mirrors: 0 }),
      apply: () => {},
    },
    ...options,
  });
}

export interface TestDispatchOptions extends Partial<DispatchOptions> {
  readonly organization?: TestOrganization;
}

/** Calls without credentials are allowed unless the listener says otherwise. */
export function callerOf(
  options: Partial<ServiceOptions> = {},
  { organization = testOrganization(), ...dispatch }: TestDispatchOptions = {},
): Caller {
  const { access, audit, handlerOptions: people } = organization;
  const metrics = new Metrics();
  const services = servicesOf({ organization: people, metrics, ...options });
  const limits = {
    timeLimitMs: 10_000,
    gitTimeLimitMs: () => options.history?.timeLimitMs ?? defaultGitTimeLimitMs,
  };
  const caller = createDispatch({ services, access, audit, metrics, ...limits, ...dispatch });
  return (name, request, call) => caller(name, request, { anonymous: "on", ...call });
}

export interface TestListener extends Listener {
  readonly url: string;
  readonly port: number;
  readonly socket: string;
}

/** Listens on a free port and on a local socket. */
export async function openListener(
  caller: Caller,
  options: Partial<ListenerOptions> = {},
): Promise<TestListener> {
  const socket = join(temporaryFolder(), "trawl.sock");
  const tcp = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ caller, log: silentLog, tcp, socket, anonymous: "on", ...options });
  const { url = "" } = listener;
  return {
    url,
    port: Number(new URL(url).port),
    socket,
    close: () => listener.close(),
  };
}

/** Sends raw bytes and returns what is received until the server closes the connection or `enough` is received. */
export async function rawRequest(
  target: number | string,
  bytes: string | Uint8Array,
  enough: RegExp = /$^/,
): Promise<string> {
  const socket = typeof target === "number" ? connect(target, "127.0.0.1") : connect(target);
  let received = "";
  socket.setTimeout(5000, () => socket.destroy());
  socket.write(bytes);
  return new Promise((resolve) => {
    socket.on("data", (part) => {
      received += part.toString("latin1");
      if (enough.test(received)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
}
