/**
 * Mirrors the repositories of code hosts: lists each connection from time to time, and keeps the mirrors and the catalog
 * current. Only the leader has one, and only while it serves it clones and fetches.
 */
import { existsSync, realpathSync } from "node:fs";
import { canceled, isServiceError, ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import { sweepMirrors } from "#git/mirror/sweep";
import type { EditorTokens } from "#hosts/editorTokens";
import {
  applyListing,
  connectionOf,
  type KnownConnections,
  releaseUnconfigured,
} from "#mirrors/applyListing";
import { type HostAccess, hasSameSettings, type MirrorConnection } from "#mirrors/connection";
import { type ConnectionListing, listConnection } from "#mirrors/listConnection";
import type { ConnectionProblem, ConnectionRecord, MirrorRecord } from "#mirrors/mirrorRecord";
import { MirrorState, mirrorsFolder } from "#mirrors/state";
import { printState } from "#mirrors/stateFormat";
import { addMirrors } from "#mirrors/transfer";
import type { Repository, RepositoryId } from "#model/repository";
import type { Clock } from "#platform/clock";
import { diskFiles, type Files } from "#platform/files";
import type { Log } from "#platform/log";
import { maxDelayMs } from "#platform/timeLimit";
import { probeClone } from "./cloneProbe";
import { CodeHostRights, type CodeHostRightsOptions } from "./codeHostRights";
import { MirrorCatalog, problemOf } from "./mirrorCatalog";
import { type FetchStatistics, hintDelayMs, MirrorFetches } from "./mirrorFetches";
import { OpenHosts } from "./openHosts";
import { type UnfinishedHosts, unfinishedHosts } from "./unfinishedHosts";
import { Webhooks } from "./webhooks";

/** What the leader knows about code hosts. Without `users`, only the local user searches. */
export interface CodeHostsSetup<Connection extends MirrorConnection = MirrorConnection>
  extends HostAccess<Connection>,
    Partial<Pick<CodeHostRightsOptions, "users" | "hasClaim">> {
  readonly dataDir: string;
  readonly connections: Readonly<Record<string, Connection>>;
  readonly removals: KnownConnections["removals"];
  readonly addedNames?: readonly string[];
  /** The folder of git's credential helper. */
  readonly helperFolder: string;
  readonly files?: Files;
  readonly random?: () => number;
}

export interface CodeHostsOptions extends CodeHostsSetup {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the index of a mirror was built from its current refs. */
  readonly isIndexCurrent: (repository: Repository) => Promise<boolean>;
  readonly index: (id: RepositoryId) => void;
  readonly onRemoved: (repositories: readonly Repository[]) => Promise<void>;
}

export interface ConnectionStatus {
  readonly name: string;
  readonly settings: MirrorConnection;
  readonly record: ConnectionRecord;
  /** Whether it is being listed, or about to be. */
  readonly isListing: boolean;
  readonly mirrors: readonly MirrorRecord[];
}

interface RunningListing {
  readonly result: Promise<ConnectionListing | ConnectionProblem>;
  readonly controller: AbortController;
}

/** Delay before a connection is listed again after a failure; doubles with each. */
const retryMs = 60_000;
/** Delay of a listing that webhooks hint at, after the last listing. */
const hintPauseMs = 30_000;

export class CodeHosts {
  readonly #options: CodeHostsOptions;
  readonly #state: MirrorState;
  readonly #mirrors: MirrorCatalog;
  readonly #fetches: MirrorFetches;
  readonly webhooks: Webhooks;
  readonly rights: CodeHostRights;
  readonly #hosts: OpenHosts;
  readonly #listings = new Map<string, RunningListing>();
  readonly #timers = new Map<string, () => void>();
  readonly #closing = new AbortController();
  /** The mirrors that were visible after the last update. */
  #visible: ReadonlySet<number> | undefined;
  /** Connections at which a webhook hints while they are being listed, and when each was listed last. */
  readonly #hinted = new Set<string>();
  readonly #attemptedAt = new Map<string, number>();
  #known: KnownConnections;
  #updating: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void) | undefined;
  #isServing = false;

  /** Throws STORAGE_FAILED. */
  constructor(options: CodeHostsOptions) {
    this.#options = options;
    this.#known = options;
    const { files = diskFiles, catalog, clock, log, random = Math.random } = options;
    // Scans find the mirrors by their real paths.
    const dataDir = realpathSync(options.dataDir);
    const folder = mirrorsFolder(dataDir);
    files.mkdir(folder);
    sweepMirrors(folder, files);
    this.#state = new MirrorState({ dataDir, files, clock, log });
    const connections = () => this.#connections;
    this.#hosts = new OpenHosts((name) => options.openHost(name, this.#connectionOf(name)), log);
    this.#mirrors = new MirrorCatalog({ ...options, state: this.#state, known: () => this.#known });
    const { helperFolder, isIndexCurrent, index } = options;
    this.#fetches = new MirrorFetches({
      state: this.#state,
      mirrors: this.#mirrors,
      catalog,
      folder,
      helperFolder,
      connections,
      hostOf: (name) => this.#hosts.get(name),
      files,
      clock,
      log,
      random,
      isIndexCurrent,
      index,
    });
    this.rights = new CodeHostRights({
      ...{ users: async () => [], hasClaim: () => false },
      ...options,
      ...{ dataDir, files, random, state: this.#state, known: () => this.#known },
      mirrorAt: (path) => this.#state.at(path),
      mirrorsOfClone: (id) => this.#mirrors.mirrorsOfClone(id).flatMap((each) => this.#state.get(each) ?? []),
      isCompared: (id) => this.#mirrors.isCompared(id),
      hostOf: (name) => this.#hosts.get(name),
    });
    this.webhooks = new Webhooks({
      ...options,
      connections,
      state: this.#state,
      fetchSoon: (mirror) => this.#fetches.hint(mirror),
      listSoon: (name) => this.#listSoon(name),
    });
  }

  /** Lists what is due, and starts cloning and fetching. */
  start(): void {
    this.#isServing = true;
    this.#fetches.start();
    this.#unsubscribe = this.#options.catalog.onChange((event) => {
      if (this.#mirrors.isAffectedBy(event)) void this.#update();
    });
    void this.#update();
    for (const name of Object.keys(this.#connections)) this.#listLater(name);
    this.rights.start();
  }

  /**
   * Replaces the connections. Those that are new or changed are opened again and listed; the mirrors of those that are
   * gone are released.
   */
  async configure(known: KnownConnections): Promise<void> {
    const { connections } = known;
    const before = this.#connections;
    const all = [...new Set([...Object.keys(before), ...Object.keys(connections)])];
    const changed = all.filter((name) => !hasSameSettings(name, before, connections));
    this.#known = known;
    await Promise.all(changed.map((name) => this.#reset(name)));
    if (this.#isServing && !this.#closing.signal.aborted) this.rights.configure(changed);
    if (this.#closing.signal.aborted) return;
    const current = changed.filter((name) => Object.hasOwn(connections, name));
    for (const name of current)
      this.#state.putConnection(name, { ...this.#state.connection(name), nextListAt: 0, failures: 0 });
    await this.#update();
    await this.#fetches.reconsider(new Set(current));
    const isIndexedOtherwise = (name: string) =>
      JSON.stringify(before[name]?.revisions) !== JSON.stringify(connections[name]?.revisions);
    const names = current.filter(isIndexedOtherwise);
    this.#indexCloned(({ holdings }) => names.some((name) => Object.hasOwn(holdings, name)));
    if (this.#isServing) for (const name of current) this.#listLater(name);
  }

  /** Lists a connection now, and applies the result. */
  sync(name: string): Promise<ConnectionListing | ConnectionProblem> {
    const running = this.#listings.get(name);
    if (running !== undefined) return running.result;
    const controller = new AbortController();
    const result = this.#sync(name, controller.signal).finally(() => {
      if (this.#listings.get(name)?.controller === controller) this.#listings.delete(name);
      this.#attemptedAt.set(name, this.#options.clock.now());
      if (this.#hinted.delete(name)) this.#listSoon(name);
      if (this.#isServing) this.#listLater(name);
    });
    this.#listings.set(name, { result, controller });
    return result;
  }

  /**
   * Lists and fetches again what needs tokens that editors keep: what was waiting for those that have become available,
   * and everything for those that were replaced.
   */
  useTokens({ available, replaced }: Parameters<EditorTokens["onArrival"]>[0]): void {
    for (const [name, { token }] of Object.entries(this.#connections)) {
      const isReplaced = replaced.includes(token?.editor ?? "");
      if (!isReplaced && !available.includes(token?.editor ?? "")) continue;
      if (isReplaced || this.#state.connection(name).failures > 0) void this.#listAgain(name);
      this.#fetches.retry(name);
      this.rights.recheck(name);
    }
  }

  /** Lists a connection and returns what a sync would do. */
  async plan(name: string, caller: AbortSignal): Promise<ConnectionListing | ConnectionProblem> {
    const signal = AbortSignal.any([caller, this.#closing.signal]);
    const { helperFolder, dataDir } = this.#options;
    const [connection, host] = [this.#connectionOf(name), this.#hosts.get(name)];
    const listing = await this.#list(name, signal);
    const folder = mirrorsFolder(dataDir);
    return await probeClone(listing, { connection, host, helperFolder, folder, signal });
  }

  /** Accepts that repositories disappeared at once. Returns how many. */
  confirm(name: string): number {
    const { unconfirmedIds = [], confirmedIds = [], ...record } = this.#state.connection(name);
    if (unconfirmedIds.length === 0) return 0;
    this.#state.putConnection(name, { ...record, confirmedIds: [...confirmedIds, ...unconfirmedIds] });
    this.#state.flush();
    return unconfirmedIds.length;
  }

  /** Returns the state of all connections and mirrors, as text for a backup. */
  exportState(): { readonly text: string; readonly mirrorCount: number } {
    const { content } = this.#state;
    return { text: Buffer.from(printState(content)).toString(), mirrorCount: content.mirrors.length };
  }

  /** Adds what such a text contains (`addMirrors`). Returns the number of mirrors. */
  importState(text: string): number {
    const count = addMirrors(this.#state, text);
    if (this.#isServing) void this.#update();
    return count;
  }

  get statuses(): readonly ConnectionStatus[] {
    const all = this.#state.mirrors;
    return Object.entries(this.#connections).map(([name, settings]) => ({
      name,
      settings,
      record: this.#state.connection(name),
      isListing: this.#listings.has(name) || this.#isListingDue(name),
      mirrors: all.filter(({ holdings }) => Object.hasOwn(holdings, name)),
    }));
  }

  /** Whether a path is that of a mirror. */
  owns(path: string): boolean {
    return this.#state.owns(path);
  }

  /** Returns which branches and tags of a mirror are indexed; `undefined` for other repositories. */
  revisionsOf(path: string): MirrorConnection["revisions"] | undefined {
    const mirror = this.#state.at(path);
    return mirror && connectionOf(mirror, this.#connections)?.settings.revisions;
  }

  get unfinished(): UnfinishedHosts {
    return unfinishedHosts(this.#connections, this.#state, this.#mirrors, this.#fetches);
  }

  /** Clones and fetches what is due, once, in a process that does not serve. */
  fetchDue(): void {
    this.#fetches.schedule();
  }

  /** Whether nothing is cloned or fetched, or waits for that. Waiting does not count while it is paused. */
  get isSettled(): boolean {
    return this.#fetches.isSettled;
  }

  /** Returns why a mirror may be outdated or about to be removed. */
  problemOf(path: string): string | undefined {
    const mirror = this.#state.at(path);
    return mirror === undefined ? undefined : problemOf(mirror);
  }

  /** Notes that the index of a repository is current. */
  indexed(id: RepositoryId): void {
    this.#fetches.indexed(id);
  }

  get mirrors(): readonly MirrorRecord[] {
    return this.#state.mirrors;
  }

  get fetchStatistics(): FetchStatistics {
    return this.#fetches.statistics;
  }

  /** Returns the URL that a mirror is cloned from; `undefined` for other repositories. */
  cloneUrlOf(path: string): string | undefined {
    return this.#state.at(path)?.repository.cloneUrl;
  }

  setPaused(isPaused: boolean): void {
    this.#fetches.setPaused(isPaused);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe?.();
    for (const cancel of this.#timers.values()) cancel();
    await this.#fetches.close();
    const listings = [...this.#listings.values()].map(({ result }) => result);
    await Promise.allSettled([...listings, this.#updating, this.rights.close()]);
    await this.#hosts.close();
    this.#state.close();
  }

  /** Cancels what a connection does with its old settings. */
  async #reset(name: string): Promise<void> {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
    const running = this.#listings.get(name);
    running?.controller.abort();
    // From now on, the host is opened with the new settings.
    const close = this.#hosts.replace(name);
    await running?.result.catch(() => undefined);
    await close();
  }

  get #connections(): KnownConnections["connections"] {
    return this.#known.connections;
  }

  #connectionOf(name: string): MirrorConnection {
    const connection = Object.hasOwn(this.#connections, name) ? this.#connections[name] : undefined;
    if (connection !== undefined) return connection;
    throw new ServiceError("NOT_FOUND", `There is no connection "${name}" in the configuration.`);
  }

  #list(name: string, signal: AbortSignal): Promise<ConnectionListing | ConnectionProblem> {
    return listConnection({
      name,
      connection: this.#connectionOf(name),
      host: this.#hosts.get(name),
      select: this.#options.selectRepositories,
      state: this.#state,
      now: this.#options.clock.now(),
      signal,
    });
  }

  async #sync(name: string, reset: AbortSignal): Promise<ConnectionListing | ConnectionProblem> {
    const connection = this.#connectionOf(name);
    const { clock, log } = this.#options;
    const signal = AbortSignal.any([reset, this.#closing.signal]);
    let listing: ConnectionListing | ConnectionProblem;
    try {
      listing = await this.#list(name, signal);
      if (signal.aborted) throw canceled();
    } catch (error) {
      const wasReset = reset.aborted && isServiceError(error, "CANCELLED");
      if (wasReset && !this.#closing.signal.aborted)
        return { message: "The settings of the connection changed while it was listed." };
      throw error;
    }
    if ("message" in listing) {
      const before = this.#state.connection(name);
      const delayMs = Math.min(retryMs * 2 ** Math.min(before.failures, 30), connection.sync.listEvery);
      const nextListAt = clock.now() + delayMs;
      this.#state.putConnection(name, {
        ...before,
        failures: before.failures + 1,
        problems: [listing],
        nextListAt,
      });
      log.warn(`Connection "${name}" could not be listed: ${listing.message}`);
      return listing;
    }
    const removed = applyListing({ name, connection, listing, state: this.#state, now: clock.now() });
    this.#forget(removed);
    this.#state.flush();
    await this.#update(removed);
    for (const { scope, message } of listing.problems)
      log.warn(`Connection "${name}", ${scope ?? "all"}: ${message}`);
    if (listing.plan.unconfirmedIds !== undefined)
      log.warn(
        `${listing.plan.unconfirmedIds.length} repositories of connection "${name}" disappeared at once. Nothing is removed until you run "trawl hosts confirm ${name}".`,
      );
    return listing;
  }

  /** Forgets mirrors at once, so that a connection that lists their repositories meanwhile gets new ones. */
  #forget(mirrors: readonly MirrorRecord[]): void {
    for (const mirror of mirrors) this.#state.forget(mirror);
  }

  /**
   * Brings the catalog up to date, one time after the other, and deletes the folders of mirrors that have been forgotten.
   * Never rejects.
   */
  #update(forgotten: readonly MirrorRecord[] = []): Promise<void> {
    this.#updating = this.#updating
      .then(async () => {
        if (this.#closing.signal.aborted) return;
        const now = this.#options.clock.now();
        const released = releaseUnconfigured(this.#state, this.#known, now, this.#options.selectRepositories);
        this.#forget(released);
        const removed = [...forgotten, ...released];
        for (const { number } of removed) await this.#fetches.stop(number);
        if (removed.length > 0) this.#state.flush();
        await this.#mirrors.update();
        for (const mirror of removed) this.#state.removeFolder(mirror);
        this.rights.mirrorsChanged();
        this.#indexReappeared();
        if (this.#isServing) this.#fetches.schedule();
      })
      .catch((error: unknown) => this.#options.log.error("Cannot update the list of mirrors.", { error }));
    return this.#updating;
  }

  /** Indexes mirrors that were hidden, whose indexes have been deleted, and that are visible again. */
  #indexReappeared(): void {
    const before = this.#visible;
    const numbers = this.#state.mirrors.map(({ number }) => number);
    this.#visible = new Set(numbers.filter((number) => this.#mirrors.idOf(number) !== undefined));
    if (before !== undefined) this.#indexCloned(({ number }) => !before.has(number));
  }

  #indexCloned(isWanted: (mirror: MirrorRecord) => boolean): void {
    for (const mirror of this.#state.mirrors.filter(isWanted)) {
      const id = this.#mirrors.idOf(mirror.number);
      if (id !== undefined && existsSync(this.#state.pathOf(mirror))) this.#options.index(id);
    }
  }

  /** Lists a connection now, or after a listing that is running. */
  async #listAgain(name: string): Promise<void> {
    await this.#listings.get(name)?.result.catch(() => undefined);
    if (this.#closing.signal.aborted || !Object.hasOwn(this.#connections, name)) return;
    this.#state.putConnection(name, { ...this.#state.connection(name), nextListAt: 0, failures: 0 });
    if (this.#isServing) this.#listLater(name);
  }

  /** Lists a connection soon, because a webhook says that its repositories may have changed. */
  #listSoon(name: string): void {
    if (!Object.hasOwn(this.#connections, name)) return;
    if (this.#listings.has(name)) {
      this.#hinted.add(name);
      return;
    }
    const record = this.#state.connection(name);
    // A host that fails is listed when its delay has passed.
    if (record.failures > 0) return;
    const attemptedAt = this.#attemptedAt.get(name) ?? Number.NEGATIVE_INFINITY;
    const at = Math.max(this.#options.clock.now() + hintDelayMs, attemptedAt + hintPauseMs);
    if (record.nextListAt <= at) return;
    this.#state.putConnection(name, { ...record, nextListAt: at });
    if (this.#isServing) this.#listLater(name);
  }

  #isListingDue(name: string): boolean {
    return this.#isServing && this.#state.connection(name).nextListAt <= this.#options.clock.now();
  }

  #listLater(name: string): void {
    if (this.#closing.signal.aborted || !Object.hasOwn(this.#connections, name)) return;
    this.#timers.get(name)?.();
    const { clock, log } = this.#options;
    const delayMs = this.#state.connection(name).nextListAt - clock.now();
    const list = () => {
      this.sync(name).catch((error: unknown) => {
        if (!this.#closing.signal.aborted) log.error(`Cannot list connection "${name}".`, { error });
      });
    };
    this.#timers.set(name, clock.after(Math.max(0, Math.min(delayMs, maxDelayMs)), list));
  }
}
