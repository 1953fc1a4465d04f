/** Dispatches the tasks of an index worker to their handlers. */
import { getHeapStatistics } from "node:v8";
import { ServiceError } from "#base/error";
import { type DependencyScan, type FoundDependencies, findDependencies } from "#dependencies/dependencies";
import type { BytePath } from "#git/bytePath";
import { type IndexResult, type IndexTask, indexTask, unexpectedResult } from "#indexing/indexTask";
import { type Inspection, inspect, type ShardContents } from "#indexing/inspect";
import { buildSymbols, type SymbolResult, type SymbolTask } from "#indexing/symbolTask";
import { type UnparsedDocument, type UnparsedQuery, unparsedDocuments } from "#indexing/unparsed";
import { withSignal } from "#indexing/withSignal";
import { buildOverlay, type OnFolders, type OverlayResult, type OverlayTask } from "#overlay/overlay";
import type { Files } from "#platform/files";
import type { Task } from "#platform/serveTask";
import type { Pool } from "#platform/threadPool";
import type { OnPartial } from "#platform/workerThread";
import { type Rewrite, type Rewritten, rewriteShards } from "#shard/directory/rewrite";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import { type PathScan, type ScannedPath, scanPath } from "./repositoryFacts";

export type WorkerTask =
  | IndexTask
  | ({ readonly kind: "overlay" } & OverlayTask)
  | ({ readonly kind: "inspect" } & Inspection)
  | ({ readonly kind: "unparsed" } & UnparsedQuery)
  | ({ readonly kind: "rewrite" } & Rewrite)
  | ({ readonly kind: "scan" } & PathScan)
  | ({ readonly kind: "symbols" } & SymbolTask)
  | ({ readonly kind: "dependencies" } & DependencyScan);
export type WorkerResult =
  | IndexResult
  | ({ readonly kind: "overlaid"; readonly heapBytes: number } & OverlayResult)
  | ({ readonly kind: "inspected" } & ShardContents)
  | { readonly kind: "unparsedDocuments"; readonly documents: readonly UnparsedDocument[] }
  | Rewritten
  | ({ readonly kind: "scanned"; readonly heapBytes: number } & ScannedPath)
  | SymbolResult
  | ({ readonly kind: "foundDependencies" } & FoundDependencies);

/** Returns the task handler of an index worker. Without parsers, it handles everything but symbols. */
export function workerTask(files?: Files, parsers?: SymbolParsers): Task<WorkerTask, WorkerResult> {
  const index = indexTask(files);
  return async (work, context) => {
    if (work.kind === "symbols") {
      if (parsers === undefined) throw new ServiceError("ENGINE_UNAVAILABLE", "This worker has no parsers.");
      return withSignal(context, (signal) => buildSymbols(work, parsers, signal, files));
    }
    if (work.kind === "inspect") return { kind: "inspected", ...(await inspect(work)) };
    if (work.kind === "unparsed") {
      return { kind: "unparsedDocuments", documents: await unparsedDocuments(work) };
    }
    if (work.kind === "dependencies") return { kind: "foundDependencies", ...findDependencies(work, files) };
    if (work.kind === "rewrite") return rewriteShards(work, context.isCanceled, files);
    if (work.kind === "scan") {
      const scanned = await withSignal(context, (signal) => scanPath(work, signal));
      return { kind: "scanned", heapBytes: getHeapStatistics().total_heap_size, ...scanned };
    }
    if (work.kind !== "overlay") return index(work, context);
    const overlay = await withSignal(context, (signal) => buildOverlay(work, signal, context.emit));
    return { kind: "overlaid", heapBytes: getHeapStatistics().total_heap_size, ...overlay };
  };
}

const largeHeapBytes = 64 * 1024 * 1024;

/** Returns whether a thread has read so many files or folders that it should end rather than keep its memory while idle. */
export function hasLargeHeap(result: WorkerResult): boolean {
  return (result.kind === "overlaid" || result.kind === "scanned") && result.heapBytes > largeHeapBytes;
}

/** Narrows the type of the pool for the indexer. */
export function indexPool(pool: Pool<WorkerTask, WorkerResult>): Pool<IndexTask, IndexResult> {
  return pool as Pool<IndexTask, IndexResult>;
}

/** Runs a task on an index worker, which returns a result of this kind. */
async function runTask<Kind extends WorkerResult["kind"]>(
  pool: Pool<WorkerTask, WorkerResult>,
  task: WorkerTask,
  kind: Kind,
  signal: AbortSignal,
  onPartial?: OnPartial,
): Promise<Extract<WorkerResult, { readonly kind: Kind }>> {
  const result = await pool.run(task, signal, onPartial);
  if (!isOfKind(result, kind)) throw unexpectedResult(result);
  return result;
}

function isOfKind<Kind extends WorkerResult["kind"]>(
  result: WorkerResult,
  kind: Kind,
): result is Extract<WorkerResult, { readonly kind: Kind }> {
  return result.kind === kind;
}

/**
 * Builds the overlay of a repository: compares its working tree, or some paths of it, with the index. See `buildOverlay`
 * for `onFolders`.
 */
export function runOverlay(
  pool: Pool<WorkerTask, WorkerResult>,
  task: OverlayTask,
  signal: AbortSignal,
  onFolders: OnFolders,
): Promise<OverlayResult> {
  const onPartial = (folders: unknown) => onFolders(folders as readonly BytePath[]);
  return runTask(pool, { kind: "overlay", ...task }, "overlaid", signal, onPartial);
}

/** Runs `scanPath` on an index worker, because it reads thousands of folders. */
export function runScan(
  pool: Pool<WorkerTask, WorkerResult>,
  scan: PathScan,
  signal: AbortSignal,
): Promise<ScannedPath> {
  return runTask(pool, { kind: "scan", ...scan }, "scanned", signal);
}

/** Runs `inspect` on an index worker. */
export function inspectShards(
  pool: Pool<WorkerTask, WorkerResult>,
  inspection: Inspection,
  signal: AbortSignal,
): Promise<ShardContents> {
  return runTask(pool, { kind: "inspect", ...inspection }, "inspected", signal);
}

/** Runs `findDependencies` on an index worker. */
export function scanDependencies(
  pool: Pool<WorkerTask, WorkerResult>,
  scan: DependencyScan,
  signal: AbortSignal,
): Promise<FoundDependencies> {
  return runTask(pool, { kind: "dependencies", ...scan }, "foundDependencies", signal);
}

/** Runs `unparsedDocuments` on an index worker. */
export async function listUnparsed(
  pool: Pool<WorkerTask, WorkerResult>,
  query: UnparsedQuery,
  signal: AbortSignal,
): Promise<readonly UnparsedDocument[]> {
  const { documents } = await runTask(pool, { kind: "unparsed", ...query }, "unparsedDocuments", signal);
  return documents;
}

/** Allows one run more than there are workers, so that refs are read while all workers are busy. */
export function runLimit({ size }: Pool<WorkerTask, WorkerResult>): number {
  return size + 1;
}
