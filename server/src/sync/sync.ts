/**
 * Keeps the index current: scans added paths, schedules indexing, and watches folders and refs.
 *
 * After a start, searches use the catalog and shards on disk immediately; then each repository is compared with its
 * files. Only the leader has a `Sync`.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { untilAborted } from "#base/untilAborted";
import type { Catalog } from "#catalog/catalog";
import { type PackageCaches, userCaches } from "#dependencies/dependencies";
import { Indexer } from "#indexing/indexing";
import type { SkippedDocument } from "#indexing/inspect";
import type { UnparsedDocument } from "#indexing/unparsed";
import type { CodeHostType, Repository, RepositoryId } from "#model/repository";
import type { Overlay } from "#overlay/overlay";
import { type Clock, systemClock } from "#platform/clock";
import { realPath } from "#platform/files";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import { CodeHosts, type CodeHostsSetup } from "./codeHosts";
import { Dependencies } from "./dependencies";
import { FirstRuns } from "./firstRuns";
import { ParentFolderPoll } from "./parentFolderPoll";
import { isIndexCurrent, type RefreshContext, type ZoektIndexing } from "./refresh";
import { Runs, type RunsOptions } from "./runs";
import { Scans } from "./scans";
import type { Priority } from "./schedule";
import { findSiblings, siblingsMs, unknownSiblings } from "./siblings";
import { skippedDocuments } from "./skippedDocuments";
import { Storage } from "./storage";
import {
  defaultSyncSettings,
  haveSameIndexSettings,
  haveSameScanSettings,
  type SyncSettings,
} from "./syncSettings";
import { UnparsedLists } from "./unparsedLists";
import type { WatchFolder } from "./watch";
import { indexPool, runLimit, runScan, type WorkerResult, type WorkerTask } from "./workerTasks";

export interface SyncOptions {
  readonly catalog: Catalog;
  readonly directory: ShardDirectory;
  /** Runs builds and other long tasks. */
  readonly pool: Pool<WorkerTask, WorkerResult>;
  /** Threads for working trees and scans, so that a saved file does not wait for a build. Defaults to `pool`. */
  readonly quickPool?: Pool<WorkerTask, WorkerResult>;
  /** Absent settings have their default values. */
  readonly settings: Partial<SyncSettings>;
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  /** Defaults to those of the user. */
  readonly packageCaches?: PackageCaches;
  /** Absent without connections to code hosts, now and earlier. */
  readonly codeHosts?: CodeHostsSetup | undefined;
  /** Absent if Trawl's own index contains git repositories, too. */
  readonly zoekt?: ZoektIndexing | undefined;
  /** Whether folders without any git repository are skipped. Default: false. */
  readonly isGitOnly?: boolean;
  readonly log: Log;
  readonly clock?: Clock;
  /** False for a command that indexes once and exits. */
  readonly watches: boolean;
  readonly watchFolder?: WatchFolder;
  readonly onOverlay: (repositoryId: number, overlay: Overlay | undefined) => void;
}

/** Delay before indexing starts, so that the process can accept requests first. */
const startDelayMs = 100;
/** Interval of scans, which find new repositories that folder polling misses. */
const scanMs = 300_000;

export class Sync {
  /** The disk space of the index. */
  readonly storage: Storage;
  readonly #options: SyncOptions;
  readonly #clock: Clock;
  readonly #context: RefreshContext;
  readonly #unparsed: UnparsedLists;
  readonly #runs: Runs;
  readonly #firstRuns: FirstRuns;
  readonly #scans: Scans;
  readonly #parentFolders: ParentFolderPoll;
  readonly #dependencies: Dependencies;
  #codeHosts: CodeHosts | undefined;
  readonly #closing = new AbortController();
  #start: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #cancelScan: (() => void) | undefined;
  #settings: SyncSettings;

  constructor(options: SyncOptions) {
    const { catalog, directory, pool, quickPool = pool, settings, clock = systemClock, onOverlay } = options;
    this.#options = options;
    this.#clock = clock;
    this.#settings = { ...defaultSyncSettings, ...settings };
    this.storage = new Storage({
      ...options,
      quickPool,
      clock,
      signal: this.#closing.signal,
      limit: () => this.#settings.maxIndexBytes,
      isPaused: () => this.isPaused,
      isRunning: (id) => this.isRunning(id),
      hasRequested: (id) => this.#runs.hasRequested(id),
      refresh: (id) => this.#refreshAny(id),
      settled: (id, limited) => this.#runsOf(id).settled(id, limited),
      ended: (id, limited) => this.#runsOf(id).ended(id, limited),
      onDamage: (file) => this.rebuild([file]),
      onEvicted: (id) => {
        this.#runs.release(id);
        this.#dependencies.release(id);
        onOverlay(id, undefined);
      },
    });
    const gate = this.storage.space;
    const onFull: RunsOptions["onFull"] = (id, isTooLarge) => this.storage.giveUp(id, isTooLarge);
    const indexer = new Indexer(indexPool(pool), directory, gate);
    this.#context = {
      catalog,
      directory,
      indexer,
      zoekt: options.zoekt,
      pool: quickPool,
      settings: () => this.#settings,
      revisionsOf: ({ path }) => this.codeHosts?.revisionsOf(path),
      problemOf: ({ path }) => this.codeHosts?.problemOf(path),
      clock,
      onOverlay,
    };
    this.#unparsed = new UnparsedLists(directory, quickPool);
    const { hosts, log, watches } = options;
    this.#codeHosts = options.codeHosts && this.#createCodeHosts(options.codeHosts);
    this.#runs = new Runs({
      context: this.#context,
      limit: options.zoekt?.runLimit ?? runLimit(pool),
      log,
      watches,
      isWatched: ({ path }) => !this.#isMirror(path),
      watchFolder: options.watchFolder,
      onCurrent: (id) => this.codeHosts?.indexed(id),
      onFull,
      settled: (id, limited) => this.#runsOf(id).settled(id, limited),
      onChanged: (id) => this.storage.uses.open([id]),
      onLockFileChange: (id) => this.#dependencies.changed(id),
      onRemoved: (repository) => this.#deleteIndexes([repository]),
    });
    this.#scans = new Scans({
      catalog,
      hosts,
      settings: () => this.#settings,
      isMirror: (path) => this.#isMirror(path),
      isGitOnly: options.isGitOnly ?? false,
      log,
      scanPath: (scan, signal) => runScan(quickPool, scan, signal),
      onScanned: (path, parentFolders) => {
        if (watches) this.#parentFolders.set(path, parentFolders);
      },
      onRepositoriesRemoved: (gone) => this.#deleteIndexes(gone),
    });
    this.#parentFolders = new ParentFolderPoll(clock, (path) => void this.#scanOne(path));
    this.#firstRuns = new FirstRuns({
      context: this.#context,
      pool,
      gate,
      log,
      signal: this.#closing.signal,
      onEnd: (id) => this.refresh(id, "requested"),
    });
    const dependencies = {
      context: this.#context,
      pool,
      gate,
      onFull,
      caches: options.packageCaches ?? userCaches(),
      unpackFolder: join(dirname(options.directory.folder), "packages"),
      log,
      othersIdle: () => this.repositoriesIdle(),
      onRemoved: (packages: readonly Repository[]) => this.#deleteIndexes(packages),
    };
    this.#dependencies = new Dependencies(dependencies, this.#settings.dependencies);
  }

  /** Queues all known repositories, then scans the added paths. Returns immediately. */
  start(): void {
    // Not idle until the scan has ended, because changes may have been missed.
    const end = this.#scans.begin();
    this.#start = setTimeout(() => {
      this.#deleteUnknownIndexes();
      this.storage.applyLimit();
      // Mirrors that are not cloned yet are indexed later.
      const existing = this.#options.catalog
        .all()
        .filter(({ path }) => !this.#isMirror(path) || existsSync(path));
      this.#refreshAll(existing, "due");
      this.#dependencies.scan(this.#options.catalog.all());
      this.#hasStarted = true;
      this.codeHosts?.start();
      void this.#scanAll().finally(end);
    }, startDelayMs);
  }

  /**
   * Scans paths and adds them to the catalog. Returns the repositories found, which are queued for indexing. Throws
   * NOT_FOUND for a path that is not a folder; those before it have then been added. `areOpen`: whether the paths are
   * open in an editor (see `Scans`).
   */
  async addPaths(
    paths: readonly string[],
    signal: AbortSignal,
    areOpen = false,
  ): Promise<readonly Repository[]> {
    const found: Repository[] = [];
    const combined = AbortSignal.any([signal, this.#closing.signal]);
    const end = this.#scans.begin(paths);
    try {
      for (const path of paths) {
        const repositories = await (areOpen
          ? this.#scans.addOpenFolder(path, combined)
          : this.#scans.add(path, combined));
        this.#options.log.info(`Found ${repositories.length} repositories in ${path}.`);
        this.storage.add(repositories, areOpen);
        this.#refreshAll(this.#runs.withoutScanning(repositories), "requested");
        this.#dependencies.scan(repositories);
        found.push(...repositories);
      }
    } finally {
      end();
    }
    return found;
  }

  /** Removes added paths, or excludes paths below them. Returns the removed repositories, whose indexes are deleted. */
  async removePaths(paths: readonly string[]): Promise<readonly Repository[]> {
    const removed: Repository[] = [];
    for (const path of paths) {
      for (const name of new Set([realPath(path) ?? path, path])) {
        this.#parentFolders.remove(name);
        removed.push(...this.#options.catalog.removePath(name));
      }
    }
    await this.#deleteIndexes(removed);
    return removed;
  }

  /** Removes only these repositories, not others in their folders. */
  async removeRepositories(ids: readonly RepositoryId[]): Promise<void> {
    const known = ids.flatMap((id) => this.#options.catalog.get(id) ?? []);
    for (const { id } of known) this.#options.catalog.removeRepository(id);
    await this.#deleteIndexes(known);
  }

  /** Queues a rebuild of these repositories. The old index remains in use until it is done. */
  reindex(ids: readonly RepositoryId[]): void {
    for (const id of ids) {
      this.#options.catalog.update(id, { state: "queued", eviction: undefined });
      this.#runs.rebuild(id, "requested");
    }
  }

  /**
   * Finds clones next to these folders that are not in the catalog once scans have ended, with the names that they would
   * have.
   */
  async siblings(folders: readonly string[], signal: AbortSignal) {
    const { catalog, hosts } = this.#options;
    const { siblings, isComplete } = await findSiblings(folders, siblingsMs, signal);
    await untilAborted(this.#scans.idle(), signal);
    return { repositories: unknownSiblings(siblings, catalog, hosts), isComplete };
  }

  /** Scans all paths now, if this process watches them. */
  rescan(): void {
    if (this.#start !== undefined) void this.#scanAll(true);
  }

  /** Applies new settings: scans all paths or reindexes all repositories if the settings that changed affect these. */
  configure(settings: SyncSettings): void {
    const before = this.#settings;
    this.#settings = settings;
    this.#runs.setLimit(this.#options.zoekt?.runLimit ?? runLimit(this.#options.pool));
    if (before.maxIndexBytes !== settings.maxIndexBytes) this.storage.applyLimit();
    if (this.#start === undefined) return;
    if (!haveSameScanSettings(before, settings)) void this.#scanAll(true);
    if (!haveSameIndexSettings(before, settings)) {
      this.#refreshAll(this.#options.catalog.all(), "due");
      for (const { id } of this.#options.catalog.packages()) this.#dependencies.refresh(id, false);
    }
    this.#dependencies.setEnabled(settings.dependencies);
  }

  /** Absent until there is, or once was, a connection to a code host. */
  get codeHosts(): CodeHosts | undefined {
    return this.#codeHosts;
  }

  /** Applies other connections to code hosts, perhaps the first ones. Throws STORAGE_FAILED. */
  async configureCodeHosts(setup: CodeHostsSetup): Promise<void> {
    if (this.#closing.signal.aborted) return;
    if (this.#codeHosts !== undefined) return await this.#codeHosts.configure(setup);
    this.#codeHosts = this.#createCodeHosts(setup);
    this.#codeHosts.setPaused(this.isPaused);
    if (this.#hasStarted) this.#codeHosts.start();
  }

  #createCodeHosts(setup: CodeHostsSetup): CodeHosts {
    const { catalog, log } = this.#options;
    return new CodeHosts({
      ...setup,
      catalog,
      clock: this.#clock,
      log,
      isIndexCurrent: (repository) => isIndexCurrent(repository, this.#context),
      index: (id) => this.refresh(id, "changed"),
      onRemoved: (repositories) => this.#deleteIndexes(repositories),
    });
  }

  get isPaused(): boolean {
    return this.#runs.isPaused;
  }

  /** While paused, active runs continue, and everything else waits. */
  setPaused(isPaused: boolean): void {
    this.#runs.setPaused(isPaused);
    this.#firstRuns.setPaused(isPaused);
    this.#dependencies.setPaused(isPaused);
    this.codeHosts?.setPaused(isPaused);
  }

  /** Queues a check of a repository's refs and whole working tree. */
  refresh(id: RepositoryId, priority: Priority = "requested"): void {
    this.#runs.refresh(id, priority);
  }

  #refreshAll(repositories: readonly Repository[], priority: Priority): void {
    for (const { id } of this.#firstRuns.claim(repositories)) this.refresh(id, priority);
  }

  #runsOf(id: RepositoryId): Pick<Runs, "settled" | "ended"> {
    return this.#options.catalog.get(id)?.kind === "package" ? this.#dependencies : this.#runs;
  }

  #refreshAny(id: RepositoryId): void {
    if (this.#options.catalog.get(id)?.kind === "package") this.#dependencies.refresh(id, false);
    else this.#runs.refresh(id, "requested");
  }

  /** See `Runs`. */
  indexRevision(...request: Parameters<Runs["indexRevision"]>): ReturnType<Runs["indexRevision"]> {
    const [id, name] = request;
    this.storage.useRevision(id, name);
    return this.#runs.indexRevision(...request);
  }

  /** Rebuilds the repositories of damaged shard files. */
  rebuild(damagedFiles: readonly string[]): void {
    for (const { repositoryId, kind, segments } of this.#options.directory.manifests().values()) {
      if (!segments.some(({ file }) => damagedFiles.includes(file))) continue;
      const id = repositoryId as RepositoryId;
      this.#options.catalog.update(id, { state: "stale" });
      if (kind === "package") this.#dependencies.refresh(id, true);
      else this.#runs.rebuild(id, "changed");
    }
  }

  /** Whether this repository is being indexed. */
  isRunning(id: RepositoryId): boolean {
    return this.#runs.isRunning(id) || this.#dependencies.isRunning(id);
  }

  /** Whether nothing but packages is queued, running or being scanned. */
  get isIdle(): boolean {
    return this.#scans.isIdle && this.#firstRuns.isIdle && this.#runs.isIdle;
  }

  /** Whether no work will start on its own: idle, or paused with queued work. */
  get isSettled(): boolean {
    const isWaiting = this.isPaused && !this.#firstRuns.hasRunning && !this.#runs.hasRunning;
    return this.isIdle || (this.#scans.isIdle && isWaiting);
  }

  /** Whether all packages have been found and indexed, or indexing is paused. */
  get areDependenciesSettled(): boolean {
    return this.isPaused || this.#dependencies.isIdle;
  }

  async idle(): Promise<void> {
    while (!this.isIdle || !this.#dependencies.isIdle) {
      await this.repositoriesIdle();
      await this.#dependencies.idle();
    }
  }

  /** Waits for everything but packages. */
  async repositoriesIdle(): Promise<void> {
    while (!this.isIdle) {
      if (!this.#scans.isIdle) await this.#scans.idle();
      else if (!this.#firstRuns.isIdle) await this.#firstRuns.idle();
      else await this.#runs.idle();
    }
  }

  /** Returns the documents whose content is not indexed, by path; none for an unknown repository. */
  skipped(id: RepositoryId, signal: AbortSignal): Promise<readonly SkippedDocument[]> {
    return skippedDocuments(id, this.#options.directory, this.#context.pool, signal);
  }

  /** Returns the documents that could not be parsed, by path; none for an unknown repository. */
  async unparsed(id: RepositoryId, signal: AbortSignal): Promise<readonly UnparsedDocument[]> {
    return await this.#unparsed.of(id, signal);
  }

  /** See `Runs`. */
  isPolled(id: RepositoryId): boolean {
    return this.#runs.isPolled(id);
  }

  /** Cancels all runs, and waits for them to end. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#start);
    this.#cancelScan?.();
    this.#parentFolders.close();
    await this.codeHosts?.close();
    await this.#dependencies.close();
    await this.#firstRuns.close();
    await this.#runs.close();
    this.storage.uses.close(!this.#options.watches);
  }

  #isMirror(path: string): boolean {
    return this.codeHosts?.owns(path) === true;
  }

  async #scanAll(haveSettingsChanged = false): Promise<void> {
    this.#cancelScan?.();
    const { signal } = this.#closing;
    try {
      await (haveSettingsChanged
        ? this.#scans.rescanAll(signal, this.#onFound)
        : this.#scans.scanAll(signal, this.#onFound));
    } catch (error) {
      this.#options.log.error("Cannot scan for repositories.", { error });
    }
    if (!this.#options.watches || signal.aborted) return;
    this.#cancelScan?.();
    this.#cancelScan = this.#clock.after(scanMs, () => void this.#scanAll());
  }

  async #scanOne(path: string): Promise<void> {
    if (!this.#options.catalog.paths.includes(path)) return;
    await this.#scans.scanOne(path, this.#closing.signal, this.#onFound).catch((error: unknown) => {
      this.#options.log.error("Cannot scan for repositories.", { error });
    });
  }

  readonly #onFound = (found: readonly Repository[]): void => {
    const fresh = found.filter(({ state }) => state === "queued");
    this.#refreshAll(fresh, "due");
    this.#dependencies.scan(found);
  };

  /** Deletes the index of repositories that were removed from the catalog. */
  async #deleteIndexes(repositories: readonly Repository[]): Promise<void> {
    for (const { id } of repositories) {
      this.#runs.drop(id);
      this.#firstRuns.drop(id);
      this.storage.uses.drop(id);
      this.#options.onOverlay(id, undefined);
    }
    this.#dependencies.drop(repositories);
    const { log, directory } = this.#options;
    for (const { name } of repositories) log.info(`Removed ${name}.`);
    if (repositories.length > 0) await directory.removeAll(repositories.map(({ id }) => id));
  }

  /** Deletes indexes of repositories that are not in the catalog, such as those left by a killed process. */
  #deleteUnknownIndexes(): void {
    const { catalog, directory, log } = this.#options;
    const isUnknown = (id: number) => catalog.get(id as RepositoryId) === undefined;
    const unknown = [...directory.manifests().keys()].filter(isUnknown);
    if (unknown.length === 0) return;
    directory
      .removeAll(unknown)
      .catch((error: unknown) => log.warn("Cannot delete an old index.", { error }));
  }
}
