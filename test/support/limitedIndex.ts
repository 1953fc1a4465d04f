/** An index with a limit of disk space: everything that indexes and searches, in this process. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Catalog } from "#catalog/catalog";
import type { RequestInput } from "#contract/service";
import type { Engine } from "#engine/engine";
import { createRepositoryView } from "#instance/repositoryView";
import { type Clock, systemClock } from "#platform/clock";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import type { Task } from "#platform/serveTask";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { defaultSyncSettings } from "#sync/syncSettings";
import { type WorkerResult, type WorkerTask, workerTask } from "#sync/workerTasks";
import { openEngine } from "#test/support/engines";
import { temporaryFolder } from "#test/support/repo";
import { callerOf } from "#test/support/service";

export interface LimitedIndexOptions {
  /** The data directory; a new one by default. */
  readonly folder?: string;
  readonly maxIndexBytes?: number;
  readonly clock?: Clock;
  /** Wraps the engine of searches. */
  readonly wrap?: (engine: Engine) => Engine;
  /** What the threads of the index run. */
  readonly task?: Task<WorkerTask, WorkerResult>;
}

export async function openLimitedIndex({
  folder = temporaryFolder(),
  maxIndexBytes,
  clock = systemClock,
  wrap = (engine) => engine,
  task = workerTask(),
}: LimitedIndexOptions) {
  const directory = await ShardDirectory.open(join(folder, "shards"));
  const catalog = Catalog.open(folder, { log: silentLog, known: directory.manifests().values() });
  const { engine } = openEngine(directory);
  const limits = (bytes: number | undefined) => (bytes === undefined ? {} : { maxIndexBytes: bytes });
  const settings = { ...defaultSyncSettings, dependencies: false };
  const sync = new Sync({
    catalog,
    directory,
    pool: inlineThread(task),
    settings: { ...settings, ...limits(maxIndexBytes) },
    hosts: {},
    log: silentLog,
    clock,
    watches: false,
    onOverlay: (id, overlay) => void engine.setOverlay(id, overlay),
  });
  const repositories = createRepositoryView(catalog, sync, () => true);
  const caller = callerOf({ repositories, engine: wrap(engine) });
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  return {
    folder,
    directory,
    catalog,
    sync,
    engine,
    repositories,
    /** Searches, and waits for nothing but what the search waits for. */
    search: (query: string, request: Partial<RequestInput<"search">> = {}) =>
      caller("search", { query, matches: 10_000, ...request }, call),
    setLimit: (bytes: number | undefined) => sync.configure({ ...settings, ...limits(bytes) }),
    states: () => Object.fromEntries(catalog.all().map(({ name, state }) => [name, state] as const)),
    async close() {
      await sync.close();
      await engine.close();
      catalog.close();
    },
  };
}

export type LimitedIndex = Awaited<ReturnType<typeof openLimitedIndex>>;

interface Folder {
  readonly directory: { readonly folder: string };
}

/** Bytes of all files of the index, drafts too, as the file system reports them. */
export function bytesOnDisk({ directory }: Folder): number {
  return sizesOf(directory.folder).reduce((sum, size) => sum + size, 0);
}

export function largestShard({ directory }: Folder): number {
  return Math.max(0, ...sizesOf(directory.folder));
}

function sizesOf(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => !/\.manifests?$/.test(name))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
}

/** Text of about `kilobytes`, with the word in every tenth line. */
export function textWith(word: string, kilobytes: number, seed: number): string {
  const lines: string[] = [];
  let state = seed * 7919 + 1;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state.toString(36);
  };
  for (let bytes = 0, at = 0; bytes < kilobytes * 1024; at++) {
    const line = `${next()} ${next()} ${next()} ${next()} ${at % 10 === 0 ? word : next()}`;
    lines.push(line);
    bytes += line.length + 1;
  }
  return lines.join("\n");
}
