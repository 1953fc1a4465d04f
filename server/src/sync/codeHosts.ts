/**
 * Mirrors the repositories of code hosts: lists each connection from time to time, and keeps the mirrors and the catalog
 * current. Only the leader has one, and only while it serves it clones and fetches.
 */
import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import { sweepMirrors } from "#git/mirror/sweep";
import type { CodeHost } from "#hosts/codeHost";
import { applyListing, releaseUnconfigured } from "#mirrors/applyListing";
import type { HostAccess, MirrorConnection } from "#mirrors/connection";
import { type ConnectionListing, listConnection } from "#mirrors/listConnection";
import type { ConnectionProblem, ConnectionRecord, MirrorRecord } from "#mirrors/mirrorRecord";
import { MirrorState, mirrorsFolder } from "#mirrors/state";
import type { Repository, RepositoryId } from "#model/repository";
import type { Clock } from "#platform/clock";
import { diskFiles, type Files } from "#platform/files";
import type { Log } from "#platform/log";
import { MirrorCatalog, problemOf } from "./mirrorCatalog";
import { type FetchStatistics, MirrorFetches } from "./mirrorFetches";

/** What the leader knows about code hosts. */
export interface CodeHostsSetup<Connection extends MirrorConnection = MirrorConnection>
  extends HostAccess<Connection> {
  readonly dataDir: string;
  readonly connections: Readonly<Record<string, Connection>>;
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
  readonly isListing: boolean;
  readonly mirrors: readonly MirrorRecord[];
}

/** Delay before a connection is listed again after a failure; doubles with each. */
const retryMs = 60_000;
const maxTimerMs = 2 ** 31 - 1;

export class CodeHosts {
  readonly #options: CodeHostsOptions;
  readonly #state: MirrorState;
  readonly #mirrors: MirrorCatalog;
  readonly #fetches: MirrorFetches;
  readonly #hosts = new Map<string, CodeHost>();
  readonly #listings = new Map<string, Promise<ConnectionListing | ConnectionProblem>>();
  readonly #timers = new Map<string, () => void>();
  readonly #closing = new AbortController();
  #updating: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void) | undefined;
  #isServing = false;

  /** Throws STORAGE_FAILED. */
  constructor(options: CodeHostsOptions) {
    this.#options = options;
    const { files = diskFiles, catalog, clock, log, onRemoved, random = Math.random } = options;
    // Scans find the mirrors by their real paths.
    const dataDir = realpathSync(options.dataDir);
    const folder = mirrorsFolder(dataDir);
    files.mkdir(folder);
    sweepMirrors(folder, files);
    this.#state = new MirrorState({ dataDir, files, clock, log });
    const connections = () => options.connections;
    this.#mirrors = new MirrorCatalog({ catalog, state: this.#state, connections, onRemoved });
    const { helperFolder, isIndexCurrent, index } = options;
    this.#fetches = new MirrorFetches({
      state: this.#state,
      mirrors: this.#mirrors,
      catalog,
      folder,
      helperFolder,
      connections,
      hostOf: (name) => this.#hostOf(name),
      files,
      clock,
      log,
      random,
      isIndexCurrent,
      index,
    });
  }

  /** Lists what is due, and connections that are not as `before`, and starts cloning and fetching. */
  start(before: readonly ConnectionStatus[] = this.statuses): void {
    this.#isServing = true;
    this.#fetches.spreadOverdue();
    this.#unsubscribe = this.#options.catalog.onChange((event) => {
      if (this.#mirrors.isAffectedBy(event)) void this.#update();
    });
    void this.#update();
    for (const [name, settings] of Object.entries(this.#options.connections)) {
      const isSame = before.some(
        (each) => each.name === name && JSON.stringify(each.settings) === JSON.stringify(settings),
      );
      if (!isSame) this.#state.putConnection(name, { ...this.#state.connection(name), nextListAt: 0 });
      this.#listLater(name);
    }
  }

  /** Lists a connection now, and applies the result. */
  sync(name: string): Promise<ConnectionListing | ConnectionProblem> {
    const running = this.#listings.get(name);
    if (running !== undefined) return running;
    const listing = this.#sync(name).finally(() => {
      this.#listings.delete(name);
      if (this.#isServing) this.#listLater(name);
    });
    this.#listings.set(name, listing);
    return listing;
  }

  /** Lists a connection and returns what a sync would do. */
  plan(name: string, signal: AbortSignal): Promise<ConnectionListing | ConnectionProblem> {
    return this.#list(name, AbortSignal.any([signal, this.#closing.signal]));
  }

  /** Accepts that repositories disappeared at once. Returns how many. */
  confirm(name: string): number {
    const { unconfirmedIds = [], confirmedIds = [], ...record } = this.#state.connection(name);
    if (unconfirmedIds.length === 0) return 0;
    this.#state.putConnection(name, { ...record, confirmedIds: [...confirmedIds, ...unconfirmedIds] });
    this.#state.flush();
    return unconfirmedIds.length;
  }

  get statuses(): readonly ConnectionStatus[] {
    const all = this.#state.mirrors;
    return Object.entries(this.#options.connections).map(([name, settings]) => ({
      name,
      settings,
      record: this.#state.connection(name),
      isListing: this.#listings.has(name),
      mirrors: all.filter(({ holdings }) => Object.hasOwn(holdings, name)),
    }));
  }

  /** Whether a path is that of a mirror. */
  owns(path: string): boolean {
    return this.#state.owns(path);
  }

  /** Returns which branches and tags of a mirror are indexed; `undefined` for other repositories. */
  revisionsOf(path: string): MirrorConnection["revisions"] | undefined {
    const mirror = this.#mirrorAt(path);
    const names = Object.keys(mirror?.holdings ?? {});
    const name = names.find((each) => Object.hasOwn(this.#options.connections, each));
    return name === undefined ? undefined : this.#options.connections[name]?.revisions;
  }

  /** Returns why a mirror may be outdated or about to be removed. */
  problemOf(path: string): string | undefined {
    const mirror = this.#mirrorAt(path);
    return mirror === undefined ? undefined : problemOf(mirror);
  }

  #mirrorAt(path: string): MirrorRecord | undefined {
    return this.owns(path) ? this.#state.get(Number.parseInt(basename(path), 10)) : undefined;
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
    return this.#mirrorAt(path)?.repository.cloneUrl;
  }

  setPaused(isPaused: boolean): void {
    this.#fetches.setPaused(isPaused);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe?.();
    for (const cancel of this.#timers.values()) cancel();
    await this.#fetches.close();
    await Promise.allSettled([...this.#listings.values(), this.#updating]);
    for (const host of this.#hosts.values()) await host.close();
    this.#state.close();
  }

  #hostOf(name: string): CodeHost {
    const opened = this.#hosts.get(name) ?? this.#options.openHost(name, this.#connectionOf(name));
    this.#hosts.set(name, opened);
    return opened;
  }

  #connectionOf(name: string): MirrorConnection {
    const connection = Object.hasOwn(this.#options.connections, name)
      ? this.#options.connections[name]
      : undefined;
    if (connection !== undefined) return connection;
    throw new ServiceError("NOT_FOUND", `There is no connection "${name}" in the configuration.`);
  }

  #list(name: string, signal: AbortSignal): Promise<ConnectionListing | ConnectionProblem> {
    return listConnection({
      name,
      connection: this.#connectionOf(name),
      host: this.#hostOf(name),
      select: this.#options.selectRepositories,
      state: this.#state,
      now: this.#options.clock.now(),
      signal,
    });
  }

  async #sync(name: string): Promise<ConnectionListing | ConnectionProblem> {
    const connection = this.#connectionOf(name);
    const { clock, log } = this.#options;
    const listing = await this.#list(name, this.#closing.signal);
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
    const orphans = applyListing({ name, connection, listing, state: this.#state, now: clock.now() });
    this.#state.flush();
    await this.#remove(orphans);
    await this.#update();
    for (const { scope, message } of listing.problems)
      log.warn(`Connection "${name}", ${scope ?? "all"}: ${message}`);
    if (listing.plan.unconfirmedIds !== undefined)
      log.warn(
        `${listing.plan.unconfirmedIds.length} repositories of connection "${name}" disappeared at once. Nothing is removed until you run "trawl hosts confirm ${name}".`,
      );
    return listing;
  }

  async #remove(mirrors: readonly MirrorRecord[]): Promise<void> {
    for (const mirror of mirrors) {
      await this.#fetches.stop(mirror.number);
      this.#state.forget(mirror);
    }
    if (mirrors.length === 0) return;
    this.#state.flush();
    await this.#mirrors.update();
    for (const mirror of mirrors) this.#state.removeFolder(mirror);
  }

  /** Brings the catalog up to date, one time after the other. Never rejects. */
  #update(): Promise<void> {
    this.#updating = this.#updating
      .then(async () => {
        if (this.#closing.signal.aborted) return;
        const { connections, clock } = this.#options;
        await this.#remove(releaseUnconfigured(this.#state, connections, clock.now()));
        await this.#mirrors.update();
        if (this.#isServing) this.#fetches.schedule();
      })
      .catch((error: unknown) => this.#options.log.error("Cannot update the list of mirrors.", { error }));
    return this.#updating;
  }

  #listLater(name: string): void {
    if (this.#closing.signal.aborted) return;
    this.#timers.get(name)?.();
    const { clock, log } = this.#options;
    const delayMs = this.#state.connection(name).nextListAt - clock.now();
    const list = () => {
      this.sync(name).catch((error: unknown) => {
        if (!this.#closing.signal.aborted) log.error(`Cannot list connection "${name}".`, { error });
      });
    };
    this.#timers.set(name, clock.after(Math.max(0, Math.min(delayMs, maxTimerMs)), list));
  }
}
