/**
 * Keeps the index of each repository current: schedules runs, watches files, and collects what the next run must check.
 */
import { once } from "node:events";
import { isServiceError } from "#base/error";
import { isLockFile } from "#dependencies/dependencies";
import type { BytePath } from "#git/bytePath";
import { findGitRepository, type GitRepository } from "#git/repository";
import { IndexFull } from "#indexing/draftGate";
import { isPlainFolder, type Repository, type RepositoryId } from "#model/repository";
import type { Log } from "#platform/log";
import { TimeLimit } from "#platform/timeLimit";
import { FolderPoll } from "./folderPoll";
import { type RefreshContext, type RefreshResult, refresh } from "./refresh";
import { type Priority, Schedule } from "./schedule";
import { RepositoryWatch, type WatchBackend, type WatchEvents, type WatchFolder, watchFolder } from "./watch";

export interface RunsOptions {
  readonly context: RefreshContext;
  /** How many runs may be active at once. */
  readonly limit: number;
  readonly log: Log;
  readonly watches: boolean;
  /** Whether others than Trawl may change a repository. Default: always. */
  readonly isWatched?: (repository: Repository) => boolean;
  readonly watchFolder?: WatchFolder | undefined;
  /** Called when lock files, or entire folders, of a repository have changed. */
  readonly onLockFileChange?: (id: RepositoryId) => void;
  /** Called when the index of a repository has become current, whether it was built or not. */
  readonly onCurrent?: (id: RepositoryId) => void;
  /** Resolves when no run of a repository is queued or active, or when the signal fires. Default: one of these runs. */
  readonly settled?: (id: RepositoryId, signal: AbortSignal) => Promise<void>;
  /** Called if there is no disk space for the index of a repository. */
  readonly onFull: (id: RepositoryId, isTooLarge: boolean) => Promise<void>;
  /** Called when files or refs of a repository have changed. */
  readonly onChanged?: (id: RepositoryId) => void;
  /** Called if a repository was removed during its run, to delete what the run has published. */
  readonly onRemoved: (repository: Repository) => Promise<void>;
}

/** The state of a repository. */
interface RepositoryState {
  watch?: RepositoryWatch;
  /** Paths that differ from the default revision. */
  differing: readonly BytePath[];
  /** What the next run must check; see `RefreshRequest`. */
  isRebuild: boolean;
  scansAll: boolean;
  includesTracked: boolean;
  paths: Set<BytePath>;
  /** Revisions to index because they were searched, the latest last. */
  requested: string[];
  /** How many requests wait for each of these revisions. */
  readonly waiterCounts: Map<string, number>;
  /** Called when the next run has ended. */
  waiters: (() => void)[];
  cancelRetry?: () => void;
  run?: Run;
}

/** An active run. */
interface Run {
  readonly controller: AbortController;
  /** Revisions that the run indexes only because they were searched. */
  readonly requested: readonly string[];
  /** Whether the run builds all shards, so that restarting it would lose much work. */
  readonly isFullBuild: boolean;
  readonly scansAll: boolean;
}

/** Delay before a failed repository is retried. */
const retryMs = 60_000;
/** Minimum interval between scans of a repository in which not all folders can be watched. */
const pollMs = 10_000;
/** Scans take at most this fraction (1/n) of the time. */
const pollIdleFactor = 20;
/** How long a repository waits at most for others that may be evicted for it. */
const maxBlockedMs = 60_000;
/** How long a repository waits for the drafts of others, which must be published before there is room. */
const retryFullMs = 300;
/** Maximum number of revisions of one repository that are indexed because they were searched. */
const maxRequestedRevisions = 8;

export class Runs {
  readonly #options: RunsOptions;
  readonly #schedule: Schedule;
  readonly #watchBackend: WatchBackend;
  readonly #states = new Map<RepositoryId, RepositoryState>();
  /** Repositories in which not every folder can be watched. */
  readonly #polled = new Set<RepositoryId>();
  /** Repositories that wait until others are indexed, because these may be evicted then. */
  readonly #blocked = new Set<number>();
  readonly #closing = new AbortController();

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options.limit, (id) => this.#run(id));
    const poll = new FolderPoll(options.context.clock);
    this.#watchBackend = { watchFolder: options.watchFolder ?? watchFolder, poll };
  }

  /** Queues a check of a repository's refs and whole working tree. */
  refresh(id: RepositoryId, priority: Priority): void {
    this.#stateOf(id).scansAll = true;
    this.#schedule.add(id, priority);
  }

  /**
   * Omits repositories whose whole working tree is being scanned, as at the start, when known paths are also added again.
   * Watches report what changes meanwhile.
   */
  withoutScanning(repositories: readonly Repository[]): readonly Repository[] {
    return repositories.filter(({ id }) => {
      const { run, watch } = this.#states.get(id) ?? {};
      return run?.scansAll !== true || watch?.isComplete !== true;
    });
  }

  /** Queues a rebuild of all shards of a repository. */
  rebuild(id: RepositoryId, priority: Priority): void {
    this.#stateOf(id).isRebuild = true;
    this.refresh(id, priority);
  }

  /**
   * Indexes a revision that the settings do not select. It stays indexed until `maxRequestedRevisions` others have been
   * requested. Returns whether it is indexed now, or `undefined` if that takes longer than `timeMs` (indexing
   * continues) or indexing is paused. If all waiting callers disconnect, indexing is canceled.
   */
  async indexRevision(
    id: RepositoryId,
    name: string,
    timeMs: number,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    if (this.#schedule.isPaused) return undefined;
    const state = this.#stateOf(id);
    state.requested = [...state.requested.filter((other) => other !== name), name].slice(
      -maxRequestedRevisions,
    );
    state.waiterCounts.set(name, (state.waiterCounts.get(name) ?? 0) + 1);
    const { directory } = this.#options.context;
    const isIndexed = () => directory.manifest(id)?.revisions.some((each) => each.name === name) === true;
    const limit = new TimeLimit(signal, timeMs);
    const deadline = limit.signal;
    try {
      // An active run may not include the revision, so wait for the next one, too.
      for (let runs = this.#schedule.isRunning(id) ? 2 : 1; runs > 0 && !deadline.aborted; runs--) {
        const ended = new Promise<void>((resolve) => {
          state.waiters.push(resolve);
          deadline.addEventListener("abort", () => resolve(), { once: true });
        });
        this.#schedule.add(id, "requested");
        await ended;
        if (isIndexed()) return true;
      }
      return deadline.aborted ? undefined : false;
    } finally {
      limit.dispose();
      const others = (state.waiterCounts.get(name) ?? 1) - 1;
      if (others > 0) state.waiterCounts.set(name, others);
      else state.waiterCounts.delete(name);
      if (others === 0 && signal.aborted && !isIndexed()) this.#cancelRequested(id, state, name);
    }
  }

  /** Cancels indexing a revision that no caller waits for: a run that includes it restarts without it. */
  #cancelRequested(id: RepositoryId, state: RepositoryState, name: string): void {
    state.requested = state.requested.filter((other) => other !== name);
    const { run } = state;
    if (run === undefined || run.isFullBuild || !run.requested.includes(name)) return;
    run.controller.abort();
    this.#schedule.add(id, "due");
  }

  /** While paused, active runs continue, and everything else waits. */
  setPaused(isPaused: boolean): void {
    this.#schedule.setPaused(isPaused);
  }

  get isPaused(): boolean {
    return this.#schedule.isPaused;
  }

  /** Sets how many runs may be active at once. */
  setLimit(count: number): void {
    this.#schedule.setLimit(count);
  }

  isRunning(id: RepositoryId): boolean {
    return this.#schedule.isRunning(id);
  }

  get isIdle(): boolean {
    return this.#schedule.isIdle;
  }

  get hasRunning(): boolean {
    return this.#schedule.hasRunning;
  }

  idle(): Promise<void> {
    return this.#schedule.idle();
  }

  /**
   * Whether some folders of a repository cannot be watched. These are polled, and the whole repository is scanned from
   * time to time.
   */
  isPolled(id: RepositoryId): boolean {
    return this.#polled.has(id);
  }

  /** Resolves when no run of a repository is queued or active, or when the signal fires. */
  async settled(id: RepositoryId, signal: AbortSignal): Promise<void> {
    await this.#waitWhile(() => this.#schedule.isQueued(id) || this.isRunning(id), id, signal);
  }

  /** Resolves when no run of a repository is active, or when the signal fires. */
  async ended(id: RepositoryId, signal: AbortSignal): Promise<void> {
    await this.#waitWhile(() => this.isRunning(id), id, signal);
  }

  async #waitWhile(isBusy: () => boolean, id: RepositoryId, signal: AbortSignal): Promise<void> {
    while (isBusy() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#stateOf(id).waiters.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      // A run whose waiters are called has not ended yet.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether requests have named revisions of a repository that are indexed, or about to be. */
  hasRequested(id: RepositoryId): boolean {
    return (this.#states.get(id)?.requested.length ?? 0) > 0;
  }

  /** Removes a repository that has been evicted from the queue, and stops watching it. */
  release(id: RepositoryId): void {
    const state = this.#states.get(id);
    this.#schedule.drop(id);
    this.#polled.delete(id);
    if (state === undefined) return;
    state.cancelRetry?.();
    state.watch?.close();
    for (const resolve of state.waiters.splice(0)) resolve();
    if (state.run === undefined) this.#states.delete(id);
    else delete state.watch;
  }

  /** Cancels the run of a repository, removes it from the queue, and stops watching it. */
  drop(id: RepositoryId): void {
    this.#schedule.drop(id);
    const state = this.#states.get(id);
    state?.run?.controller.abort();
    state?.cancelRetry?.();
    state?.watch?.close();
    for (const resolve of state?.waiters.splice(0) ?? []) resolve();
    this.#states.delete(id);
    this.#polled.delete(id);
  }

  /** Cancels all runs, and waits for them to end. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const state of this.#states.values()) {
      state.cancelRetry?.();
      state.watch?.close();
    }
    this.#watchBackend.poll.close();
    await this.#schedule.close();
    this.#states.clear();
  }

  #stateOf(id: RepositoryId): RepositoryState {
    let state = this.#states.get(id);
    if (state === undefined) {
      state = {
        differing: [],
        isRebuild: false,
        scansAll: false,
        includesTracked: false,
        paths: new Set(),
        requested: [],
        waiterCounts: new Map(),
        waiters: [],
      };
      this.#states.set(id, state);
    }
    return state;
  }

  /** Never rejects: an error is recorded as the repository's state. */
  async #run(id: RepositoryId): Promise<void> {
    const { context, log, watches, isWatched = () => true, onCurrent, onFull, onRemoved } = this.#options;
    const { catalog, clock } = context;
    const repository = catalog.get(id);
    const state = this.#stateOf(id);
    if (repository === undefined || repository.state === "evicted") {
      // Only a request indexes an evicted one again (`restores.ts`).
      for (const resolve of state.waiters.splice(0)) resolve();
      if (repository === undefined) this.#states.delete(id);
      else onCurrent?.(id);
      return;
    }
    const request = {
      isRebuild: state.isRebuild,
      scansAll: state.scansAll,
      includesTracked: state.includesTracked,
      paths: [...state.paths],
      differing: state.differing,
      requestedRevisions: state.requested,
      onFolders: (folders: readonly BytePath[]) => state.watch?.addFoldersGradually(folders),
    };
    const startedAt = clock.elapsed();
    state.isRebuild = false;
    state.scansAll = false;
    state.includesTracked = false;
    state.paths = new Set();
    state.cancelRetry?.();
    const controller = new AbortController();
    const isFullBuild = request.isRebuild || context.directory.manifest(id) === undefined;
    const { scansAll } = request;
    const run: Run = { controller, requested: request.requestedRevisions, isFullBuild, scansAll };
    state.run = run;
    const signal = AbortSignal.any([controller.signal, this.#closing.signal]);
    // Start watching before the first scan, so that no change during the scan is missed.
    const gitRepository = isPlainFolder(repository.kind) ? undefined : findGitRepository(repository.path);
    if (state.watch === undefined && watches && isWatched(repository))
      this.#watch(repository, state, gitRepository);
    try {
      const result = await refresh(repository, { ...request, gitRepository }, context, signal);
      state.differing = result.differing;
      onCurrent?.(id);
      if (result.isBuilt)
        log.info(`Indexed ${repository.name} in ${inSeconds(clock.elapsed() - startedAt)}.`);
      // In a folder of new files only, a file may have been saved after it was scanned and before the folder was watched:
      // scan once more.
      if (updateWatch(state.watch, result.folders)) this.refresh(id, "due");
      if (state.watch?.isComplete === false) {
        this.#polled.add(id);
        // All polled repositories share the time for scans.
        const tookMs = clock.elapsed() - startedAt;
        this.#retryLater(id, state, Math.max(pollMs, pollIdleFactor * tookMs * this.#polled.size));
      } else this.#polled.delete(id);
    } catch (error) {
      state.isRebuild ||= request.isRebuild;
      state.scansAll = true;
      if (this.#closing.signal.aborted || isServiceError(error, "CANCELLED")) return;
      if (error instanceof IndexFull) return await this.#onFull(id, state, error, onFull);
      const lastError = error instanceof Error ? error.message : String(error);
      catalog.update(id, { state: "failed", progress: undefined, lastError });
      if (isServiceError(error)) log.warn(`${repository.name} could not be indexed: ${lastError}`);
      else log.error(`${repository.name} could not be indexed because of a defect.`, { error });
      this.#retryLater(id, state, retryMs);
    } finally {
      if (state.run === run) delete state.run;
      if (catalog.get(id) === undefined) await onRemoved(repository).catch(() => undefined);
      // After `drop`, waiters have a state of their own.
      for (const { waiters } of new Set([state, this.#stateOf(id)]))
        for (const resolve of waiters.splice(0)) resolve();
      if (catalog.get(id) === undefined) this.#states.delete(id);
    }
  }

  /** Gives up revisions that were requested, or else the whole repository. */
  async #onFull(
    id: RepositoryId,
    state: RepositoryState,
    { isTooLarge, blockers, canRetry }: IndexFull,
    onFull: RunsOptions["onFull"],
  ): Promise<void> {
    const { log, context, settled = (other, signal) => this.settled(other, signal) } = this.#options;
    const awaited = blockers.filter((other) => !this.#blocked.has(other));
    if (canRetry || awaited.length > 0) {
      this.#blocked.add(id);
      context.catalog.update(id, { state: "queued", progress: undefined });
      const limit = new TimeLimit(this.#closing.signal, awaited.length > 0 ? maxBlockedMs : retryFullMs);
      if (awaited.length > 0)
        await Promise.all(awaited.map((other) => settled(other as RepositoryId, limit.signal)));
      else if (!limit.signal.aborted) await once(limit.signal, "abort");
      limit.dispose();
      this.#blocked.delete(id);
      return this.refresh(id, "due");
    }
    if (state.requested.length > 0 && context.directory.manifest(id) !== undefined) {
      state.requested = [];
      return this.refresh(id, "due");
    }
    await onFull(id, isTooLarge).catch((error: unknown) => {
      log.warn("Cannot remove an index.", { error });
      this.#retryLater(id, state, retryMs);
    });
  }

  #retryLater(id: RepositoryId, state: RepositoryState, delayMs: number): void {
    if (!this.#options.watches) return;
    state.cancelRetry = this.#options.context.clock.after(delayMs, () => this.refresh(id, "due"));
  }

  #watch(repository: Repository, state: RepositoryState, gitRepository: GitRepository | undefined): void {
    const refFolders =
      gitRepository === undefined ? [] : [...new Set([gitRepository.gitDir, gitRepository.commonDir])];
    const root = repository.kind === "bare" ? {} : { root: repository.path };
    const index = gitRepository?.workTree === undefined ? {} : { gitDir: gitRepository.gitDir };
    state.watch = new RepositoryWatch({ ...root, ...index, refFolders }, this.#watchBackend, (events) =>
      this.#changed(repository.id, events),
    );
  }

  #changed(id: RepositoryId, { paths, scansAll, hasIndexChanges }: WatchEvents): void {
    const state = this.#stateOf(id);
    state.scansAll ||= scansAll;
    state.includesTracked ||= hasIndexChanges;
    for (const path of paths) state.paths.add(path);
    this.#options.onChanged?.(id);
    this.#schedule.add(id, "changed");
    if (scansAll || [...paths].some((path) => isLockFile(path.slice(path.lastIndexOf("/") + 1))))
      this.#options.onLockFileChange?.(id);
  }
}

/** Returns whether any of these folders was not watched before. */
function updateWatch(watch: RepositoryWatch | undefined, folders: RefreshResult["folders"]): boolean {
  if (watch === undefined || folders === undefined) return false;
  return folders.areAll ? watch.setFolders(folders.paths) : watch.addFolders(folders.paths);
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
