/**
 * Keeping the index current: PATHs are looked through, repositories scheduled, folders and refs watched.
 *
 * A start answers from what the catalogue and the directory of shards hold, at once; then each repository is compared
 * with its files. Only the leader has a `Sync`.
 */
import { existsSync, realpathSync } from "node:fs";
import type { Catalogue } from "#catalogue/catalogue";
import { Indexer } from "#indexing/indexing";
import type { SkippedDocument } from "#indexing/inspect";
import type { UnparsedDocument } from "#indexing/unparsed";
import type { CodeHostType, Repository, RepositoryId } from "#model/repository";
import type { Overlay } from "#overlay/overlay";
import { type Clock, systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/workers";
import type { ShardDirectory } from "#shard/directory";
import { isSameIndex, isSameScan, type SyncChoice, usualChoice } from "./choice";
import { FirstRuns } from "./firstRuns";
import { factsOf } from "./places";
import { inspection, type RefreshParts } from "./refresh";
import { Runs } from "./runs";
import { Scans } from "./scans";
import type { Urgency } from "./schedule";
import { findSiblings } from "./siblings";
import { Surroundings } from "./surroundings";
import { UnparsedLists } from "./unparsedLists";
import type { WatchFolder } from "./watch";
import { indexPool, inspectShards, type Work, type WorkAnswer } from "./work";

export interface SyncOptions {
  readonly catalogue: Catalogue;
  readonly directory: ShardDirectory;
  /** Builds and everything else that may take long. */
  readonly pool: Pool<Work, WorkAnswer>;
  /** One thread for working trees, so that a saved file does not wait for a build; `pool` where absent. */
  readonly quickPool?: Pool<Work, WorkAnswer>;
  /** What is not said is as usual. */
  readonly wanted: Partial<SyncChoice>;
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  readonly log: Log;
  readonly clock?: Clock;
  /** False for a command that indexes once and ends. */
  readonly watches: boolean;
  readonly watchFolder?: WatchFolder;
  readonly onOverlay: (repositoryId: number, overlay: Overlay | undefined) => void;
}

/** Whoever has started the process listens and answers first. */
const startDelayMs = 100;
/** New repositories under a remembered PATH are found within this time, also where no folder's time tells. */
const scanMs = 300_000;
/** The time for finding clones next to open folders. */
const siblingsMs = 1000;

export class Sync {
  readonly #options: SyncOptions;
  readonly #clock: Clock;
  readonly #parts: RefreshParts;
  readonly #unparsed: UnparsedLists;
  readonly #runs: Runs;
  readonly #firstRuns: FirstRuns;
  readonly #scans: Scans;
  readonly #surroundings: Surroundings;
  readonly #closing = new AbortController();
  #start: NodeJS.Timeout | undefined;
  #cancelScan: (() => void) | undefined;
  #choice: SyncChoice;

  constructor(options: SyncOptions) {
    const { catalogue, directory, pool, quickPool = pool, wanted, clock = systemClock, onOverlay } = options;
    this.#options = options;
    this.#clock = clock;
    const indexer = new Indexer(indexPool(pool), directory);
    this.#choice = { ...usualChoice, ...wanted };
    this.#parts = {
      catalogue,
      directory,
      indexer,
      pool: quickPool,
      wanted: () => this.#choice,
      clock,
      onOverlay,
    };
    this.#unparsed = new UnparsedLists(directory, quickPool);
    const { hosts, log, watches } = options;
    this.#runs = new Runs({
      parts: this.#parts,
      limit: limitOf(pool),
      log,
      watches,
      watchFolder: options.watchFolder,
      onForgotten: (repository) => this.#forget([repository]),
    });
    this.#scans = new Scans({
      catalogue,
      hosts,
      choice: () => this.#choice,
      log,
      onLooked: (path, around) => {
        if (watches) this.#surroundings.set(path, around);
      },
      onGone: (gone) => this.#forget(gone),
    });
    this.#surroundings = new Surroundings(clock, (path) => void this.#scanOne(path));
    this.#firstRuns = new FirstRuns({
      parts: this.#parts,
      pool,
      log,
      signal: this.#closing.signal,
      onEnd: (id) => this.refresh(id, "asked"),
    });
  }

  /** Queues all that is known, then looks through the remembered PATHs. Returns at once. */
  start(): void {
    // Until that has been looked at, changes may have been missed.
    const end = this.#scans.begin();
    this.#start = setTimeout(() => {
      this.#forgetUnknownManifests();
      this.#refreshAll(this.#options.catalogue.all(), "due");
      void this.#scanAll().finally(end);
    }, startDelayMs);
  }

  /**
   * Looks through PATHs and remembers them. Gives the repositories found, queued for indexing. Throws NOT_FOUND for a
   * path that is no folder; the ones before it are remembered. `areOpen`: an editor has them open (`Scans`).
   */
  async addPaths(
    paths: readonly string[],
    signal: AbortSignal,
    areOpen = false,
  ): Promise<readonly Repository[]> {
    const found: Repository[] = [];
    const either = AbortSignal.any([signal, this.#closing.signal]);
    for (const path of paths) {
      const repositories = await (areOpen
        ? this.#scans.addOpen(path, either)
        : this.#scans.add(path, either));
      this.#options.log.info(`Found ${repositories.length} repositories in ${path}.`);
      this.#refreshAll(repositories, "asked");
      found.push(...repositories);
    }
    return found;
  }

  /** Forgets PATHs, or what lies at them, and the index of that; gives the repositories forgotten. */
  async removePaths(paths: readonly string[]): Promise<readonly Repository[]> {
    const forgotten: Repository[] = [];
    for (const path of paths) {
      const real = existsSync(path) ? realpathSync(path) : path;
      const names = real === path ? [path] : [real, path];
      for (const name of names) {
        this.#surroundings.forget(name);
        forgotten.push(...this.#options.catalogue.forgetPath(name));
      }
    }
    await this.#forget(forgotten);
    return forgotten;
  }

  /** Forgets these repositories alone, whatever else lies in their folders. */
  async removeRepositories(ids: readonly RepositoryId[]): Promise<void> {
    const known = ids.flatMap((id) => this.#options.catalogue.get(id) ?? []);
    for (const { id } of known) this.#options.catalogue.forgetRepository(id);
    await this.#forget(known);
  }

  /** Queues the building anew of what is indexed of these repositories; until that is done the old index serves. */
  reindex(ids: readonly RepositoryId[]): void {
    for (const id of ids) {
      this.#options.catalogue.update(id, { state: "queued" });
      this.#runs.rebuild(id, "asked");
    }
  }

  /** Clones next to these folders that are not known yet, with the names that they would have. */
  async siblings(folders: readonly string[], signal: AbortSignal) {
    const { catalogue, hosts } = this.#options;
    const { siblings, isComplete } = await findSiblings(folders, siblingsMs, signal);
    const unknown = siblings.flatMap(({ repository, objectBytes }) => {
      const facts = factsOf(repository, hosts);
      if (catalogue.knows(facts)) return [];
      return { path: facts.path, name: catalogue.nameFor(facts), sizeBytes: objectBytes };
    });
    return { repositories: unknown.sort((left, right) => (left.name < right.name ? -1 : 1)), isComplete };
  }

  /** From now on this is wanted; what that changes is indexed again, looked for, or forgotten. */
  configure(choice: SyncChoice): void {
    const before = this.#choice;
    this.#choice = choice;
    this.#runs.limit(limitOf(this.#options.pool));
    if (this.#start === undefined) return;
    if (!isSameScan(before, choice)) void this.#scanAll(true);
    if (!isSameIndex(before, choice)) this.#refreshAll(this.#options.catalogue.all(), "due");
  }

  get isPaused(): boolean {
    return this.#runs.isPaused;
  }

  /** While paused, runs that have begun go on to their end, and everything else waits. */
  pause(isPaused: boolean): void {
    this.#runs.pause(isPaused);
    this.#firstRuns.pause(isPaused);
  }

  /** Queues a look at one repository: its refs, and all of its working tree. */
  refresh(id: RepositoryId, urgency: Urgency = "asked"): void {
    this.#runs.refresh(id, urgency);
  }

  #refreshAll(repositories: readonly Repository[], urgency: Urgency): void {
    for (const { id } of this.#firstRuns.take(repositories)) this.refresh(id, urgency);
  }

  /** See `Runs`. */
  bringRevision(
    id: RepositoryId,
    name: string,
    timeMs: number,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    return this.#runs.bringRevision(id, name, timeMs, signal);
  }

  /** Shard files do not hold what they should: what they held is built anew. */
  rebuild(damagedFiles: readonly string[]): void {
    for (const { repositoryId, segments } of this.#options.directory.manifests().values()) {
      if (!segments.some(({ file }) => damagedFiles.includes(file))) continue;
      const id = repositoryId as RepositoryId;
      this.#options.catalogue.update(id, { state: "stale" });
      this.#runs.rebuild(id, "changed");
    }
  }

  /** Whether a run of this repository goes on. */
  isRunning(id: RepositoryId): boolean {
    return this.#runs.isRunning(id);
  }

  /** Whether nothing is queued, running or being looked through. */
  get isIdle(): boolean {
    return this.#scans.isIdle && this.#firstRuns.isIdle && this.#runs.isIdle;
  }

  /** Whether nothing goes on and nothing will by itself: idle, or paused with work that waits. */
  get isAtRest(): boolean {
    const isWaiting = this.isPaused && !this.#firstRuns.hasRunning && !this.#runs.hasRunning;
    return this.isIdle || (this.#scans.isIdle && isWaiting);
  }

  async idle(): Promise<void> {
    while (!this.isIdle) {
      if (!this.#scans.isIdle) await this.#scans.idle();
      else if (!this.#firstRuns.isIdle) await this.#firstRuns.idle();
      else await this.#runs.idle();
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

  /** Documents of a repository whose code could not be parsed, by path; none for an unknown repository. */
  async unparsed(id: RepositoryId, signal: AbortSignal): Promise<readonly UnparsedDocument[]> {
    return await this.#unparsed.of(id, signal);
  }

  /** See `Runs`. */
  isPolled(id: RepositoryId): boolean {
    return this.#runs.isPolled(id);
  }

  /** Stops what runs, and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#start);
    this.#cancelScan?.();
    this.#surroundings.close();
    await this.#firstRuns.idle();
    await this.#runs.close();
  }

  async #scanAll(isOtherChoice = false): Promise<void> {
    this.#cancelScan?.();
    const { signal } = this.#closing;
    try {
      await (isOtherChoice
        ? this.#scans.again(signal, this.#onFound)
        : this.#scans.all(signal, this.#onFound));
    } catch (error) {
      this.#options.log.error("Looking for repositories failed.", { error });
    }
    if (!this.#options.watches || signal.aborted) return;
    this.#cancelScan?.();
    this.#cancelScan = this.#clock.after(scanMs, () => void this.#scanAll());
  }

  async #scanOne(path: string): Promise<void> {
    if (!this.#options.catalogue.paths.includes(path)) return;
    await this.#scans.one(path, this.#closing.signal, this.#onFound).catch((error: unknown) => {
      this.#options.log.error("Looking for repositories failed.", { error });
    });
  }

  readonly #onFound = (found: readonly Repository[]): void => {
    const fresh = found.filter(({ state }) => state === "queued");
    this.#refreshAll(fresh, "due");
  };

  /** The catalogue has forgotten them already. */
  async #forget(repositories: readonly Repository[]): Promise<void> {
    for (const { id } of repositories) {
      this.#runs.drop(id);
      this.#firstRuns.drop(id);
      this.#options.onOverlay(id, undefined);
    }
    const { log, directory } = this.#options;
    for (const { name } of repositories) log.info(`${name} is forgotten.`);
    if (repositories.length > 0) await directory.removeAll(repositories.map(({ id }) => id));
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

/** One more than there are workers: while they are busy, refs of others are read. */
function limitOf({ size }: Pool<Work, WorkAnswer>): number {
  return size + 1;
}
