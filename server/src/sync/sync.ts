/**
 * Keeping the index current: PATHs are looked through, repositories scheduled, folders and refs watched.
 *
 * A start answers from what the catalogue and the directory of shards hold, at once; then each repository is compared
 * with its files. Only the leader has a `Sync`.
 */
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isServiceError } from "#base/error";
import type { Catalogue } from "#catalogue/catalogue";
import type { BytePath } from "#git/bytePath";
import { findPlace, type GitPlace } from "#git/place";
import type { RevisionChoice } from "#git/revisions";
import { Indexer } from "#indexing/indexing";
import type { SkippedDocument } from "#indexing/inspect";
import type { CodeHostType, Repository, RepositoryId } from "#model/repository";
import type { Overlay } from "#overlay/overlay";
import { type Clock, systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/workers";
import type { ShardDirectory } from "#shard/directory";
import { FirstRuns } from "./firstRuns";
import { lookThrough } from "./places";
import { inspection, type RefreshParts, refresh } from "./refresh";
import { Schedule, type Urgency } from "./schedule";
import { RepositoryWatch, type WatchEvents } from "./watch";
import { indexPool, inspectShards, type Work, type WorkAnswer } from "./work";

export interface SyncOptions {
  readonly catalogue: Catalogue;
  readonly directory: ShardDirectory;
  /** Builds and everything else that may take long. */
  readonly pool: Pool<Work, WorkAnswer>;
  /** One thread for working trees, so that a saved file does not wait for a build; `pool` where absent. */
  readonly quickPool?: Pool<Work, WorkAnswer>;
  readonly wanted: RevisionChoice;
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  readonly log: Log;
  readonly clock?: Clock;
  /** False for a command that indexes once and ends. */
  readonly watches: boolean;
  readonly onOverlay: (repositoryId: number, overlay: Overlay | undefined) => void;
}

/** What is remembered of a repository while the process runs. */
interface Live {
  watch?: RepositoryWatch;
  /** Paths that differ from the default revision. */
  differing: readonly BytePath[];
  /** Gathered for the next run. */
  anew: boolean;
  everything: boolean;
  paths: Set<BytePath>;
  /** Revisions that somebody searched, the last one last. */
  asked: string[];
  /** Told when the next run has ended. */
  waiters: (() => void)[];
  cancelRetry?: () => void;
}

/** A repository that failed is tried again so much later, and where watching is not complete, looked at again. */
const retryMs = 60_000;
const pollMs = 10_000;
/** A look takes at most one part in so many of the time. */
const pollShare = 20;
/** Whoever has started the process listens and answers first. */
const startDelayMs = 100;
/** New repositories under a remembered PATH are found within this time. */
const scanMs = 300_000;
/** Revisions of one repository that are indexed because somebody searched them. */
const maxAskedRevisions = 8;

export class Sync {
  readonly #options: SyncOptions;
  readonly #clock: Clock;
  readonly #parts: RefreshParts;
  readonly #schedule: Schedule;
  readonly #firstRuns: FirstRuns;
  readonly #live = new Map<RepositoryId, Live>();
  readonly #closing = new AbortController();
  readonly #runs = new Map<RepositoryId, AbortController>();
  #scans = 0;
  #scanWaiters: (() => void)[] = [];
  #cancelScan: (() => void) | undefined;

  constructor(options: SyncOptions) {
    const { catalogue, directory, pool, quickPool = pool, wanted, clock = systemClock, onOverlay } = options;
    this.#options = options;
    this.#clock = clock;
    const indexer = new Indexer(indexPool(pool), directory);
    this.#parts = { catalogue, directory, indexer, pool: quickPool, wanted, clock, onOverlay };
    // One more than there are workers: while they are busy, refs of others are read.
    this.#schedule = new Schedule(pool.size + 1, (id) => this.#run(id));
    this.#firstRuns = new FirstRuns({
      parts: this.#parts,
      pool,
      log: options.log,
      signal: this.#closing.signal,
      onEnd: (id) => this.refresh(id, "asked"),
    });
  }

  /** Queues all that is known, then looks through the remembered PATHs. Returns at once. */
  start(): void {
    // Until that has been looked at, changes may have been missed.
    this.#scans++;
    const timer = setTimeout(() => {
      this.#forgetUnknownManifests();
      this.#refreshAll(this.#options.catalogue.all(), "due");
      this.#scanAll();
      this.#scanEnded();
    }, startDelayMs);
    this.#cancelScan = () => clearTimeout(timer);
  }

  /**
   * Looks through PATHs and remembers them. Gives the repositories found, queued for indexing. Throws NOT_FOUND for a
   * path that is no folder; the ones before it are remembered.
   */
  async addPaths(paths: readonly string[], signal: AbortSignal): Promise<readonly Repository[]> {
    const found: Repository[] = [];
    for (const path of paths) {
      const repositories = await this.#scan(path, AbortSignal.any([signal, this.#closing.signal]));
      this.#options.catalogue.rememberPath(realpathSync(path));
      this.#refreshAll(repositories, "asked");
      found.push(...repositories);
    }
    return found;
  }

  /** Forgets PATHs and the index of what only they led to; gives the repositories forgotten. */
  async removePaths(paths: readonly string[]): Promise<readonly Repository[]> {
    const forgotten: Repository[] = [];
    for (const path of paths) {
      const real = existsSync(path) ? realpathSync(path) : path;
      const names = real === path ? [path] : [real, path];
      for (const name of names) forgotten.push(...this.#options.catalogue.forgetPath(name));
    }
    await this.#forget(forgotten);
    return forgotten;
  }

  /** Queues a look at one repository: its refs, and all of its working tree. */
  refresh(id: RepositoryId, urgency: Urgency = "asked"): void {
    this.#liveOf(id).everything = true;
    this.#schedule.add(id, urgency);
  }

  #refreshAll(repositories: readonly Repository[], urgency: Urgency): void {
    for (const { id } of this.#firstRuns.take(repositories)) this.refresh(id, urgency);
  }

  /**
   * Indexes a revision besides those that always are, for as long as no eight others are asked for. Gives whether it
   * is indexed now; `undefined` where `signal` came first.
   */
  async bringRevision(id: RepositoryId, name: string, signal: AbortSignal): Promise<boolean | undefined> {
    const live = this.#liveOf(id);
    live.asked = [...live.asked.filter((other) => other !== name), name].slice(-maxAskedRevisions);
    const isIndexed = () =>
      this.#options.directory.manifest(id)?.revisions.some((each) => each.name === name) === true;
    // A run that goes on may have begun before: the one behind it counts.
    for (let runs = this.#schedule.isRunning(id) ? 2 : 1; runs > 0 && !signal.aborted; runs--) {
      const ended = new Promise<void>((resolve) => {
        live.waiters.push(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      this.#schedule.add(id, "asked");
      await ended;
      if (isIndexed()) return true;
    }
    return signal.aborted ? undefined : false;
  }

  /** Shard files do not hold what they should: what they held is built anew. */
  rebuild(damagedFiles: readonly string[]): void {
    for (const { repositoryId, segments } of this.#options.directory.manifests().values()) {
      if (!segments.some(({ file }) => damagedFiles.includes(file))) continue;
      const id = repositoryId as RepositoryId;
      this.#liveOf(id).anew = true;
      this.#liveOf(id).everything = true;
      this.#options.catalogue.update(id, { state: "stale" });
      this.#schedule.add(id, "changed");
    }
  }

  /** Whether PATHs are still being looked through. */
  get isScanning(): boolean {
    return this.#scans > 0;
  }

  /** Whether a run of this repository goes on. */
  isRunning(id: RepositoryId): boolean {
    return this.#schedule.isRunning(id);
  }

  /** Whether nothing is queued, running or being looked through. */
  get isIdle(): boolean {
    return !this.isScanning && this.#firstRuns.isIdle && this.#schedule.isIdle;
  }

  async idle(): Promise<void> {
    while (!this.isIdle) {
      if (this.isScanning) await new Promise<void>((resolve) => this.#scanWaiters.push(resolve));
      else if (!this.#firstRuns.isIdle) await this.#firstRuns.idle();
      else await this.#schedule.idle();
    }
  }

  /** Documents of a repository that are found by their names only, by path; none for an unknown repository. */
  async skipped(id: RepositoryId, signal: AbortSignal): Promise<readonly SkippedDocument[]> {
    const { directory } = this.#options;
    const manifest = directory.manifest(id);
    if (manifest === undefined) return [];
    const wanted = { ...inspection(directory, manifest), withSkipped: true };
    return (await inspectShards(this.#parts.pool, wanted, signal)).skipped;
  }

  /** Repositories in which not every folder can be watched; they are looked at every few seconds instead. */
  polled(): readonly RepositoryId[] {
    return [...this.#live].filter(([, { watch }]) => watch?.isComplete === false).map(([id]) => id);
  }

  /** Stops what runs, and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelScan?.();
    for (const live of this.#live.values()) {
      live.cancelRetry?.();
      live.watch?.close();
    }
    await this.#firstRuns.idle();
    await this.#schedule.close();
    this.#live.clear();
  }

  #liveOf(id: RepositoryId): Live {
    let live = this.#live.get(id);
    if (live === undefined) {
      live = { differing: [], anew: false, everything: false, paths: new Set(), asked: [], waiters: [] };
      this.#live.set(id, live);
    }
    return live;
  }

  /** Never rejects: a failure is the repository's state. */
  async #run(id: RepositoryId): Promise<void> {
    const { catalogue, log } = this.#options;
    const repository = catalogue.get(id);
    if (repository === undefined) return;
    const live = this.#liveOf(id);
    const request = {
      anew: live.anew,
      everything: live.everything,
      paths: [...live.paths],
      differing: live.differing,
      askedRevisions: live.asked,
    };
    const startedAt = this.#clock.now();
    live.anew = false;
    live.everything = false;
    live.paths = new Set();
    live.cancelRetry?.();
    const run = new AbortController();
    this.#runs.set(id, run);
    const signal = AbortSignal.any([run.signal, this.#closing.signal]);
    // What changes while the first look goes on must not be missed, so the watch begins before it.
    const place = repository.kind === "folder" ? undefined : findPlace(repository.path);
    if (live.watch === undefined && this.#options.watches) this.#watch(repository, live, place);
    try {
      const result = await refresh(repository, { ...request, place }, this.#parts, signal);
      live.differing = result.differing;
      // A file may have been saved between the look at it and the watch on its folder: look once more.
      if (result.folders !== undefined && live.watch?.setFolders(result.folders)) this.refresh(id, "due");
      if (live.watch?.isComplete === false) {
        this.#again(id, live, Math.max(pollMs, pollShare * (this.#clock.now() - startedAt)));
      }
    } catch (error) {
      live.anew ||= request.anew;
      live.everything = true;
      if (this.#closing.signal.aborted || isServiceError(error, "CANCELLED")) return;
      const lastError = error instanceof Error ? error.message : String(error);
      catalogue.update(id, { state: "failed", progress: undefined, lastError });
      if (isServiceError(error)) log.warn(`${repository.name} could not be indexed: ${lastError}`);
      else log.error(`${repository.name} could not be indexed because of a defect.`, { error });
      this.#again(id, live, retryMs);
    } finally {
      if (this.#runs.get(id) === run) this.#runs.delete(id);
      for (const tell of live.waiters.splice(0)) tell();
      // Forgotten while it ran: what it has published goes too.
      if (catalogue.get(id) === undefined) await this.#forget([repository]).catch(() => undefined);
    }
  }

  #again(id: RepositoryId, live: Live, delayMs: number): void {
    if (!this.#options.watches) return;
    live.cancelRetry = this.#clock.after(delayMs, () => this.refresh(id, "due"));
  }

  #watch(repository: Repository, live: Live, place: GitPlace | undefined): void {
    const refFolders = place === undefined ? [] : [...new Set([place.gitDir, place.commonDir])];
    const root = repository.kind === "bare" ? {} : { root: repository.path };
    live.watch = new RepositoryWatch({ ...root, refFolders }, (events) =>
      this.#changed(repository.id, events),
    );
  }

  #changed(id: RepositoryId, { paths, everything }: WatchEvents): void {
    const live = this.#liveOf(id);
    live.everything ||= everything;
    for (const path of paths) live.paths.add(path);
    this.#schedule.add(id, "changed");
  }

  #scanAll(): void {
    const { catalogue, log, watches } = this.#options;
    const scanOne = async (path: string) => {
      try {
        const found = await this.#scan(path, this.#closing.signal);
        this.#refreshAll(
          found.filter(({ state }) => state === "queued"),
          "due",
        );
      } catch (error) {
        if (!isServiceError(error, "CANCELLED")) log.warn(`${path} could not be looked through.`, { error });
      }
    };
    const all = async () => {
      for (const path of catalogue.paths) await scanOne(path);
      if (watches && !this.#closing.signal.aborted) {
        this.#cancelScan = this.#clock.after(scanMs, () => this.#scanAll());
      }
    };
    all().catch((error: unknown) => log.error("Looking for repositories failed.", { error }));
  }

  /** Adds what is new under a PATH and forgets what is no longer there. */
  async #scan(path: string, signal: AbortSignal): Promise<readonly Repository[]> {
    const { catalogue, hosts, log } = this.#options;
    this.#scans++;
    try {
      const { facts, unreadable } = await lookThrough(path, hosts, signal);
      if (unreadable.length > 0)
        log.info(`${unreadable.length} folders in ${path} cannot be read.`, { unreadable });
      const repositories = catalogue.upsert(facts);
      const root = realpathSync(path);
      const gone = catalogue.all().filter((known) => isBelow(known.path, root) && !existsSync(known.path));
      catalogue.removeAll(gone.map(({ id }) => id));
      await this.#forget(gone);
      return repositories;
    } finally {
      this.#scanEnded();
    }
  }

  #scanEnded(): void {
    this.#scans--;
    if (this.#scans === 0) for (const resolve of this.#scanWaiters.splice(0)) resolve();
  }

  /** The catalogue has forgotten them already. */
  async #forget(repositories: readonly Repository[]): Promise<void> {
    for (const { id } of repositories) {
      this.#schedule.drop(id);
      this.#firstRuns.drop(id);
      this.#runs.get(id)?.abort();
      const live = this.#live.get(id);
      live?.cancelRetry?.();
      live?.watch?.close();
      this.#live.delete(id);
      this.#options.onOverlay(id, undefined);
    }
    if (repositories.length > 0) await this.#options.directory.removeAll(repositories.map(({ id }) => id));
  }

  /** Repositories were forgotten, but the process ended before their index was. */
  #forgetUnknownManifests(): void {
    const { catalogue, directory, log } = this.#options;
    const unknown = [...directory.manifests().keys()].filter(
      (id) => catalogue.get(id as RepositoryId) === undefined,
    );
    if (unknown.length === 0) return;
    directory
      .removeAll(unknown)
      .catch((error: unknown) => log.warn("An old index could not be removed.", { error }));
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(join(folder, "/"));
}
