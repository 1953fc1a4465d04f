/** Lists the documents of a repository whose content is not indexed. */
import type { SkippedDocument } from "#indexing/inspect";
import type { RepositoryId } from "#model/repository";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import { inspectionOf, readShards } from "./refresh";
import { inspectShards, type WorkerResult, type WorkerTask } from "./workerTasks";

/** Returns them by path; none for an unknown repository. */
export async function skippedDocuments(
  id: RepositoryId,
  directory: ShardDirectory,
  pool: Pool<WorkerTask, WorkerResult>,
  signal: AbortSignal,
): Promise<readonly SkippedDocument[]> {
  const contents = await readShards(directory, id, signal, (manifest) =>
    inspectShards(pool, { ...inspectionOf(directory, manifest), includesSkipped: true }, signal),
  );
  return contents?.skipped ?? [];
}
