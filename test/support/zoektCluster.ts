/** Engines over Zoekt nodes, which are real or doubles, with the repositories of a test. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "#engine/engine";
import { NodeRepositories } from "#engine/zoekt/nodeRepositories";
import { createVerifyTask } from "#engine/zoekt/verifyTask";
import { VerifyThreads } from "#engine/zoekt/verifyThreads";
import { ZoektEngine } from "#engine/zoekt/zoektEngine";
import { ZoektNode } from "#engine/zoekt/zoektNode";
import { categorize } from "#languages/categorize";
import { systemClock } from "#platform/clock";
import { inlineThread } from "#platform/inlineThread";
import type { ShardDirectory } from "#shard/directory/directory";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import type { BruteDocument } from "./bruteForce";
import { openEngine, openIndex } from "./engines";
import { temporaryFolder } from "./repo";
import { testParsers } from "./testLanguage";
import { type DoubleRepository, type ZoektDouble, zoektDouble } from "./zoektDouble";
import { runProgram, serveZoekt, zoektIndexer } from "./zoektPrograms";

export interface ClusterRepository {
  readonly id: number;
  /** Short names of branches; the first is the default. */
  readonly branches: readonly string[];
  readonly documents: readonly {
    readonly path: string;
    readonly content: Uint8Array;
    /** Indexes in `branches`. */
    readonly branches: readonly number[];
  }[];
}

export interface Cluster {
  readonly engine: Engine;
  readonly nodes: readonly ZoektNode[];
  readonly repositories: NodeRepositories;
  close(): Promise<void>;
}

export function repositoryName(id: number): string {
  return `host.test/group/repo${id}`;
}

const languages = [
  [".go", "Go"],
  [".c", "C"],
  [".py", "Python"],
  [".txt", "Text"],
] as const;

/** Zoekt's language of the extensions that tests use. */
function zoektLanguage(path: string): string {
  return languages.find(([extension]) => path.endsWith(extension))?.[1] ?? "";
}

/** Divides repositories among nodes by their ids. */
export function nodeOf(id: number, nodeCount: number): number {
  return id % nodeCount;
}

export function doubleRepository({ id, branches, documents }: ClusterRepository): DoubleRepository {
  return {
    id,
    name: repositoryName(id),
    branches: branches.map((name) => ({
      name: `refs/heads/${name}`,
      commit: createHash("sha1").update(`${id} ${name}`).digest("hex"),
    })),
    documents: documents.map((document) => ({ ...document, language: zoektLanguage(document.path) })),
  };
}

/** The nodes of a repository in the order in which they are asked, of which the first have replicas. */
export function placesOf(id: number, nodeCount: number): number[] {
  return Array.from({ length: nodeCount }, (_, at) => (id + at) % nodeCount);
}

/** Starts one double per node. */
export function startDoubles(
  repositories: readonly ClusterRepository[],
  nodeCount: number,
  replicas = 1,
): Promise<ZoektDouble[]> {
  return Promise.all(
    Array.from({ length: nodeCount }, (_, node) =>
      zoektDouble(
        repositories
          .filter(({ id }) => placesOf(id, nodeCount).slice(0, replicas).includes(node))
          .map(doubleRepository),
      ),
    ),
  );
}

/** Indexes the repositories with `zoekt-git-index`, and returns one index folder per node. */
async function indexWithZoekt(
  repositories: readonly ClusterRepository[],
  nodeCount: number,
): Promise<string[]> {
  const folder = temporaryFolder();
  const folders = Array.from({ length: nodeCount }, (_, node) => join(folder, `index${node}`));
  for (const path of folders) mkdirSync(path);
  for (const repository of repositories) {
    const { id, branches } = repository;
    const gitDir = join(folder, "repositories", `${repositoryName(id)}.git`);
    writeRepository(gitDir, repository);
    await runProgram(zoektIndexer, [
      "-index",
      folders[nodeOf(id, nodeCount)] ?? "",
      "-repo_cache",
      join(folder, "repositories"),
      "-branches",
      branches.map((name) => `refs/heads/${name}`).join(","),
      "-submodules=false",
      "-disable_ctags",
      gitDir,
    ]);
  }
  return folders;
}

function writeRepository(gitDir: string, { id, branches, documents }: ClusterRepository): void {
  mkdirSync(gitDir, { recursive: true });
  git(gitDir, ["init", "-q", "--bare", "-b", branches[0] ?? "main"]);
  git(gitDir, ["config", "zoekt.name", repositoryName(id)]);
  git(gitDir, ["config", "zoekt.repoid", String(id)]);
  const parts: Buffer[] = [];
  for (const [at, branch] of branches.entries()) {
    parts.push(
      Buffer.from(`commit refs/heads/${branch}\ncommitter a <a@b.test> 1600000000 +0000\ndata 1\nx\n`),
    );
    for (const { path, content } of documents.filter((document) => document.branches.includes(at))) {
      parts.push(Buffer.from(`M 100644 inline ${JSON.stringify(path)}\ndata ${content.length}\n`));
      parts.push(Buffer.from(content), Buffer.from("\n"));
    }
  }
  git(gitDir, ["fast-import", "--quiet"], Buffer.concat(parts));
}

function git(gitDir: string, args: readonly string[], input?: Uint8Array): void {
  const { status, stderr } = spawnSync("git", ["-C", gitDir, ...args], { input });
  if (status !== 0) throw new Error(stderr.toString("utf8"));
}

export interface ClusterOptions {
  readonly expected?: readonly (readonly [id: number, node: string])[];
  readonly maxResponseBytes?: number;
  /** What nodes will remove soon. */
  readonly leaving?: () => { readonly repositoryId: number; readonly node: string }[];
  readonly maxListAgeMs?: number;
  /** Whether it is known what each node should have. */
  readonly isFed?: boolean;
  /** By default, documents have no definitions. */
  readonly parsers?: SymbolParsers;
}

/** Opens an engine over nodes, named `node0`, `node1` and so on. */
export async function openCluster(
  urls: readonly string[],
  repositories: readonly ClusterRepository[],
  {
    expected = [],
    maxResponseBytes = 64 * 1024 * 1024,
    isFed = false,
    leaving = () => [],
    maxListAgeMs = 10_000,
    parsers = testParsers(),
  }: ClusterOptions = {},
): Promise<Cluster> {
  const nodes = urls.map((url, at) => new ZoektNode({ name: `node${at}`, url, clock: systemClock }));
  const byName = new Map(
    repositories.map(({ id, branches }) => [
      repositoryName(id),
      {
        id,
        defaultRevision: `refs/heads/${branches[0]}`,
        revisions: branches.map((name) => ({ name: `refs/heads/${name}` })),
      },
    ]),
  );
  const lists = new NodeRepositories({
    nodes,
    clock: systemClock,
    log: { warn() {} },
    find: (name) => byName.get(name),
    placesOf: (id) => placesOf(id, nodes.length).map((at) => `node${at}`),
    basis: () => [],
    leaving: async () => leaving(),
    maxAgeMs: maxListAgeMs,
  });
  const { engine: embedded } = openEngine(await openIndex([]));
  const engine = new ZoektEngine({
    nodes,
    repositories: lists,
    threads: new VerifyThreads(1, (_onExit, cacheBytes) => inlineThread(createVerifyTask(cacheBytes))),
    parsers,
    embedded,
    embeddedIds: () => [],
    expected: () => expected,
    isFed: () => isFed,
    maxResponseBytes,
  });
  return { engine, nodes, repositories: lists, close: () => engine.close() };
}

export interface StartedNodes {
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

/** Starts nodes with the repositories: doubles, or real ones. */
export async function startNodes(
  kind: "double" | "zoekt",
  repositories: readonly ClusterRepository[],
  nodeCount: number,
): Promise<StartedNodes> {
  const started =
    kind === "double"
      ? await startDoubles(repositories, nodeCount)
      : await Promise.all(
          (await indexWithZoekt(repositories, nodeCount)).map((folder) => serveZoekt(folder)),
        );
  return {
    urls: started.map(({ url }) => url),
    async stop() {
      await Promise.all(started.map((node) => node.stop()));
    },
  };
}

/** The documents as brute force searches them. */
export function bruteDocuments(repositories: readonly ClusterRepository[]): BruteDocument[] {
  return repositories.flatMap(({ id, branches, documents }) =>
    documents.map(({ path, content, branches: held }) => ({
      repositoryId: id,
      path,
      content,
      language: zoektLanguage(path),
      refs: held.map((at) => branches[at] ?? ""),
    })),
  );
}

/** Indexes what the nodes of a cluster have for the embedded engine. */
export function embeddedIndex(repositories: readonly ClusterRepository[]): Promise<ShardDirectory> {
  return openIndex(
    repositories.map(({ id, branches, documents }) => ({
      id,
      revisions: branches.map((name, slot) => ({
        name: `refs/heads/${name}`,
        commit: `${slot}`.repeat(40),
        slot,
      })),
      segments: [
        documents.map(({ path, content, branches: slots }) => ({
          path,
          content,
          language: zoektLanguage(path),
          category: categorize(path),
          slots,
        })),
      ],
    })),
  );
}
