/** Caches which documents of each repository could not be parsed, until its shards change. */
import { join } from "node:path";
import type { UnparsedDocument } from "#indexing/unparsed";
import type { RepositoryId } from "#model/repository";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import { inspectionOf, readShards } from "./refresh";
import { listUnparsed, type WorkerResult, type WorkerTask } from "./workerTasks";

interface CachedList {
  /** The shards and symbol files that it was read from. */
  readonly key: string;
  readonly documents: readonly UnparsedDocument[];
}

export class UnparsedLists {
  readonly #directory: ShardDirectory;
  readonly #pool: Pool<WorkerTask, WorkerResult>;
  readonly #cache = new Map<RepositoryId, CachedList>();

  constructor(directory: ShardDirectory, pool: Pool<WorkerTask, WorkerResult>) {
    this.#directory = directory;
    this.#pool = pool;
  }

  /** Returns the documents that could not be parsed, by path; none for an unknown repository. */
  async of(id: RepositoryId, signal: AbortSignal): Promise<readonly UnparsedDocument[]> {
    const documents = await readShards(this.#directory, id, signal, (manifest) =>
      this.#read(id, manifest, signal),
    );
    if (documents === undefined) this.#cache.delete(id);
    return documents ?? [];
  }

  async #read(
    id: RepositoryId,
    manifest: Manifest,
    signal: AbortSignal,
  ): Promise<readonly UnparsedDocument[]> {
    const directory = this.#directory;
    const symbolPaths = manifest.segments.map(({ file }) => {
      const symbolFile = directory.symbols.of(file);
      return symbolFile === undefined ? undefined : join(directory.folder, symbolFile);
    });
    const wanted = { ...inspectionOf(directory, manifest), symbolPaths };
    const key = JSON.stringify(wanted);
    const known = this.#cache.get(id);
    if (known?.key === key) return known.documents;
    const documents = await listUnparsed(this.#pool, wanted, signal);
    this.#cache.set(id, { key, documents });
    return documents;
  }
}
