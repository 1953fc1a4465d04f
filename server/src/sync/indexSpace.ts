/**
 * Keeps the disk space of the index within a limit: drafts are written and published only when there is room for them,
 * and what is needed least is evicted first (`evictionOrder.ts`).
 *
 * Near the limit, one draft is written at a time. So the limit is exceeded by one shard at most: the one that is being
 * written.
 */
import { Limiter } from "#base/limiter";
import type { Catalog } from "#catalog/catalog";
import { type DraftGate, type DraftTask, IndexFull } from "#indexing/draftGate";
import type { Repository, RepositoryId } from "#model/repository";
import type { Clock } from "#platform/clock";
import { fileBytes } from "#platform/files";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import { type Manifest, shardBytesOf } from "#shard/directory/manifest";
import { targetShardBytes } from "#shard/format/shard";
import {
  chooseVictims,
  type EvictionCandidate,
  evictionOrder,
  mayReplace,
  type Victim,
} from "./evictionOrder";
import type { Evictions } from "./evictions";
import { inspectionOf } from "./refresh";
import type { Uses } from "./uses";
import { inspectShards, type WorkerResult, type WorkerTask } from "./workerTasks";

export interface IndexSpaceOptions {
  readonly catalog: Catalog;
  readonly directory: ShardDirectory;
  readonly uses: Uses;
  readonly evictions: Evictions;
  readonly clock: Clock;
  /** The limit in bytes; `undefined` without one. */
  readonly limit: () => number | undefined;
  readonly isPaused: () => boolean;
  /** How many threads write drafts. */
  readonly writerCount: () => number;
  /** Whether a repository is being indexed, or about to be because a request waits for it. */
  readonly isRunning: (id: RepositoryId) => boolean;
  /** Resolves when no run of a repository or package is active, or when the signal fires. */
  readonly ended: (id: RepositoryId, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** Inspects shards. */
  readonly pool: Pool<WorkerTask, WorkerResult>;
  /** Whether a request waits for a repository or one of its revisions. */
  readonly isRequested: (id: RepositoryId) => boolean;
}

/** The largest size of most shards: their text, and what is added to it. */
const maxShardBytes = 2 * targetShardBytes;

/** What a repository may have so that rewriting it makes one shard. */
const oneShardBytes = 1.5 * targetShardBytes;

/** Documents of other sizes have other shares of the index: revisions may occupy less than estimated by this factor. */
const estimateMargin = 1.25;

type Room = "free" | NoRoom;

interface NoRoom {
  /** Whether there would be room after shards are rewritten, for which there is none while drafts exist. */
  readonly needsRewrite: boolean;
  /** Repositories that were running at that time, so that they could not be evicted. */
  readonly running: ReadonlySet<number>;
}

interface RoomOptions {
  readonly isStrict: boolean;
  readonly waits?: boolean;
  readonly addedBytes?: number;
}

export class IndexSpace implements DraftGate {
  readonly #options: IndexSpaceOptions;
  /** Complete drafts, by path. */
  readonly #drafts = new Map<string, { readonly bytes: number; readonly repositoryIds: readonly number[] }>();
  /** Bytes of complete drafts of tasks that still run. */
  #writtenBytes = 0;
  /** For evicting and publishing. */
  readonly #one = new Limiter(1);
  readonly #oneWriter = new Limiter(1);

  constructor(options: IndexSpaceOptions) {
    this.#options = options;
  }

  /**
   * Evicts until the limit is kept. Waits for runs of what must be evicted. Indexes that a crash has left while they were
   * evicted are removed first.
   */
  async trim(): Promise<void> {
    const { catalog, directory, evictions, ended, signal } = this.#options;
    const left = [...directory.manifests().keys()].filter((id) => stateOf(catalog, id) === "evicted");
    if (left.length > 0) await evictions.removeIndexes(left);
    const makeRoom = () => this.#makeRoom([], false, { isStrict: false, waits: true });
    while (!signal.aborted) {
      const room = await this.#one.run(makeRoom);
      if (room === "free") return;
      const [running] = room.running;
      if (running === undefined) return;
      // Queued runs need not end, and while indexing is paused, they would not even start.
      await ended(running as RepositoryId, signal);
    }
  }

  /** Whether rewriting the shards of a repository stays within the limit, or exceeds it by one shard only. */
  canRewrite(id: number): boolean {
    const { directory, limit } = this.#options;
    const manifest = directory.manifest(id);
    const bytes = manifest === undefined ? 0 : shardBytesOf(manifest);
    return bytes <= maxShardBytes || this.#usedBytes + bytes <= (limit() ?? Number.POSITIVE_INFINITY);
  }

  async write<Result>(task: DraftTask<Result>): Promise<Result> {
    const limit = this.#options.limit();
    const reserve = (this.#options.writerCount() + 1) * maxShardBytes;
    if (limit === undefined || this.#usedBytes + reserve < limit) return await this.#write(task);
    return await this.#oneWriter.run(async () => {
      const { repositoryIds, replaces, signal } = task;
      // Earlier drafts of the same repository are published only together with this one.
      const isStrict = [...this.#drafts.values()].every(
        (draft) => !draft.repositoryIds.some((id) => repositoryIds.includes(id)),
      );
      const room = await this.#one.run(() => this.#makeRoom(repositoryIds, replaces, { isStrict }), signal);
      if (room !== "free") throw this.#full(repositoryIds, 0, room);
      return await this.#write(task);
    }, task.signal);
  }

  async #write<Result>({
    repositoryIds,
    replaces,
    signal,
    run,
    draftsOf,
  }: DraftTask<Result>): Promise<Result> {
    const full = new AbortController();
    let noRoom: NoRoom = { needsRewrite: false, running: new Set() };
    let writtenBytes = 0;
    const onDraft = async (bytes: number) => {
      writtenBytes += bytes;
      this.#writtenBytes += bytes;
      const room = await this.#one
        .run(() => this.#makeRoom(repositoryIds, replaces, { isStrict: false }))
        .catch(() => noRoom);
      if (room === "free") return;
      noRoom = room;
      full.abort();
    };
    try {
      const result = await run(AbortSignal.any([signal, full.signal]), onDraft);
      for (const path of draftsOf(result)) this.#drafts.set(path, { bytes: fileBytes(path), repositoryIds });
      return result;
    } catch (error) {
      if (!full.signal.aborted || signal.aborted) throw error;
      throw this.#full(repositoryIds, writtenBytes, noRoom);
    } finally {
      this.#writtenBytes -= writtenBytes;
    }
  }

  async publish<Result>(
    { repositoryIds, replaces, paths }: Parameters<DraftGate["publish"]>[0],
    publish: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#options.limit() === undefined || paths.length === 0) {
      this.release(paths);
      return await publish();
    }
    return await this.#one.run(async () => {
      // Several drafts took long to write, and are not written again.
      const isStrict = paths.length === 1;
      const room = await this.#makeRoom(repositoryIds, replaces, { isStrict });
      if (room !== "free") {
        const addedBytes = paths.reduce((sum, path) => sum + (this.#drafts.get(path)?.bytes ?? 0), 0);
        const error = this.#full(repositoryIds, addedBytes, room);
        this.discard(paths);
        // Shards that must be rewritten make room for the next attempt, so that no draft exists at the same time.
        if (room.needsRewrite) await this.#makeRoom(repositoryIds, replaces, { isStrict, addedBytes });
        throw error;
      }
      this.release(paths);
      return await publish();
    });
  }

  discard(paths: readonly string[]): void {
    this.release(paths);
    this.#options.directory.discard(paths);
  }

  release(paths: readonly string[]): void {
    for (const path of paths) this.#drafts.delete(path);
  }

  get #usedBytes(): number {
    let total = this.#options.directory.diskBytes + this.#writtenBytes;
    for (const { bytes } of this.#drafts.values()) total += bytes;
    return total;
  }

  #full(repositoryIds: readonly number[], draftBytes: number, { needsRewrite, running }: NoRoom): IndexFull {
    const { directory, limit } = this.#options;
    const ownBytes = repositoryIds.reduce(
      (sum, id) => sum + this.#bytesOf(directory.manifest(id)),
      draftBytes,
    );
    const isTooLarge = ownBytes > (limit() ?? 0);
    if (needsRewrite && !isTooLarge) return new IndexFull({ canRetry: true });
    const allowed = isTooLarge ? [] : this.#allowed(repositoryIds, (id) => running.has(id));
    return new IndexFull({
      isTooLarge,
      blockers: [...new Set(allowed.map(({ candidate }) => candidate.id))],
    });
  }

  /**
   * Evicts until there is room for `addedBytes` more of these repositories. `isStrict`: rewrites no shards while drafts
   * exist. `waits`: evicts nothing else instead of what is running.
   */
  async #makeRoom(
    repositoryIds: readonly number[],
    replaces: boolean,
    { isStrict, waits = false, addedBytes = 0 }: RoomOptions,
  ): Promise<Room> {
    const { limit, evictions, directory, isRunning } = this.#options;
    // A task that was canceled may have removed drafts that it had reported.
    for (const path of [...this.#drafts.keys()]) if (fileBytes(path) === 0) this.#drafts.delete(path);
    for (;;) {
      const maxBytes = limit();
      const excess = maxBytes === undefined ? 0 : this.#usedBytes + addedBytes - maxBytes;
      if (maxBytes === undefined || excess <= 0) return "free";
      const running = new Set(
        [...directory.manifests().keys()].filter((id) => isRunning(id as RepositoryId)),
      );
      const included = (id: number) => waits || !running.has(id);
      const chosen = await this.#victims(repositoryIds, excess, replaces, included);
      const busy = chosen.map(({ candidate }) => candidate.id).filter((id) => running.has(id));
      if (busy.length > 0) return { needsRewrite: false, running: new Set(busy) };
      const victims = chosen.filter(({ candidate }) => !isRunning(candidate.id as RepositoryId));
      const hasDrafts = isStrict && (this.#writtenBytes > 0 || this.#drafts.size > 0);
      if (hasDrafts && this.#needRewrite(victims)) return { needsRewrite: true, running };
      if (chosen.length > 0) await evictions.run(victims, maxBytes, (each) => this.#mayRewrite(each));
      else if (replaces && repositoryIds.some((id) => directory.manifest(id) !== undefined))
        await evictions.removeReplaced(repositoryIds as readonly RepositoryId[]);
      else return { needsRewrite: false, running };
    }
  }

  /**
   * Whether rewriting a repository adds one shard at most, also to those that are being written. While indexing is paused,
   * there is no other way to keep the repository searchable.
   */
  #mayRewrite(manifest: Manifest): boolean {
    if (this.#options.isPaused()) return true;
    return shardBytesOf(manifest) <= oneShardBytes && this.#writtenBytes === 0 && this.#drafts.size === 0;
  }

  /** Whether evicting these takes rewriting a shard without them. */
  #needRewrite(victims: readonly Victim[]): boolean {
    const shared = this.#sharedFiles();
    return victims.some(({ candidate, revisions }) => {
      const { segments = [] } = this.#options.directory.manifest(candidate.id) ?? {};
      return revisions.length > 0 || segments.some(({ file }) => shared.has(file));
    });
  }

  /** Returns what may be evicted for these repositories, among those for which `isIncluded` returns true, in order. */
  #allowed(repositoryIds: readonly number[], isIncluded: (id: number) => boolean): readonly Victim[] {
    const { clock, directory, isRequested } = this.#options;
    const shared = this.#sharedFiles();
    const replacing = repositoryIds.map((id) => ({
      candidate: this.#candidate(id, shared),
      isRequested: isRequested(id as RepositoryId),
    }));
    const others = [...directory.manifests().keys()]
      .filter((id) => !repositoryIds.includes(id) && isIncluded(id))
      .map((id) => this.#candidate(id, shared));
    return evictionOrder(others, clock.now()).filter((victim) =>
      replacing.every((each) => mayReplace(victim, each)),
    );
  }

  /**
   * Returns what to evict next for these repositories, among those for which `isIncluded` returns true; nothing if that
   * would not be enough.
   */
  async #victims(
    repositoryIds: readonly number[],
    excess: number,
    replaces: boolean,
    isIncluded: (id: number) => boolean,
  ): Promise<readonly Victim[]> {
    const { directory } = this.#options;
    const allowed = this.#allowed(repositoryIds, isIncluded);
    const freeable = allowed.filter(({ revisions }) => revisions.length === 0);
    const own = replaces ? repositoryIds : [];
    const ownBytes = own.reduce((sum, id) => sum + this.#bytesOf(directory.manifest(id)), 0);
    if (freeable.reduce((sum, { candidate }) => sum + candidate.bytes, ownBytes) < excess) return [];
    const revisionBytes = new Map<Victim, number>();
    let bytes = 0;
    for (const victim of allowed) {
      if (bytes >= excess || victim.revisions.length === 0) break;
      const found = await this.#revisionBytes(victim);
      revisionBytes.set(victim, found);
      bytes += found;
    }
    return chooseVictims(allowed, excess, (victim) => revisionBytes.get(victim) ?? 0);
  }

  /** Estimates what the revisions of a victim occupy; rather too much, because more can be evicted later. */
  async #revisionBytes({ candidate, revisions: names }: Victim): Promise<number> {
    const { catalog, directory, pool, signal } = this.#options;
    const manifest = directory.manifest(candidate.id);
    const { contentBytes = 0 } = catalog.get(candidate.id as RepositoryId) ?? {};
    if (manifest === undefined || contentBytes === 0) return candidate.bytes;
    const revisions = manifest.revisions.filter(({ name }) => !names.includes(name));
    const inspection = { ...inspectionOf(directory, { ...manifest, revisions }), includesSkipped: false };
    try {
      const kept = await inspectShards(pool, inspection, signal);
      return estimateMargin * candidate.bytes * Math.max(0, 1 - kept.contentBytes / contentBytes);
    } catch (error) {
      if (signal.aborted) throw error;
      // Damage is reported by searches, and shards may have been merged meanwhile.
      return candidate.bytes;
    }
  }

  #candidate(id: number, shared: ReadonlySet<string>): EvictionCandidate {
    const { catalog, directory, uses } = this.#options;
    const repositoryId = id as RepositoryId;
    const repository = catalog.get(repositoryId);
    const manifest = directory.manifest(id);
    const others = manifest?.revisions.filter(({ name }) => name !== manifest.defaultRevision) ?? [];
    return {
      id,
      isPackage: (repository ?? manifest)?.kind === "package",
      isOpen: uses.isOpen(repositoryId),
      usedAt: uses.usedAt(repositoryId),
      changedAt: repository?.pushedAt ?? 0,
      bytes: this.#bytesOf(manifest, shared),
      revisions: others.map(({ name }) => ({ name, usedAt: uses.revisionUsedAt(repositoryId, name) })),
    };
  }

  /** Returns the bytes of a repository: of its own shards, and its share of those in `shared`. */
  #bytesOf(manifest: Manifest | undefined, shared = this.#sharedFiles()): number {
    const { directory } = this.#options;
    return (manifest?.segments ?? []).reduce(
      (sum, { file, shardBytes }) => sum + (shared.has(file) ? shardBytes : directory.bytesOf(file)),
      0,
    );
  }

  #sharedFiles(): ReadonlySet<string> {
    const seen = new Set<string>();
    const shared = new Set<string>();
    for (const { segments } of this.#options.directory.manifests().values()) {
      for (const { file } of segments) (seen.has(file) ? shared : seen).add(file);
    }
    return shared;
  }
}

function stateOf(catalog: Catalog, id: number): Repository["state"] | undefined {
  return catalog.get(id as RepositoryId)?.state;
}
