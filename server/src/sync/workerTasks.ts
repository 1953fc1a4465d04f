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

/**
 * Builds the overlay of a repository: compares its working tree, or some paths of it, with the index. See `buildOverlay`
 * for `onFolders`.
 */
export async function runOverlay(
  pool: Pool<WorkerTask, WorkerResult>,
  task: OverlayTask,
  signal: AbortSignal,
  onFolders: OnFolders,
): Promise<OverlayResult> {
  const result = await pool.run({ kind: "overlay", ...task }, signal, (folders) =>
    onFolders(folders as readonly BytePath[]),
  );
  if (result.kind !== "overlaid") throw unexpectedResult(result);
  return result;
}

/** Runs `scanPath` on an index worker, because it reads thousands of folders. */
export async function runScan(
  pool: Pool<WorkerTask, WorkerResult>,
  scan: PathScan,
  signal: AbortSignal,
): Promise<ScannedPath> {
  const result = await pool.run({ kind: "scan", ...scan }, signal);
  if (result.kind !== "scanned") throw unexpectedResult(result);
  return result;
}

/** Runs `inspect` on an index worker. */
export async function inspectShards(
  pool: Pool<WorkerTask, WorkerResult>,
  inspection: Inspection,
  signal: AbortSignal,
): Promise<ShardContents> {
  const result = await pool.run({ kind: "inspect", ...inspection }, signal);
  if (result.kind !== "inspected") throw unexpectedResult(result);
  return result;
}

/** Runs `findDependencies` on an index worker. */
export async function scanDependencies(
  pool: Pool<WorkerTask, WorkerResult>,
  scan: DependencyScan,
  signal: AbortSignal,
): Promise<FoundDependencies> {
  const result = await pool.run({ kind: "dependencies", ...scan }, signal);
  if (result.kind !== "foundDependencies") throw unexpectedResult(result);
  return result;
}

/** Runs `unparsedDocuments` on an index worker. */
export async function listUnparsed(
  pool: Pool<WorkerTask, WorkerResult>,
  query: UnparsedQuery,
  signal: AbortSignal,
): Promise<readonly UnparsedDocument[]> {
  const result = await pool.run({ kind: "unparsed", ...query }, signal);
  if (result.kind !== "unparsedDocuments") throw unexpectedResult(result);
  return result.documents;
}

/** Allows one run more than there are workers, so that refs are read while all workers are busy. */
export function runLimit({ size }: Pool<WorkerTask, WorkerResult>): number {
  return size + 1;
}
