import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import type { ChosenRevisions } from "#git/refs/revisions";
import { openGitRepository } from "#git/repository";
import type { Repository } from "#model/repository";
import type { Files } from "#platform/files";
import { runProcess } from "#platform/process";
import { TimeLimit } from "#platform/timeLimit";
import type { ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import type { IndexOptions } from "./indexing";
import { type PlacedNode, placeRepository } from "./placement";
import { copyShallow } from "./shallowCopy";
import { assignSlots } from "./slots";

/** A node whose index folder this process writes to. */
export interface FedNode extends PlacedNode {
  readonly indexFolder: string;
}

export interface ZoektIndexerOptions {
  readonly directory: ShardDirectory;
  readonly nodes: readonly FedNode[];
  /** The program `zoekt-git-index`: a path, or a name on the PATH. */
  readonly program: string;
  /** For copies of repositories while they are indexed. */
  readonly temporaryFolder: string;
  readonly files: Files;
  /** Returns what a node without an index folder here has indexed of a repository; undefined if it has nothing. */
  readonly listed: (repository: Repository) => Promise<ChosenRevisions["revisions"] | undefined>;
  /** Resolves when the node has loaded the index, or does not respond. */
  readonly whenLoaded: (repository: Repository, node: string, signal: AbortSignal) => Promise<void>;
}

/** Zoekt has one bit per branch. */
const maxZoektRevisions = 64;
const indexTimeoutMs = 3_600_000;
/** Zoekt's default of 20,000 excludes large documents that Trawl's own index contains. */
const maxTrigrams = 1_000_000;

/**
 * Indexes repositories with an unmodified `zoekt-git-index`, each into the index folder of one node.
 *
 * The indexed revisions are recorded as a manifest without shards, so everything else works as with shards of Trawl. The
 * program reads a temporary copy of the commits, because it takes the id of the repository from git's configuration.
 */
export class ZoektIndexer {
  readonly #options: ZoektIndexerOptions;

  constructor(options: ZoektIndexerOptions) {
    this.#options = options;
    options.directory.onChange((change) => {
      if (change.kind === "removed") for (const id of change.repositoryIds) this.#removeShards(id);
    });
  }

  /** Returns the name of the node that a repository belongs to; undefined if no node has an index folder. */
  placeOf(id: number): string | undefined {
    return placeRepository(id, this.#options.nodes)?.name;
  }

  /**
   * Updates the index of a repository to these revisions. Returns its manifest: the old one if nothing changed.
   *
   * Throws UNEXPECTED_ERROR with the message of the program if it fails, and what git throws.
   */
  async index(
    repository: Repository,
    { revisions, defaultRevision }: ChosenRevisions,
    { signal, settings }: IndexOptions,
  ): Promise<Manifest> {
    const { directory } = this.#options;
    const node = placeRepository(repository.id, this.#options.nodes);
    const chosen =
      node === undefined
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
    if (chosen.length === 0) this.#removeShards(id);
    else if (node !== undefined)
      await this.#runIndexer(repository, node, chosen, settings.maxFileBytes, signal);
    const manifest = await directory.publish({ ...next, keepSegments: false }, []);
    if (chosen.length > 0 && node !== undefined) {
      await this.#options.whenLoaded(repository, node.name, signal);
      this.#removeShards(id, node);
    }
    return manifest;
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

  async #runIndexer(
    repository: Repository,
    { indexFolder }: FedNode,
    revisions: ChosenRevisions["revisions"],
    maxFileBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { files, program, temporaryFolder } = this.#options;
    const { id, name, path } = repository;
    const root = join(temporaryFolder, String(id));
    // The program takes the name from the path below its cache folder.
    const copy = `${join(root, ...segmentsOf(name))}.git`;
    files.removeFolder(root);
    const limit = new TimeLimit(signal, indexTimeoutMs);
    try {
      const source = openGitRepository(path);
      await copyShallow(source, copy, revisions, configurationOf(id, name), files, limit.signal).catch(
        (error: unknown) => {
          if (limit.isExpired && !signal.aborted)
            throw new ServiceError("GIT_FAILED", `git needed more than an hour to copy ${name}.`);
          throw error;
        },
      );
      const { exitCode, stderr } = await runProcess(
        program,
        [
          ...["-index", indexFolder],
          ...["-shard_prefix_override", shardPrefix(id)],
          ...["-repo_cache", root],
          ...["-branches", revisions.map((revision) => revision.name).join(",")],
          ...["-file_limit", String(maxFileBytes), "-max_trigram_count", String(maxTrigrams)],
          ...["-submodules=false", "-disable_ctags", "-parallelism", "1"],
          ...["--", copy],
        ],
        { signal, timeoutMs: indexTimeoutMs, killsGroup: true },
      );
      if (exitCode === 0) return;
      throw new ServiceError("UNEXPECTED_ERROR", `${program} failed for ${name}: ${lastLine(stderr)}`);
    } finally {
      limit.dispose();
      files.removeFolder(root);
    }
  }

  /** Removes the shards of a repository from all index folders, except that of one node. */
  #removeShards(id: number, except?: FedNode): void {
    const { nodes, files } = this.#options;
    for (const node of nodes) {
      if (node === except || !existsSync(node.indexFolder)) continue;
      for (const name of readdirSync(node.indexFolder))
        if (name.startsWith(`${shardPrefix(id)}_v`)) files.remove(join(node.indexFolder, name));
    }
  }
}

function shardPrefix(id: number): string {
  return `trawl-${id}`;
}

/** The default revision comes first: it is Zoekt's `HEAD`. The program separates names by commas. */
function chooseRevisions(
  revisions: ChosenRevisions["revisions"],
  defaultRevision: string | undefined,
): ChosenRevisions["revisions"] {
  const usable = revisions.filter(({ name }) => !name.includes(","));
  const isDefault = ({ name }: { readonly name: string }) => name === defaultRevision;
  return [...usable.filter(isDefault), ...usable.filter((each) => !isDefault(each))].slice(
    0,
    maxZoektRevisions,
  );
}

/** The program ignores the id of a repository that has no name. */
function configurationOf(id: number, name: string): string {
  const quoted = `"${name.replaceAll(/["\\]/g, "\\$&")}"`;
  return `[core]\n\trepositoryformatversion = 0\n\tbare = true\n[zoekt]\n\tname = ${quoted}\n\trepoid = ${id}\n`;
}

/** Splits the name of a repository into names of folders, none of which leads elsewhere. */
function segmentsOf(name: string): string[] {
  const segments = name.split("/");
  if (segments.every((segment) => !["", ".", ".."].includes(segment) && !/[\\\p{Cc}]/u.test(segment)))
    return segments;
  throw new ServiceError("UNEXPECTED_ERROR", `A repository named ${name} cannot be indexed by Zoekt.`);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
