/** What could not be parsed, by repository. Shards are asked when they have changed, and not for each call. */
import { join } from "node:path";
import type { UnparsedDocument } from "#indexing/unparsed";
import type { RepositoryId } from "#model/repository";
import type { Pool } from "#platform/workers";
import type { ShardDirectory } from "#shard/directory";
import { inspection } from "./refresh";
import { askUnparsed, type Work, type WorkAnswer } from "./work";

interface KnownList {
  /** The question that it answers. */
  readonly question: string;
  readonly documents: readonly UnparsedDocument[];
}

export class UnparsedLists {
  readonly #directory: ShardDirectory;
  readonly #pool: Pool<Work, WorkAnswer>;
  readonly #known = new Map<RepositoryId, KnownList>();

  constructor(directory: ShardDirectory, pool: Pool<Work, WorkAnswer>) {
    this.#directory = directory;
    this.#pool = pool;
  }

  /** By path; none for an unknown repository. */
  async of(id: RepositoryId, signal: AbortSignal): Promise<readonly UnparsedDocument[]> {
    const directory = this.#directory;
    const manifest = directory.manifest(id);
    if (manifest === undefined) {
      this.#known.delete(id);
      return [];
    }
    const symbolPaths = manifest.segments.map(({ file }) => {
      const companion = directory.symbols.of(file);
      return companion === undefined ? undefined : join(directory.folder, companion);
    });
    const wanted = { ...inspection(directory, manifest), symbolPaths };
    const question = JSON.stringify(wanted);
    const known = this.#known.get(id);
    if (known?.question === question) return known.documents;
    const documents = await askUnparsed(this.#pool, wanted, signal);
    this.#known.set(id, { question, documents });
    return documents;
  }
}
