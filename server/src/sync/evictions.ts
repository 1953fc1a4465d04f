/** Removes indexes of repositories and revisions to free disk space, one step at a time. */
import type { Catalog } from "#catalog/catalog";
import type { RepositoryChange } from "#catalog/change";
import type { Eviction, RepositoryId } from "#model/repository";
import type { Log } from "#platform/log";
import { pathsOf } from "#shard/directory/directory";
import { type Manifest, shardBytesOf } from "#shard/directory/manifest";
import type { Victim } from "./evictionOrder";
import { type RewriteContext, writeRemaining } from "./rewrites";

export interface EvictionsOptions extends RewriteContext {
  readonly catalog: Catalog;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Whether a repository is being indexed, so that its segments must stay. */
  readonly isRunning: (id: RepositoryId) => boolean;
  /** Queues a run for a repository. */
  readonly refresh: (id: RepositoryId) => void;
  /** Called when a repository has lost its index, to stop watching it. */
  readonly onEvicted: (id: RepositoryId) => void;
}

export class Evictions {
  readonly #options: EvictionsOptions;
  /** By repository: the number of its last eviction. */
  readonly #last = new Map<number, number>();
  #count = 0;

  constructor(options: EvictionsOptions) {
    this.#options = options;
  }

  /** How many repositories and revisions have been evicted since the start. */
  get count(): number {
    return this.#count;
  }

  /** Returns what `count` was after the last eviction of a repository; 0 before the first. */
  lastOf(id: RepositoryId): number {
    return this.#last.get(id) ?? 0;
  }

  /**
   * Evicts whole repositories and revisions together, so that each shard that several of them share is rewritten once.
   * The catalog is on disk before shards are removed. What remains of a repository without some revisions is rewritten
   * if `mayRewrite` allows it, else indexed again.
   */
  async run(
    victims: readonly Victim[],
    maxIndexBytes: number,
    mayRewrite: (manifest: Manifest) => boolean,
  ): Promise<void> {
    const { catalog, directory, isRunning, refresh } = this.#options;
    const whole = victims.filter(({ revisions }) => revisions.length === 0);
    const ids = whole.map(({ candidate }) => candidate.id as RepositoryId);
    this.#recordEvicted(ids, { reason: "space", maxIndexBytes });
    const rebuilt: RepositoryId[] = [];
    const reduced = new Map<RepositoryId, readonly string[]>();
    for (const { candidate, revisions: names } of victims) {
      const id = candidate.id as RepositoryId;
      const manifest = directory.manifest(id);
      if (names.length === 0 || manifest === undefined || isRunning(id)) continue;
      this.#record(id);
      const repository = catalog.get(id);
      const evictedRevisions = [...new Set([...(repository?.evictedRevisions ?? []), ...names])];
      const revisions = repository?.revisions.filter(({ name }) => !names.includes(name)) ?? [];
      const canRewrite = repository !== undefined && mayRewrite(manifest);
      catalog.update(
        id,
        canRewrite ? { revisions, evictedRevisions } : { ...withoutIndex, state: "queued", evictedRevisions },
      );
      if (canRewrite) reduced.set(id, names);
      else rebuilt.push(id);
    }
    catalog.flush();
    const removed = [...ids, ...rebuilt];
    const files = new Set(removed.flatMap((id) => filesOf(directory.manifest(id))));
    if (removed.length > 0) await directory.removeAll(removed);
    for (const id of rebuilt) refresh(id);
    await this.#removeRevisions(reduced, files);
    for (const file of files) await this.#shrink(file);
    for (const id of reduced.keys()) {
      const manifest = directory.manifest(id);
      if (manifest !== undefined) catalog.update(id, { indexBytes: shardBytesOf(manifest) });
    }
  }

  /** Removes the indexes of repositories, and the state `evicted` remains. Throws STORAGE_FAILED. */
  async evict(ids: readonly RepositoryId[], cause: Omit<Eviction, "indexBytes">): Promise<void> {
    if (ids.length === 0) return;
    this.#recordEvicted(ids, cause);
    this.#options.catalog.flush();
    await this.removeIndexes(ids);
  }

  #recordEvicted(ids: readonly RepositoryId[], cause: Omit<Eviction, "indexBytes">): void {
    const { catalog, onEvicted, log } = this.#options;
    for (const id of ids) {
      const indexBytes = catalog.get(id)?.indexBytes ?? 0;
      const eviction = { ...cause, ...(indexBytes > 0 && { indexBytes }) };
      const evicted = catalog.update(id, { ...withoutIndex, state: "evicted", eviction });
      this.#record(id);
      onEvicted(id);
      if (evicted !== undefined) log.info(`Removed the index of ${evicted.name}: ${cause.reason}.`);
    }
  }

  /** Removes what is on disk of these repositories, also from shards that they share with others. */
  async removeIndexes(ids: readonly number[]): Promise<void> {
    const { directory } = this.#options;
    const files = new Set(ids.flatMap((id) => filesOf(directory.manifest(id))));
    await directory.removeAll(ids);
    for (const file of files) await this.#shrink(file);
  }

  /** Removes indexes that are about to be replaced, because both do not fit. */
  async removeReplaced(ids: readonly RepositoryId[]): Promise<void> {
    for (const id of ids) this.#record(id);
    await this.removeIndexes(ids);
  }

  /**
   * Publishes manifests without the revisions of these names, and merges their shards. Adds those that others share to
   * `files` instead.
   */
  async #removeRevisions(
    reduced: ReadonlyMap<RepositoryId, readonly string[]>,
    files: Set<string>,
  ): Promise<void> {
    const { directory } = this.#options;
    const own: RepositoryId[] = [];
    for (const [id, names] of reduced) {
      // It may have been published again or removed since it was chosen.
      const manifest = directory.manifest(id);
      if (manifest === undefined) continue;
      const { generation: _, segments, ...rest } = manifest;
      const revisions = rest.revisions.filter(({ name }) => !names.includes(name));
      await directory.publish({ ...rest, revisions, keepSegments: true }, []);
      const isShared = segments.some(({ file }) => files.has(file) || this.#sharing(file).length > 1);
      if (isShared) for (const { file } of segments) files.add(file);
      else own.push(id);
    }
    for (const id of own) await this.#merge(directory.manifest(id));
  }

  #record(id: RepositoryId): void {
    this.#last.set(id, ++this.#count);
  }

  #sharing(file: string): Manifest[] {
    return [...this.#options.directory.manifests().values()].filter((each) => filesOf(each).includes(file));
  }

  /** Rewrites a shard without what nobody lists any longer, unless one of its repositories is being indexed. */
  async #shrink(file: string): Promise<void> {
    const { directory, isRunning, signal } = this.#options;
    const sharing = this.#sharing(file);
    if (sharing.some(({ repositoryId }) => isRunning(repositoryId as RepositoryId))) return;
    // Deltas refer to the documents of this shard, so their repositories get shards of their own.
    for (const manifest of sharing.filter(({ segments }) => segments.length > 1)) await this.#merge(manifest);
    const rest = this.#sharing(file).sort((left, right) => left.repositoryId - right.repositoryId);
    if (rest.length === 0 || rest.some(({ segments }) => segments.length > 1)) return;
    const drafts = await writeRemaining(rest, 0, this.#options, signal);
    const [draft] = drafts ?? [];
    if (draft === undefined || drafts === undefined) return;
    if (rest.some(({ repositoryId }) => isRunning(repositoryId as RepositoryId)))
      return directory.discard(pathsOf(drafts));
    await directory.publishCompound(draft, rest);
  }

  async #merge(manifest: Manifest | undefined): Promise<void> {
    if (manifest === undefined) return;
    const { directory, isRunning, signal } = this.#options;
    const drafts = await writeRemaining([manifest], 0, this.#options, signal);
    if (drafts === undefined) return;
    if (isRunning(manifest.repositoryId as RepositoryId)) directory.discard(pathsOf(drafts));
    else await directory.publishMerged(manifest, 0, drafts);
  }
}

/** What the catalog says about a repository without an index. */
const withoutIndex: RepositoryChange = {
  revisions: [],
  documentCount: 0,
  skippedCount: 0,
  contentBytes: 0,
  indexBytes: 0,
  indexedAt: undefined,
  progress: undefined,
  lastError: undefined,
  addedCount: undefined,
  addedBytes: undefined,
};

function filesOf(manifest: Manifest | undefined): string[] {
  return manifest?.segments.map(({ file }) => file) ?? [];
}
