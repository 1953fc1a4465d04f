/** Clones and fetches mirrors when they are due, and has those indexed that have changed. */
import { existsSync } from "node:fs";
import { isServiceError, ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import { hasRoomForClones, packBytes } from "#git/mirror/diskSpace";
import { compactMirror } from "#git/mirror/maintenance";
import { updateMirror } from "#git/mirror/mirror";
import type { CodeHost } from "#hosts/codeHost";
import { MissingEditorToken } from "#hosts/editorTokens";
import { connectionOf, fingerprintOf, type HoldingConnection } from "#mirrors/applyListing";
import type { MirrorConnection } from "#mirrors/connection";
import { dayMs } from "#mirrors/holding";
import type { FetchRecord, MirrorRecord } from "#mirrors/mirrorRecord";
import { pollDelay } from "#mirrors/pollInterval";
import type { MirrorState } from "#mirrors/state";
import type { Repository, RepositoryId } from "#model/repository";
import type { Clock } from "#platform/clock";
import type { Files } from "#platform/files";
import type { Log } from "#platform/log";
import { maxDelayMs } from "#platform/timeLimit";
import { FetchQueue } from "./fetchQueue";
import { openRemote } from "./gitRemote";
import type { MirrorCatalog } from "./mirrorCatalog";

export interface MirrorFetchesOptions {
  readonly state: MirrorState;
  readonly mirrors: MirrorCatalog;
  readonly catalog: Catalog;
  /** The folder of the mirrors. */
  readonly folder: string;
  /** The folder of git's credential helper. */
  readonly helperFolder: string;
  readonly connections: () => Readonly<Record<string, MirrorConnection>>;
  readonly hostOf: (name: string) => CodeHost;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns numbers from 0 to 1. */
  readonly random: () => number;
  /** Whether the index of a mirror was built from its current refs. */
  readonly isIndexCurrent: (repository: Repository) => Promise<boolean>;
  /** Indexes a mirror that has changed. */
  readonly index: (id: RepositoryId) => void;
}

export interface FetchStatistics {
  readonly waitingClones: number;
  readonly waitingFetches: number;
  readonly running: number;
  /** How many clones and fetches have ended. */
  readonly ended: Readonly<Record<FetchResult, number>>;
  /** How long the oldest change that was fetched has been waiting to be indexed. */
  readonly indexLagMs: number;
}

type FetchResult = "changed" | "unchanged" | "failed";

/** How many git processes may use the network at once. */
const maxProcesses = 8;
/** By how much a mirror may exceed the limit, because hosts only estimate sizes, and fetches add duplicates. */
const sizeTolerance = 1.5;
/** How long to wait for further hints of webhooks. */
export const hintDelayMs = 2000;
/** The shortest time between fetches that webhooks request although the last one found nothing. */
const idleHintMs = 10_000;
/** How long webhooks of a mirror are trusted after the last one. */
const hintTrustMs = 7 * dayMs;
const baseTimeoutMs = 600_000;
const timeoutMsPerByte = 60_000 / 100e6;

export class MirrorFetches {
  readonly #options: MirrorFetchesOptions;
  readonly #queue = new FetchQueue(
    maxProcesses,
    (number) => this.#run(number),
    () => {
      if (this.#hasStarted) this.schedule();
    },
  );
  readonly #running = new Map<
    number,
    { readonly controller: AbortController; readonly ended: Promise<void> }
  >();
  readonly #ended: Record<FetchResult, number> = { changed: 0, unchanged: 0, failed: 0 };
  /** Mirrors whose token no connected editor has. */
  readonly #waitingForToken = new Set<number>();
  /** Until when hints about a mirror wait, because the fetch that earlier ones led to has found nothing. */
  readonly #idleUntil = new Map<number, number>();
  /** Mirrors whose index is not current, and since when that is known. */
  readonly #unindexed = new Map<RepositoryId, number>();
  #cancelTimer: (() => void) | undefined;
  #cancelHint: (() => void) | undefined;
  #hasStarted = false;
  #isPaused = false;
  #isClosed = false;

  constructor(options: MirrorFetchesOptions) {
    this.#options = options;
  }

  /**
   * From now on, queues mirrors whenever they become due. Spreads what became due while no process served, so that it
   * does not start all at once, with mirrors whose webhooks may have been missed and whose lists do not show changes.
   */
  start(): void {
    this.#hasStarted = true;
    const { state, clock, random } = this.#options;
    const now = clock.now();
    for (const mirror of state.mirrors) {
      const connection = this.#connectionOf(mirror);
      const { fetches, repository } = mirror;
      if (connection === undefined || fetches.fetchedAt === undefined) continue;
      const reliesOnWebhooks = fetches.hintedAt !== undefined && fingerprintOf(repository) === undefined;
      const soon = now + random() * connection.settings.sync.fetchMin;
      if (fetches.nextAt <= now || (reliesOnWebhooks && fetches.nextAt > soon))
        state.put({ ...mirror, fetches: { ...fetches, nextAt: soon } });
    }
  }

  /** Queues all mirrors that are due and, once started, waits for the next one. */
  schedule(): void {
    this.#cancelTimer?.();
    if (this.#isClosed) return;
    const { state, mirrors, clock } = this.#options;
    const now = clock.now();
    let earliest = Number.POSITIVE_INFINITY;
    for (const mirror of state.mirrors) {
      const connection = this.#connectionOf(mirror);
      if (connection === undefined || mirrors.idOf(mirror.number) === undefined) continue;
      if (mirror.fetches.nextAt > now) earliest = Math.min(earliest, mirror.fetches.nextAt);
      else if (!this.#queue.has(mirror.number)) {
        const { url, number, repository } = mirror;
        const { gitConcurrency } = connection.settings.sync;
        const isClone = !existsSync(state.pathOf(mirror));
        const sizeBytes = repository.sizeBytes ?? 0;
        this.#queue.add({ number, host: url, hostLimit: gitConcurrency, isClone, sizeBytes });
      }
    }
    if (earliest === Number.POSITIVE_INFINITY || !this.#hasStarted) return;
    this.#cancelTimer = clock.after(Math.min(earliest - now, maxDelayMs), () => this.schedule());
  }

  /** Applies changed settings of connections, and cancels fetches of mirrors that no connection includes now. */
  async reconsider(changed: ReadonlySet<string>): Promise<void> {
    const { state } = this.#options;
    for (const { number } of state.mirrors) {
      // It may have changed while others were stopped.
      const mirror = state.get(number);
      if (mirror === undefined) continue;
      const connection = this.#connectionOf(mirror);
      if (connection === undefined) await this.stop(number);
      else if (changed.has(connection.name)) this.#onceEnded(number, () => this.#reschedule(number));
    }
    this.schedule();
  }

  /** Calls `change` once a fetch that began before, and may use other settings or another token, has ended. */
  #onceEnded(number: number, change: () => void): void {
    const running = this.#running.get(number);
    if (running === undefined) change();
    else void running.ended.then(change);
  }

  #reschedule(number: number): void {
    const { state, clock, random } = this.#options;
    const mirror = state.get(number);
    const connection = mirror && this.#connectionOf(mirror);
    if (mirror === undefined || connection === undefined) return;
    const { fetches } = mirror;
    const now = clock.now();
    const ageMs = now - (fetches.changedAt ?? now);
    const delayMs = pollDelay(limitsOf(connection.settings), { ageMs, failures: 0 }, random());
    // The change may be what makes it work.
    const nextAt = fetches.failures > 0 ? now : Math.min(fetches.nextAt, now + delayMs);
    state.put({ ...mirror, fetches: { ...fetches, nextAt } });
  }

  /** Fetches a mirror soon, because a webhook says that it has changed. Several such hints lead to one fetch. */
  hint(mirror: MirrorRecord): void {
    const { state, clock } = this.#options;
    const { fetches } = mirror;
    const now = clock.now();
    const nextAt = Math.min(
      fetches.nextAt,
      Math.max(now + hintDelayMs, this.#idleUntil.get(mirror.number) ?? 0),
    );
    state.put({ ...mirror, fetches: { ...fetches, hintedAt: now, nextAt } });
    if (this.#hasStarted)
      this.#cancelHint ??= clock.after(hintDelayMs, () => {
        this.#cancelHint = undefined;
        this.schedule();
      });
  }

  /** Fetches again what has been waiting for the token of a connection, and what has failed. */
  retry(connection: string): void {
    for (const mirror of this.#options.state.mirrors) {
      const { number } = mirror;
      if (this.#connectionOf(mirror)?.name === connection)
        this.#onceEnded(number, () => this.#retryMirror(number));
    }
    if (this.#hasStarted) this.schedule();
  }

  #retryMirror(number: number): void {
    const { state, clock } = this.#options;
    const mirror = state.get(number);
    if (mirror === undefined) return;
    if (!this.#waitingForToken.delete(number) && mirror.fetches.failures === 0) return;
    state.put({ ...mirror, fetches: { ...mirror.fetches, nextAt: clock.now() } });
  }

  isWaitingForToken(number: number): boolean {
    return this.#waitingForToken.has(number);
  }

  /** Cancels the fetch of a mirror, and waits for it to end. */
  async stop(number: number): Promise<void> {
    this.#queue.drop(number);
    const run = this.#running.get(number);
    run?.controller.abort();
    await run?.ended;
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#queue.setPaused(isPaused);
  }

  /** Whether nothing runs or waits; what waits does not count while it is paused. */
  get isSettled(): boolean {
    const { waitingClones, waitingFetches, running } = this.#queue.counts;
    return running === 0 && (waitingClones + waitingFetches === 0 || this.#isPaused);
  }

  /** Notes that the index of a repository is current. */
  indexed(id: RepositoryId): void {
    this.#unindexed.delete(id);
  }

  get statistics(): FetchStatistics {
    const { catalog, clock } = this.#options;
    const now = clock.now();
    let indexLagMs = 0;
    for (const [id, since] of this.#unindexed) {
      if (catalog.get(id) === undefined) this.#unindexed.delete(id);
      else indexLagMs = Math.max(indexLagMs, now - since);
    }
    return { ...this.#queue.counts, ended: { ...this.#ended }, indexLagMs };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#cancelHint?.();
    for (const { controller } of this.#running.values()) controller.abort();
    await this.#queue.close();
  }

  #connectionOf(mirror: MirrorRecord): HoldingConnection | undefined {
    return connectionOf(mirror, this.#options.connections());
  }
  /** Never rejects: an error is recorded as the state of the mirror. */
  async #run(number: number): Promise<void> {
    const { state, mirrors } = this.#options;
    const mirror = state.get(number);
    const connection = mirror === undefined ? undefined : this.#connectionOf(mirror);
    const id = mirrors.idOf(number);
    if (mirror === undefined || connection === undefined || id === undefined) return;
    const controller = new AbortController();
    const ended = this.#update(mirror, id, connection, controller.signal)
      .catch((error: unknown) => {
        if (error instanceof MissingEditorToken) this.#waitForToken(number, connection.settings);
        else if (!isServiceError(error, "CANCELLED"))
          this.#recordFailure(number, id, connection.settings, error);
      })
      .then(() => this.#indexIfChanged(number, id));
    this.#running.set(number, { controller, ended });
    await ended;
    this.#running.delete(number);
  }

  /** That no editor is open is no failure of the mirror. */
  #waitForToken(number: number, { sync }: MirrorConnection): void {
    const { state, clock } = this.#options;
    const mirror = state.get(number);
    if (mirror === undefined) return;
    this.#waitingForToken.add(number);
    state.put({ ...mirror, fetches: { ...mirror.fetches, nextAt: clock.now() + sync.fetchMin } });
  }

  async #update(
    mirror: MirrorRecord,
    id: RepositoryId,
    { name, settings }: { readonly name: string; readonly settings: MirrorConnection },
    signal: AbortSignal,
  ): Promise<void> {
    const { state, catalog, mirrors, folder, helperFolder, hostOf, files, clock, random } = this.#options;
    const { repository } = mirror;
    const startedAt = clock.now();
    // Opened before anything is awaited, so that it has the same settings.
    const host = hostOf(name);
    const path = state.pathOf(mirror);
    const isClone = !existsSync(path);
    const remote = await openRemote(repository.cloneUrl, settings, host, signal);
    this.#waitingForToken.delete(mirror.number);
    if (isClone) {
      await this.#checkSpace(mirror, name, settings);
      catalog.update(id, { state: "cloning", progress: 0, lastError: undefined });
    }
    const sizeBytes = Math.max(repository.sizeBytes ?? 0, mirror.fetches.bytes ?? 0);
    const { hasMoved } = await updateMirror(path, remote, {
      files,
      helperFolder,
      homeFolder: folder,
      defaultBranch: repository.defaultBranch,
      depth: settings.history === "full" ? undefined : settings.history.depth,
      maxBytes: settings.limits.oneRepositoryBytes * sizeTolerance,
      timeoutMs: baseTimeoutMs + sizeBytes * timeoutMsPerByte,
      signal,
    });
    if (hasMoved && !isClone) await compactMirror(path, { homeFolder: folder, signal });
    const now = clock.now();
    const bytes = await packBytes(path);
    const current = state.get(mirror.number);
    // It may have been hidden meanwhile, for example because there is a clone of it now.
    if (current === undefined || mirrors.idOf(mirror.number) !== id) return;
    const changedAt = hasMoved
      ? Math.min(now, (isClone ? repository.pushedAt : undefined) ?? now)
      : current.fetches.changedAt;
    const fingerprint = fingerprintOf(repository);
    const hintedAt = trustedHint(current.fetches, settings, hasMoved && !isClone, now);
    // As long as webhooks report changes, polling only finds those whose webhook was lost.
    const ageMs = hintedAt === undefined ? now - (changedAt ?? now) : Number.POSITIVE_INFINITY;
    const isHintedMeanwhile = hintedAt !== undefined && hintedAt >= startedAt;
    const isIdle = !hasMoved && (mirror.fetches.hintedAt ?? 0) > (mirror.fetches.fetchedAt ?? 0);
    if (isIdle) this.#idleUntil.set(mirror.number, now + idleHintMs);
    else this.#idleUntil.delete(mirror.number);
    const delayMs = isHintedMeanwhile
      ? isIdle
        ? idleHintMs
        : hintDelayMs
      : pollDelay(limitsOf(settings), { ageMs, failures: 0 }, random());
    // A list that was read meanwhile may say that there is more to fetch.
    const isRequested = current.fetches.nextAt !== mirror.fetches.nextAt;
    const fetches: FetchRecord = {
      fetchedAt: now,
      nextAt: Math.min(now + delayMs, isRequested ? current.fetches.nextAt : Number.POSITIVE_INFINITY),
      failures: 0,
      bytes,
      ...(changedAt === undefined ? {} : { changedAt }),
      ...(hintedAt === undefined ? {} : { hintedAt: isHintedMeanwhile ? now : hintedAt }),
      ...(fingerprint === undefined ? {} : { fingerprint }),
    };
    const updated = { ...current, fetches };
    state.put(updated);
    // A damaged mirror may have been replaced by a fresh clone.
    if (!state.isDescribed(updated)) state.describe(updated);
    if (isClone) catalog.update(id, { state: "queued", progress: undefined, lastError: undefined });
    mirrors.showProblem(updated);
    this.#ended[hasMoved ? "changed" : "unchanged"]++;
  }

  /**
   * Indexes a mirror if its refs differ from those that are indexed. A failed fetch may have changed some, too, and an
   * earlier fetch may have been interrupted before its changes were indexed.
   */
  async #indexIfChanged(number: number, id: RepositoryId): Promise<void> {
    const { state, catalog, mirrors, clock, isIndexCurrent, index } = this.#options;
    const mirror = state.get(number);
    const repository = catalog.get(id);
    if (this.#isClosed || mirror === undefined || repository === undefined) return;
    if (mirrors.idOf(number) !== id || !existsSync(state.pathOf(mirror))) return;
    // A run of the index reports why refs cannot be read.
    if (await isIndexCurrent(repository).catch(() => false)) return;
    if (!this.#unindexed.has(id)) this.#unindexed.set(id, clock.now());
    index(id);
  }

  async #checkSpace(
    { number, repository }: MirrorRecord,
    connection: string,
    { history, limits: { oneRepositoryBytes, diskBytes = Number.POSITIVE_INFINITY } }: MirrorConnection,
  ): Promise<void> {
    // Without history, a mirror is much smaller than what the host states.
    const sizeBytes = history === "full" ? (repository.sizeBytes ?? 0) : 0;
    if (sizeBytes > oneRepositoryBytes)
      throw new ServiceError(
        "ANSWER_TOO_LARGE",
        `It has ${sizeBytes} bytes, more than the limit of ${oneRepositoryBytes} (limits.oneRepositoryBytes).`,
      );
    const others = this.#options.state.mirrors.filter(
      (each) => each.number !== number && Object.hasOwn(each.holdings, connection),
    );
    const usedBytes = others.reduce((sum, each) => sum + this.#bytesOf(each), 0);
    if (usedBytes >= diskBytes || usedBytes + sizeBytes > diskBytes)
      throw new ServiceError(
        "STORAGE_FAILED",
        `The mirrors of connection "${connection}" have ${usedBytes} bytes, and their limit is ${diskBytes} (limits.diskBytes).`,
      );
    if (!(await hasRoomForClones(this.#options.folder)))
      throw new ServiceError("STORAGE_FAILED", "The disk has too little free space to clone more.");
  }

  /** Returns the size of a mirror on disk; what the host says while it is being cloned. */
  #bytesOf({ number, fetches, repository }: MirrorRecord): number {
    return fetches.bytes ?? (this.#running.has(number) ? repository.sizeBytes : 0) ?? 0;
  }

  #recordFailure(number: number, id: RepositoryId, settings: MirrorConnection, error: unknown): void {
    const { state, catalog, mirrors, clock, log, random } = this.#options;
    const mirror = state.get(number);
    if (mirror === undefined || mirrors.idOf(number) !== id) return;
    this.#ended.failed++;
    const failures = mirror.fetches.failures + 1;
    const reason = error instanceof Error ? error.message : String(error);
    // All who see the repository see this, but not where this server keeps its secrets.
    const lastError = isServiceError(error, "USAGE")
      ? "The credentials of its connection cannot be read. The log of the server says why."
      : reason;
    const delayMs = pollDelay(limitsOf(settings), { ageMs: 0, failures }, random());
    const failed = {
      ...mirror,
      fetches: { ...mirror.fetches, failures, lastError, nextAt: clock.now() + delayMs },
    };
    state.put(failed);
    const isCloned = existsSync(state.pathOf(mirror));
    const name = catalog.get(id)?.name ?? mirror.repository.path;
    if (isCloned) mirrors.showProblem(failed);
    else catalog.update(id, { state: "failed", progress: undefined, lastError });
    const what = isCloned ? "fetched" : "cloned";
    if (isServiceError(error)) log.warn(`${name} could not be ${what}: ${reason}`);
    else log.error(`${name} could not be ${what} because of a defect.`, { error });
  }
}

/** Returns the time of the last hint, unless it is long ago, or a change was just found that no hint had reported. */
function trustedHint(
  { hintedAt, fetchedAt = 0 }: FetchRecord,
  { webhook }: MirrorConnection,
  hasMoved: boolean,
  now: number,
): number | undefined {
  if (hintedAt === undefined || webhook === undefined || now - hintedAt > hintTrustMs) return undefined;
  return hasMoved && hintedAt < fetchedAt ? undefined : hintedAt;
}

function limitsOf({ sync }: MirrorConnection): { readonly fetchMinMs: number; readonly fetchMaxMs: number } {
  return { fetchMinMs: sync.fetchMin, fetchMaxMs: sync.fetchMax };
}
