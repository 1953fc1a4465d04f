import { ServiceError } from "#base/error";
import type { ChosenRevisions } from "#git/refs/revisions";
import { openGitRepository } from "#git/repository";
import type { Repository } from "#model/repository";
import type { Files } from "#platform/files";
import { TimeLimit } from "#platform/timeLimit";
import type { ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import type { IndexOptions } from "./indexing";
import { type PlacedNode, placeRepository } from "./placement";
import { type CopiedRef, copyShallow } from "./shallowCopy";
import { assignSlots } from "./slots";
import { copyConfiguration, indexTimeoutMs, removeShards, runZoektIndex, temporaryCopy } from "./zoektRun";

/** A node that gets its index from Trawl. */
export interface FedNode extends PlacedNode {
  /** The index folder, if this process writes to it. Absent: an indexer beside the node does. */
  readonly indexFolder?: string | undefined;
}

/** Revisions that nodes should index, and the name of the default one. */
export interface FedCommits {
  readonly revisions: readonly CopiedRef[];
  readonly defaultRevision?: string;
}

/** The indexers beside nodes, which work on their own. */
export interface NodeIndexers {
  /** Has nodes index revisions. Returns before that is done. */
  want(
    repository: Repository,
    nodes: readonly string[],
    revisions: readonly CopiedRef[],
    options: { readonly maxFileBytes: number; readonly isForced: boolean; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Resolves when one node has indexed these revisions, which were wanted before. Rejects if all fail. */
  whenIndexed(
    repository: Repository,
    nodes: readonly string[],
    revisions: readonly CopiedRef[],
    signal: AbortSignal,
  ): Promise<void>;
  /** Has other nodes remove their index, once these have indexed the repository. Without nodes, at once. */
  removeFromOthers(repository: Pick<Repository, "id" | "name">, nodes: readonly string[]): Promise<void>;
}

export interface ZoektIndexerOptions {
  readonly directory: ShardDirectory;
  readonly nodes: readonly FedNode[];
  /** Whether repositories that leave the directory are removed from nodes. */
  readonly followsRemovals: boolean;
  /** How many nodes should have each repository. */
  readonly replicas: number;
  /** Whether the repositories of a node move to others. */
  readonly isDrained: (node: string) => boolean;
  /** Absent if no node has an indexer. */
  readonly indexers?: NodeIndexers | undefined;
  /** The program `zoekt-git-index`: a path, or a name on the PATH. */
  readonly program: string;
  /** For copies of repositories while they are indexed. */
  readonly temporaryFolder: string;
  readonly files: Files;
  /** Called after a repository was removed from the index folder of a node. */
  readonly onRemoved: (node: string) => void;
  /** Called if the nodes cannot be told that a repository was removed. */
  readonly onError: (error: unknown) => void;
  /** Returns what a node without an index folder here has indexed of a repository; undefined if it has nothing. */
  readonly listed: (repository: Repository) => Promise<ChosenRevisions["revisions"] | undefined>;
  /** Resolves when one of the nodes has loaded the index, or when none responds. Returns whether one has. */
  readonly whenLoaded: (
    repository: Repository,
    nodes: readonly string[],
    signal: AbortSignal,
  ) => Promise<boolean>;
}

/** Zoekt has one bit per branch. */
const maxZoektRevisions = 64;

/**
 * Indexes repositories with an unmodified `zoekt-git-index`, each for as many nodes as there are replicas: into their index
 * folders, or by the indexers beside them.
 *
 * The indexed revisions are recorded as a manifest without shards, so everything else works as with shards of Trawl. The
 * program reads a temporary copy of the commits, because it takes the id of the repository from git's configuration.
 */
export class ZoektIndexer {
  readonly #options: ZoektIndexerOptions;
  #places = new Map<number, readonly FedNode[]>();

  constructor(options: ZoektIndexerOptions) {
    this.#options = options;
    options.directory.onChange((change) => {
      if (change.kind !== "removed" || !options.followsRemovals) return;
      for (const id of change.repositoryIds) this.#removeAll(id).catch(options.onError);
    });
  }

  /** Returns the names of the nodes that a repository belongs to, the first one to ask in front; none without fed nodes. */
  placesOf(id: number): readonly string[] {
    return this.#placesOf(id).map(({ name }) => name);
  }

  /** Chooses the nodes of all repositories again, after nodes have been drained. */
  placeAgain(): void {
    this.#places = new Map();
  }

  /** The same object while `placesOf` returns the same. */
  get placement(): object {
    return this.#places;
  }

  /**
   * Updates the index of a repository to these revisions. Returns its manifest: the old one if nothing changed.
   *
   * Throws UNEXPECTED_ERROR with the message of the program if it fails, and what git throws.
   */
  async index(
    repository: Repository,
    { revisions, defaultRevision }: ChosenRevisions,
    { signal, settings, isRebuild = false }: IndexOptions,
  ): Promise<Manifest> {
    const { directory } = this.#options;
    const nodes = this.#placesOf(repository.id);
    const chosen =
      nodes.length === 0
        ? await this.#listedRevisions(repository, defaultRevision)
        : chooseRevisions(revisions, defaultRevision);
    const { id, name, path, kind } = repository;
    const next = {
      ...assignSlots(directory.manifest(id), chosen),
      repositoryId: id,
      name,
      path,
      kind,
      ...(chosen.some((revision) => revision.name === defaultRevision) && defaultRevision !== undefined
        ? { defaultRevision }
        : {}),
    };
    if (chosen.length === 0) await this.#removeAll(id);
    else if (nodes.length > 0)
      await this.#indexOn(repository, nodes, chosen, settings.maxFileBytes, isRebuild, signal);
    const manifest = await directory.publish({ ...next, keepSegments: false }, []);
    if (chosen.length > 0 && nodes.length > 0) await this.#removeFromOthers(repository, nodes, signal);
    return manifest;
  }

  /**
   * Has the indexers beside nodes index these revisions, and other nodes remove theirs. Returns before that is done.
   * Throws ENGINE_UNAVAILABLE, and CANCELLED when the signal fires.
   */
  async feed(
    repository: Repository,
    { revisions, defaultRevision }: FedCommits,
    options: { readonly maxFileBytes: number; readonly isForced: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const { indexers } = this.#options;
    const chosen = chooseRevisions(revisions, defaultRevision);
    const nodes = chosen.length === 0 ? [] : this.placesOf(repository.id);
    if (nodes.length > 0) await indexers?.want(repository, nodes, chosen, options);
    await indexers?.removeFromOthers(repository, nodes);
  }

  #placesOf(id: number): readonly FedNode[] {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const { nodes, replicas, isDrained } = this.#options;
    const usable = nodes.filter(({ name }) => !isDrained(name));
    const placed = placeRepository(id, usable.length === 0 ? nodes : usable, replicas);
    this.#places.set(id, placed);
    return placed;
  }

  async #listedRevisions(
    repository: Repository,
    defaultRevision: string | undefined,
  ): Promise<ChosenRevisions["revisions"]> {
    const listed = await this.#options.listed(repository);
    if (listed === undefined)
      throw new ServiceError("NOT_FOUND", `No Zoekt node has an index of ${repository.name}.`);
    return listed.map((revision) =>
      revision.name === "HEAD" && defaultRevision !== undefined
        ? { ...revision, name: defaultRevision }
        : revision,
    );
  }

  async #indexOn(
    repository: Repository,
    nodes: readonly FedNode[],
    revisions: ChosenRevisions["revisions"],
    maxFileBytes: number,
    isForced: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { indexers } = this.#options;
    const folders = nodes.flatMap(({ indexFolder }) => indexFolder ?? []);
    const others = nodes.filter(({ indexFolder }) => indexFolder === undefined).map(({ name }) => name);
    if (others.length > 0)
      await indexers?.want(repository, others, revisions, { maxFileBytes, isForced, signal });
    if (folders.length > 0) await this.#runIndexer(repository, folders, revisions, maxFileBytes, signal);
    else await indexers?.whenIndexed(repository, others, revisions, signal);
  }

  async #runIndexer(
    repository: Repository,
    indexFolders: readonly string[],
    revisions: ChosenRevisions["revisions"],
    maxFileBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { files, program, temporaryFolder } = this.#options;
    const { id, name, path } = repository;
    const copy = temporaryCopy(temporaryFolder, id, name);
    files.removeFolder(copy.root);
    const limit = new TimeLimit(signal, indexTimeoutMs);
    try {
      const source = openGitRepository(path);
      const configuration = copyConfiguration(id, name);
      await copyShallow(source, copy.gitDir, revisions, configuration, files, limit.signal).catch(
        (error: unknown) => {
          if (limit.isExpired && !signal.aborted)
            throw new ServiceError("GIT_FAILED", `git needed more than an hour to copy ${name}.`);
          throw error;
        },
      );
      for (const indexFolder of indexFolders)
        await runZoektIndex(
          { program, indexFolder, copy, repository, revisions, maxFileBytes, files },
          signal,
        );
    } finally {
      limit.dispose();
      files.removeFolder(copy.root);
    }
  }

  /** Removes a repository from the nodes that no longer should have it, once another one serves it. */
  async #removeFromOthers(
    repository: Repository,
    nodes: readonly FedNode[],
    signal: AbortSignal,
  ): Promise<void> {
    const { indexers, whenLoaded } = this.#options;
    const names = nodes.map(({ name }) => name);
    if (await whenLoaded(repository, names, signal)) this.#removeShards(repository.id, names);
    await indexers?.removeFromOthers(repository, names);
  }

  async #removeAll(id: number): Promise<void> {
    this.#removeShards(id, []);
    this.#places.delete(id);
    await this.#options.indexers?.removeFromOthers({ id: id as Repository["id"], name: "" }, []);
  }

  /** Removes the shards of a repository from all index folders, except those of some nodes. */
  #removeShards(id: number, exceptNodes: readonly string[]): void {
    const { nodes, files, onRemoved } = this.#options;
    for (const { name, indexFolder } of nodes) {
      if (indexFolder === undefined || exceptNodes.includes(name)) continue;
      try {
        removeShards(indexFolder, id, files);
      } finally {
        onRemoved(name);
      }
    }
  }
}

/** The default revision comes first: it is Zoekt's `HEAD`. The program separates names by commas. */
export function chooseRevisions<Revision extends { readonly name: string }>(
  revisions: readonly Revision[],
  defaultRevision: string | undefined,
): readonly Revision[] {
  const usable = revisions.filter(({ name }) => !name.includes(","));
  const isDefault = ({ name }: { readonly name: string }) => name === defaultRevision;
  return [...usable.filter(isDefault), ...usable.filter((each) => !isDefault(each))].slice(
    0,
    maxZoektRevisions,
  );
}
