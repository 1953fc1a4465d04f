/** What goes on with each repository while the process lives: its runs, its watch, and what waits for the next run. */
import { isServiceError } from "#base/error";
import type { BytePath } from "#git/bytePath";
import { findPlace, type GitPlace } from "#git/place";
import type { Repository, RepositoryId } from "#model/repository";
import type { Log } from "#platform/log";
import { TimeLimit } from "#platform/timeLimit";
import { FolderPoll } from "./folderPoll";
import { type RefreshParts, refresh } from "./refresh";
import { Schedule, type Urgency } from "./schedule";
import { RepositoryWatch, type WatchEvents, type WatchFolder, type WatchMeans, watchFolder } from "./watch";

export interface RunsOptions {
  readonly parts: RefreshParts;
  /** Runs at once. */
  readonly limit: number;
  readonly log: Log;
  readonly watches: boolean;
  readonly watchFolder?: WatchFolder | undefined;
  /** A repository was forgotten while it ran: what it has published goes too. */
  readonly onForgotten: (repository: Repository) => Promise<void>;
}

/** What is remembered of a repository. */
interface Live {
  watch?: RepositoryWatch;
  /** Paths that differ from the default revision. */
  differing: readonly BytePath[];
  /** Gathered for the next run. */
  anew: boolean;
  everything: boolean;
  tracked: boolean;
  paths: Set<BytePath>;
  /** Revisions that somebody searched, the last one last. */
  asked: string[];
  /** Of those: how many wait for each. */
  readonly wanted: Map<string, number>;
  /** Told when the next run has ended. */
  waiters: (() => void)[];
  cancelRetry?: () => void;
  run?: Run;
}

/** A run that goes on. */
interface Run {
  readonly controller: AbortController;
  /** Revisions that are only indexed because somebody searched them. */
  readonly asked: readonly string[];
  /** Whether it builds all shards: what it has done so far would be lost. */
  readonly isFirst: boolean;
}

/** A repository that failed is tried again so much later, and where watching is not complete, looked at again. */
const retryMs = 60_000;
const pollMs = 10_000;
/** A look takes at most one part in so many of the time. */
const pollShare = 20;
/** Revisions of one repository that are indexed because somebody searched them. */
const maxAskedRevisions = 8;

export class Runs {
  readonly #options: RunsOptions;
  readonly #schedule: Schedule;
  readonly #watchMeans: WatchMeans;
  readonly #live = new Map<RepositoryId, Live>();
  /** Those in which not every folder can be watched. */
  readonly #polled = new Set<RepositoryId>();
  readonly #closing = new AbortController();

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options.limit, (id) => this.#run(id));
    const poll = new FolderPoll(options.parts.clock);
    this.#watchMeans = { watchFolder: options.watchFolder ?? watchFolder, poll };
  }

  /** Queues a look at one repository: its refs, and all of its working tree. */
  refresh(id: RepositoryId, urgency: Urgency): void {
    this.#liveOf(id).everything = true;
    this.#schedule.add(id, urgency);
  }

  /** Queues the building anew of all its shards. */
  rebuild(id: RepositoryId, urgency: Urgency): void {
    this.#liveOf(id).anew = true;
    this.refresh(id, urgency);
  }

  /**
   * Indexes a revision besides those that always are, for as long as no eight others are asked for. Gives whether it
   * is indexed now; `undefined` where that takes longer than `timeMs` (it goes on), or indexing is paused. Where
   * everybody who waits for it gives it up, it is not indexed.
   */
  async bringRevision(
    id: RepositoryId,
    name: string,
    timeMs: number,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    if (this.#schedule.isPaused) return undefined;
    const live = this.#liveOf(id);
    live.asked = [...live.asked.filter((other) => other !== name), name].slice(-maxAskedRevisions);
    live.wanted.set(name, (live.wanted.get(name) ?? 0) + 1);
    const { directory } = this.#options.parts;
    const isIndexed = () => directory.manifest(id)?.revisions.some((each) => each.name === name) === true;
    const limit = new TimeLimit(signal, timeMs);
    const over = limit.signal;
    try {
      // A run that goes on may have begun before: the one behind it counts.
      for (let runs = this.#schedule.isRunning(id) ? 2 : 1; runs > 0 && !over.aborted; runs--) {
        const ended = new Promise<void>((resolve) => {
          live.waiters.push(resolve);
          over.addEventListener("abort", () => resolve(), { once: true });
        });
        this.#schedule.add(id, "asked");
        await ended;
        if (isIndexed()) return true;
      }
      return over.aborted ? undefined : false;
    } finally {
      limit.end();
      const others = (live.wanted.get(name) ?? 1) - 1;
      if (others > 0) live.wanted.set(name, others);
      else live.wanted.delete(name);
      if (others === 0 && signal.aborted && !isIndexed()) this.#giveUp(id, live, name);
    }
  }

  /** Nobody waits for a revision any more: it is not indexed, and a run that does so begins anew without it. */
  #giveUp(id: RepositoryId, live: Live, name: string): void {
    live.asked = live.asked.filter((other) => other !== name);
    const { run } = live;
    if (run === undefined || run.isFirst || !run.asked.includes(name)) return;
    run.controller.abort();
    this.#schedule.add(id, "due");
  }

  /** While paused, runs that have begun go on to their end, and everything else waits. */
  pause(isPaused: boolean): void {
    this.#schedule.pause(isPaused);
  }

  get isPaused(): boolean {
    return this.#schedule.isPaused;
  }

  /** How many repositories are looked at together. */
  limit(count: number): void {
    this.#schedule.limit(count);
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
   * Whether not every folder of a repository can be watched: the others are asked for their times, and every few
   * seconds everything is looked at.
   */
  isPolled(id: RepositoryId): boolean {
    return this.#polled.has(id);
  }

  /** Stops what goes on with a repository. */
  drop(id: RepositoryId): void {
    this.#schedule.drop(id);
    const live = this.#live.get(id);
    live?.run?.controller.abort();
    live?.cancelRetry?.();
    live?.watch?.close();
    this.#live.delete(id);
    this.#polled.delete(id);
  }

  /** Stops what runs, and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const live of this.#live.values()) {
      live.cancelRetry?.();
      live.watch?.close();
    }
    this.#watchMeans.poll.close();
    await this.#schedule.close();
    this.#live.clear();
  }

  #liveOf(id: RepositoryId): Live {
    let live = this.#live.get(id);
    if (live === undefined) {
      live = {
        differing: [],
        anew: false,
        everything: false,
        tracked: false,
        paths: new Set(),
        asked: [],
        wanted: new Map(),
        waiters: [],
      };
      this.#live.set(id, live);
    }
    return live;
  }

  /** Never rejects: a failure is the repository's state. */
  async #run(id: RepositoryId): Promise<void> {
    const { parts, log, watches, onForgotten } = this.#options;
    const { catalogue, clock } = parts;
    const repository = catalogue.get(id);
    if (repository === undefined) return;
    const live = this.#liveOf(id);
    const request = {
      anew: live.anew,
      everything: live.everything,
      tracked: live.tracked,
      paths: [...live.paths],
      differing: live.differing,
      askedRevisions: live.asked,
    };
    const startedAt = clock.now();
    live.anew = false;
    live.everything = false;
    live.tracked = false;
    live.paths = new Set();
    live.cancelRetry?.();
    const controller = new AbortController();
    const isFirst = request.anew || parts.directory.manifest(id) === undefined;
    const run: Run = { controller, asked: request.askedRevisions, isFirst };
    live.run = run;
    const signal = AbortSignal.any([controller.signal, this.#closing.signal]);
    // What changes while the first look goes on must not be missed, so the watch begins before it.
    const place = repository.kind === "folder" ? undefined : findPlace(repository.path);
    if (live.watch === undefined && watches) this.#watch(repository, live, place);
    try {
      const result = await refresh(repository, { ...request, place }, parts, signal);
      live.differing = result.differing;
      if (result.isBuilt) log.info(`Indexed ${repository.name} in ${inSeconds(clock.now() - startedAt)}.`);
      // A file may have been saved between the look at it and the watch on its folder: look once more.
      if (result.folders !== undefined && live.watch?.setFolders(result.folders)) this.refresh(id, "due");
      if (live.watch?.isComplete === false) {
        this.#polled.add(id);
        // All repositories that are looked at again and again share their part of the time.
        const tookMs = clock.now() - startedAt;
        this.#again(id, live, Math.max(pollMs, pollShare * tookMs * this.#polled.size));
      } else this.#polled.delete(id);
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
      if (live.run === run) delete live.run;
      for (const tell of live.waiters.splice(0)) tell();
      if (catalogue.get(id) === undefined) await onForgotten(repository).catch(() => undefined);
    }
  }

  #again(id: RepositoryId, live: Live, delayMs: number): void {
    if (!this.#options.watches) return;
    live.cancelRetry = this.#options.parts.clock.after(delayMs, () => this.refresh(id, "due"));
  }

  #watch(repository: Repository, live: Live, place: GitPlace | undefined): void {
    const refFolders = place === undefined ? [] : [...new Set([place.gitDir, place.commonDir])];
    const root = repository.kind === "bare" ? {} : { root: repository.path };
    const index = place?.workTree === undefined ? {} : { gitDir: place.gitDir };
    live.watch = new RepositoryWatch({ ...root, ...index, refFolders }, this.#watchMeans, (events) =>
      this.#changed(repository.id, events),
    );
  }

  #changed(id: RepositoryId, { paths, everything, index }: WatchEvents): void {
    const live = this.#liveOf(id);
    live.everything ||= everything;
    live.tracked ||= index;
    for (const path of paths) live.paths.add(path);
    this.#schedule.add(id, "changed");
  }
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
