/** Brings the queue of index jobs in line with what is indexed, after a leader has started. */
import type { Catalog } from "#catalog/catalog";
import { chooseRevisions, type ZoektIndexer } from "#indexing/zoektIndexer";
import { isPlainFolder, type RepositoryId } from "#model/repository";
import type { ShardDirectory } from "#shard/directory/directory";
import type { IndexQueue } from "#store/indexQueue";
import type { QueuedIndexers } from "./nodeIndexers";

export interface ReconciliationOptions {
  readonly queue: IndexQueue;
  readonly catalog: Catalog;
  readonly directory: ShardDirectory;
  readonly indexer: ZoektIndexer;
  readonly indexers: QueuedIndexers;
  /** Whether an indexer runs beside a node. */
  readonly hasIndexer: (node: string) => boolean;
  readonly maxFileBytes: number;
  /** Fires when the leader closes. */
  readonly signal: AbortSignal;
}

/**
 * Finishes the moves and removals that an earlier leader has begun, and wants again what the database has lost. Throws
 * ENGINE_UNAVAILABLE and CANCELLED.
 */
export async function reconcileJobs(options: ReconciliationOptions): Promise<void> {
  const { queue, catalog, directory, indexer, indexers, hasIndexer, maxFileBytes, signal } = options;
  const nodesById = new Map<number, string[]>();
  for (const { repositoryId, node } of await queue.placements()) {
    const nodes = nodesById.get(repositoryId);
    if (nodes === undefined) nodesById.set(repositoryId, [node]);
    else nodes.push(node);
  }
  // A data directory without repositories is a new one, which does not know what should be on the nodes.
  for (const id of catalog.all().length === 0 ? [] : nodesById.keys())
    if (catalog.get(id as RepositoryId) === undefined)
      await indexers.removeFromOthers({ id: id as RepositoryId, name: "" }, []);
  for (const { repositoryId, segments, revisions, kind, defaultRevision } of directory.manifests().values()) {
    const repository = catalog.get(repositoryId as RepositoryId);
    if (repository === undefined || isPlainFolder(kind) || segments.length > 0 || revisions.length === 0)
      continue;
    const places = indexer.placesOf(repositoryId);
    const nodes = nodesById.get(repositoryId) ?? [];
    const missing = places.filter((node) => hasIndexer(node) && !nodes.includes(node));
    if (missing.length > 0) {
      const chosen = chooseRevisions(revisions, defaultRevision);
      await indexers.want(repository, missing, chosen, { maxFileBytes, isForced: false, signal });
    }
    if (nodes.some((node) => !places.includes(node))) await indexers.removeFromOthers(repository, places);
  }
}
