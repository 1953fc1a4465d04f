import { join } from "node:path";
import { isServiceError, ServiceError } from "#base/error";
import { isPlainFolder } from "#model/repository";
import type { DirectoryChange, ShardDirectory } from "#shard/directory/directory";
import type { Manifest } from "#shard/directory/manifest";
import type { RepositoryOverlay, RepositoryShards, SearchThread, ShardUpdate } from "./searchMessages";
import { ShardOwnership } from "./shardOwnership";

export interface SearchWorkersOptions {
  readonly directory: ShardDirectory;
  readonly workerCount: number;
  /** Starts a search worker, and calls `onExit` when it has exited. */
  readonly startThread: (onExit: () => void) => SearchThread;
  /** Called once for each damaged file, whose repositories must be indexed again. */
  readonly onDamage: (file: string) => void;
  /** Called once for each reason why a file currently cannot be opened. Workers try again. */
  readonly onUnreadable?: (reason: string) => void;
}

/** The slow thread is closed after this time without a search, to release its memory. */
const slowIdleMs = 30_000;

const restartDelayMs = 200;

interface Worker {
  readonly index: number;
  thread: SearchThread;
}

/**
 * The threads of the embedded engine: the workers, among which the shards are divided (`ShardOwnership`), and the slow
 * thread, which starts on demand and searches all shards.
 *
 * Sends every change of the directory to all threads. Updates and searches reach all of them in the same order, so a
 * search uses the same set of shards on each. A worker that exits is started again with the whole set.
 */
export class SearchWorkers {
  readonly #options: SearchWorkersOptions;
  readonly #workers: Worker[] = [];
  readonly #ownership: ShardOwnership;
  readonly #overlays = new Map<number, RepositoryOverlay>();
  /** Damaged files, and reasons why other files cannot be opened, that were already reported. */
  readonly #reported = new Set<string>();
  readonly #unsubscribe: () => void;
  #slow: SearchThread | undefined;
  #slowSearches = 0;
  #slowTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SearchWorkersOptions) {
    this.#options = options;
    this.#ownership = new ShardOwnership(options.workerCount);
    for (const manifest of this.#manifests()) this.#ownership.assign(manifest);
    this.#unsubscribe = options.directory.onChange((change) => this.#onChange(change));
  }

  /**
   * Starts the workers, unless they run. Otherwise the first search starts them, and waits until they are ready. Throws
   * ENGINE_UNAVAILABLE if it is too late for that.
   */
  start(): void {
    if (this.#workers.length > 0) return;
    // A search of no workers would find nothing, and seem complete.
    if (this.#isClosed) throw engineClosed();
    for (let index = 0; index < this.#options.workerCount; index++)
      this.#workers.push(this.#startWorker(index));
  }

  /** The threads of the workers, without the slow one. */
  get threads(): readonly SearchThread[] {
    this.start();
    return this.#workers.map((worker) => worker.thread);
  }

  /**
   * Returns the threads to ask about some repositories, at least one: those of workers that own shards or overlays of
   * them. While files are damaged or unreadable, returns all, because each thread only knows of its own.
   */
  threadsFor(repositories: Iterable<number> | "all"): readonly SearchThread[] {
    if (this.#reported.size > 0) return this.threads;
    const owners = this.#ownership.workersOf(repositories, this.#overlays);
    if (owners.size === 0) owners.add(0);
    this.start();
    return this.#workers.filter(({ index }) => owners.has(index)).map(({ thread }) => thread);
  }

  #manifests(): Manifest[] {
    return [...this.#options.directory.manifests().values()].sort((a, b) => a.repositoryId - b.repositoryId);
  }

  #startWorker(index: number): Worker {
    const worker: Worker = { index, thread: this.#options.startThread(() => this.#restart(worker)) };
    void this.#update(worker.thread, this.#fullUpdate(index));
    return worker;
  }

  #restart(worker: Worker): void {
    // The delay keeps a thread that cannot start from being restarted in a tight loop.
    setTimeout(() => {
      if (this.#isClosed) return;
      worker.thread = this.#options.startThread(() => this.#restart(worker));
      void this.#update(worker.thread, this.#fullUpdate(worker.index));
    }, restartDelayMs).unref();
  }

  /** Returns an update with everything that a new thread needs. */
  #fullUpdate(worker: number | "all"): ShardUpdate {
    const manifests = this.#manifests();
    return {
      kind: "update",
      repositories: manifests.map((manifest) => this.#describe(manifest)),
      removed: [],
      overlays: [...this.#overlays].map(([repositoryId, overlay]) => ({ repositoryId, overlay })),
      ...this.#ownership.of(manifests, worker),
    };
  }

  #describe(manifest: Manifest): RepositoryShards {
    const { directory } = this.#options;
    return {
      id: manifest.repositoryId,
      isFolder: isPlainFolder(manifest.kind),
      revisions: manifest.revisions,
      ...(manifest.defaultRevision === undefined ? {} : { defaultRevision: manifest.defaultRevision }),
      segments: manifest.segments.map((segment) => {
        const symbols = directory.symbols.of(segment.file);
        return {
          file: segment.file,
          path: directory.pathOf(segment),
          ...(symbols === undefined
            ? {}
            : { symbols: { file: symbols, path: join(directory.folder, symbols) } }),
        };
      }),
    };
  }

  /** Resolves when all threads have opened the new set, so that the files of the old one may be deleted. */
  async #onChange(change: DirectoryChange): Promise<void> {
    const manifests = change.kind === "published" ? change.manifests : [];
    for (const manifest of manifests) this.#ownership.assign(manifest);
    const removed = change.kind === "removed" ? change.repositoryIds : [];
    for (const id of removed) this.#overlays.delete(id);
    this.#ownership.remove(removed);
    const update = {
      kind: "update" as const,
      repositories: manifests.map((manifest) => this.#describe(manifest)),
      removed,
      overlays: [],
    };
    await this.#broadcast((worker) => ({ ...update, ...this.#ownership.of(manifests, worker) }));
    for (const file of this.#ownership.prune(this.#options.directory.manifests().values()))
      this.#reported.delete(file);
  }

  /** See `EmbeddedEngine.setOverlay`. */
  async setOverlay(repositoryId: number, overlay: RepositoryOverlay | undefined): Promise<void> {
    if (overlay !== undefined) this.#overlays.set(repositoryId, overlay);
    else if (!this.#overlays.delete(repositoryId)) return;
    await this.#broadcast(() => ({
      kind: "update",
      repositories: [],
      removed: [],
      overlays: [{ repositoryId, overlay }],
      ownedFiles: [],
      ownedRepositories: [],
    }));
  }

  async #broadcast(updateFor: (worker: number | "all") => ShardUpdate): Promise<void> {
    const updates = this.#workers.map((worker) => this.#update(worker.thread, updateFor(worker.index)));
    if (this.#slow !== undefined) updates.push(this.#update(this.#slow, updateFor("all")));
    await Promise.all(updates);
  }

  async #update(thread: SearchThread, update: ShardUpdate): Promise<void> {
    try {
      const response = await thread.run(update);
      if (response.kind !== "updated") return;
      this.reportDamage(response.damagedFiles);
      for (const reason of response.unreadable) this.#reportOnce(reason, this.#options.onUnreadable);
    } catch (error) {
      // The thread has exited. It is started again with the whole set.
      if (!isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
    }
  }

  /** Reports each damaged file once; `""` stands for a shard in memory. */
  reportDamage(files: readonly string[]): void {
    for (const file of files) if (file !== "") this.#reportOnce(file, this.#options.onDamage);
  }

  #reportOnce(what: string, report: ((what: string) => void) | undefined): void {
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    report?.(what);
  }

  /** Runs a search on the slow thread, which stays open for a while afterwards. */
  async withSlowThread<Result>(search: (thread: SearchThread) => Promise<Result>): Promise<Result> {
    const thread = this.#slowThread();
    this.#slowSearches++;
    try {
      return await search(thread);
    } finally {
      this.#slowSearches--;
      this.#slowTimer = setTimeout(() => this.#closeSlow(), slowIdleMs).unref();
    }
  }

  #slowThread(): SearchThread {
    if (this.#isClosed) throw engineClosed();
    clearTimeout(this.#slowTimer);
    if (this.#slow === undefined) {
      const thread = this.#options.startThread(() => {
        if (this.#slow === thread) this.#slow = undefined;
      });
      this.#slow = thread;
      void this.#update(thread, this.#fullUpdate("all"));
    }
    return this.#slow;
  }

  #closeSlow(): void {
    if (this.#slowSearches > 0) return;
    void this.#slow?.close();
    this.#slow = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    clearTimeout(this.#slowTimer);
    await Promise.all([...this.#workers.map((worker) => worker.thread.close()), this.#slow?.close()]);
  }
}

function engineClosed(): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "The engine is closed.");
}
