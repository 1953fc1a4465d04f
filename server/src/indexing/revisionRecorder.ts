import type { ChosenRevisions } from "#git/refs/revisions";
import type { Repository } from "#model/repository";
import type { ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import { assignSlots } from "./slots";

/**
 * Records the revisions of repositories as manifests without shards, instead of indexing them. So a process that only
 * serves history knows them, and notices when they change, as one that indexes does.
 */
export class RevisionRecorder {
  readonly #directory: ShardDirectory;

  constructor(directory: ShardDirectory) {
    this.#directory = directory;
  }

  async index(
    { id, name, path, kind }: Repository,
    { revisions, defaultRevision }: ChosenRevisions,
  ): Promise<Manifest> {
    const change = {
      ...assignSlots(this.#directory.manifest(id), revisions),
      repositoryId: id,
      name,
      path,
      kind,
      ...(defaultRevision === undefined ? {} : { defaultRevision }),
      keepSegments: false,
    };
    return await this.#directory.publish(change, []);
  }
}
