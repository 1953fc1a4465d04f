import { basename, join } from "node:path";
import { isPlainFolder } from "#model/repository";
import type { Pool } from "#platform/threadPool";
import type { Draft, ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import type { WorkerResult, WorkerTask } from "./workerTasks";

export interface RewriteContext {
  readonly directory: ShardDirectory;
  readonly pool: Pool<WorkerTask, WorkerResult>;
  /** Called for a damaged shard file. */
  readonly onDamage: (file: string) => void;
}

/**
 * Writes what is left of the documents of these manifests into new drafts, without segments before `from`. Returns
 * `undefined` if a shard is damaged.
 */
export async function writeRemaining(
  manifests: readonly Manifest[],
  from: number,
  { directory, pool, onDamage }: RewriteContext,
  signal: AbortSignal,
): Promise<readonly Draft[] | undefined> {
  const repositories = manifests.map((manifest) => ({
    id: manifest.repositoryId,
    segments: manifest.segments.map((segment) => directory.pathOf(segment)),
    liveSlots: isPlainFolder(manifest.kind) ? [0] : manifest.revisions.map((revision) => revision.slot),
  }));
  const symbols: Record<string, string> = {};
  for (const segment of manifests.flatMap(({ segments }) => segments)) {
    const file = directory.symbols.of(segment.file);
    if (file !== undefined) symbols[directory.pathOf(segment)] = join(directory.folder, file);
  }
  const result = await pool.run(
    { kind: "rewrite", repositories, symbols, from, draftPath: directory.newDraft() },
    signal,
  );
  if (result.kind === "damaged") onDamage(basename(result.path));
  return result.kind === "rewritten" ? result.drafts : undefined;
}
