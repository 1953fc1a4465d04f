/**
 * Decides which mirrors members may see where their connection leaves that to the code host.
 *
 * Whom the host did not name sees nothing of a repository that is not public there. A clone of such a repository on this
 * computer is treated as its mirror.
 */
import { foldCase } from "#base/foldCase";
import type { Catalog } from "#catalog/catalog";
import type { CodeHost } from "#hosts/codeHost";
import type { KnownConnections } from "#mirrors/applyListing";
import { isRestricted, type MirrorConnection } from "#mirrors/connection";
import { isOnHostOf } from "#mirrors/listConnection";
import { type ConnectionProblem, type MirrorRecord, mirrorName, mirrorStateOf } from "#mirrors/mirrorRecord";
import { ReaderState } from "#mirrors/readerState";
import type { MirrorState } from "#mirrors/state";
import type { CodeHostUser } from "#model/codeHostUser";
import type { Repository, RepositoryId } from "#model/repository";
import type { Clock } from "#platform/clock";
import type { Files } from "#platform/files";
import type { Log } from "#platform/log";
import { foldName, namesOf } from "./mirrorCatalog";
import { ReaderRounds } from "./readerRounds";
import { pathsOf } from "./sharedHistory";

export interface CodeHostRightsOptions {
  readonly dataDir: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly state: MirrorState;
  readonly mirrorAt: (path: string) => MirrorRecord | undefined;
  /** Returns the mirrors of which a clone is although its remote has another address. */
  readonly mirrorsOfClone: (id: RepositoryId) => readonly MirrorRecord[];
  /** Whether it is known of which mirrors a clone is, if any. */
  readonly isCompared: (id: RepositoryId) => boolean;
  readonly catalog: Catalog;
  readonly known: () => KnownConnections;
  readonly hostOf: (connection: string) => CodeHost;
  /** Returns everyone who may search. */
  readonly users: () => Promise<readonly CodeHostUser[]>;
  /** Whether the configuration still names a claim for a connection; without one, stored names do not count. */
  readonly hasClaim: (connection: string) => boolean;
}

/** `unknown`: the host has not said yet whether the user may see it, so it is hidden. */
export type Visibility = "visible" | "hidden" | "unknown";

/** The mirrors by what clones of them are named, in lower case, and by their paths; also by former ones. */
interface MirrorIndex {
  readonly revision: number;
  readonly byName: ReadonlyMap<string, MirrorRecord>;
  readonly byPath: ReadonlyMap<string, readonly MirrorRecord[]>;
}

export class CodeHostRights {
  readonly #options: CodeHostRightsOptions;
  readonly #readers: ReaderState;
  readonly #rounds: ReaderRounds;
  readonly #isOnHost = new WeakMap<MirrorConnection, (mirror: MirrorRecord) => boolean>();
  readonly #logins = new WeakMap<MirrorConnection, ReadonlyMap<string, string>>();
  /** Increases whenever a decision may have changed. */
  #revision = 0;
  #index: MirrorIndex | undefined;
  #hasUnknownHolders: boolean;

  constructor(options: CodeHostRightsOptions) {
    this.#options = options;
    this.#readers = new ReaderState(options);
    this.#hasUnknownHolders = options.state.mirrors.some((mirror) => this.#isHolderUnknown(mirror));
    this.#rounds = new ReaderRounds({
      ...options,
      state: this.#readers,
      connections: () => this.#connections,
      mirrorsOf: (name) => {
        const connection = this.#connections[name];
        const mirrors =
          connection === undefined
            ? []
            : options.state.mirrors.filter((each) => this.#isOn(connection, each));
        return mirrors.filter(
          (each) => each.repository.visibility !== "public" && this.#restricting(each).includes(name),
        );
      },
      loginsOf: async (name) => {
        const users = await options.users();
        return [...new Set(users.flatMap((user) => this.#loginOf(name, user) ?? []))].sort();
      },
      onChange: () => {
        this.#revision++;
      },
    });
  }

  get revision(): number {
    return this.#revision;
  }

  /** Whether any connection leaves it to its host who sees its repositories, or may have done so. */
  get isActive(): boolean {
    return (
      Object.values(this.#connections).some(isRestricted) ||
      this.#hasUnknownHolders ||
      this.#readers.connections.length > 0 ||
      this.#options.state.connectionNames.some((name) => this.#wasRestricted(name))
    );
  }

  /** Starts to ask the hosts, and to end old rights. */
  start(): void {
    this.#rounds.expireOld();
    this.configure([...new Set([...Object.keys(this.#connections), ...this.#readers.connections])]);
  }

  /** Applies the settings of new and changed connections. */
  configure(names: readonly string[]): void {
    for (const name of names) {
      const connection = this.#connections[name];
      if (connection !== undefined && isRestricted(connection)) {
        this.#readers.setAskedAt(name, this.#readers.askedAt(name) ?? 0);
        this.#rounds.start(name);
      } else {
        this.#rounds.stop(name);
        // The mirrors of a connection that was removed stay restricted until they are hidden.
        if (connection !== undefined) this.#readers.setAskedAt(name, undefined);
      }
    }
    this.#revision++;
  }

  /** Called when the catalog has the mirrors of the current connections and their latest lists. */
  mirrorsChanged(): void {
    this.#revision++;
    this.#hasUnknownHolders = this.#options.state.mirrors.some((mirror) => this.#isHolderUnknown(mirror));
    if (this.#options.known().removals === "all")
      for (const name of this.#readers.connections)
        if (!Object.hasOwn(this.#connections, name)) this.#readers.setAskedAt(name, undefined);
    this.#readers.keepOnly(this.#options.state.mirrors);
    for (const [name, connection] of Object.entries(this.#connections))
      if (isRestricted(connection)) this.#rounds.askSoon(name);
  }

  /** Asks the host of a connection about everything again. */
  recheck(name: string): void {
    this.#rounds.askAll(name);
  }

  /** Returns why the rights of a connection are unknown or may be outdated. */
  problems(name: string): readonly ConnectionProblem[] {
    return this.#rounds.problems(name);
  }

  /** Whether a user may see a repository; `user` is absent for callers whom nobody knows. */
  visibility(repository: Repository, user: CodeHostUser | undefined): Visibility {
    const { state, mirrorAt, mirrorsOfClone } = this.#options;
    if (state.owns(repository.path)) {
      const mirror = mirrorAt(repository.path);
      if (mirror === undefined) return "unknown";
      // The catalog has those that are hidden until its next update.
      return mirrorStateOf(mirror) === "hidden" ? "hidden" : this.#visibilityOf(mirror, user);
    }
    const named = this.#mirrorIndex.byName.get(this.#remoteNameOf(repository));
    if (named !== undefined) return this.#visibilityOf(named, user);
    // Only one of them is the repository that it was cloned from.
    const all = mirrorsOfClone(repository.id).map((mirror) => this.#visibilityOf(mirror, user));
    if (all.includes("hidden")) return "hidden";
    return all.includes("unknown") || this.#mayBeRestricted(repository) ? "unknown" : "visible";
  }

  #visibilityOf(mirror: MirrorRecord, user: CodeHostUser | undefined): Visibility {
    if (mirror.repository.visibility === "public") return "visible";
    const restricting = this.#restricting(mirror);
    if (restricting.length === 0) return this.#isHolderUnknown(mirror) ? "unknown" : "visible";
    let isUnknown = false;
    for (const name of restricting) {
      const login = user && this.#loginOf(name, user);
      if (login === undefined) continue;
      const mayRead = this.#readers.mayRead(name, mirror, login);
      if (mayRead === true) return "visible";
      if (mayRead === false) continue;
      isUnknown = true;
      if (!this.#rounds.wasAsked(name, login)) this.#rounds.askSoon(name);
    }
    return isUnknown ? "unknown" : "hidden";
  }

  async close(): Promise<void> {
    await this.#rounds.close();
    this.#readers.close();
  }

  get #connections(): KnownConnections["connections"] {
    return this.#options.known().connections;
  }

  /** Returns the connections that hold a mirror and leave it to their host who sees it. */
  #restricting(mirror: MirrorRecord): readonly string[] {
    const connections = this.#connections;
    // Settings for another host than the one that the mirror is of say nothing about it.
    const settingsOf = (name: string) => {
      const settings = Object.hasOwn(connections, name) ? connections[name] : undefined;
      return settings !== undefined && this.#isOn(settings, mirror) ? settings : undefined;
    };
    const held = Object.entries(mirror.holdings)
      .filter(([, { released }]) => released === undefined)
      .flatMap(([name]) => (settingsOf(name) !== undefined || this.#wasRestricted(name) ? [name] : []));
    // If the state was lost, or the connection renamed or its repository excluded, any connection to the host counts.
    const names =
      held.length > 0 ? held : Object.keys(connections).filter((name) => settingsOf(name) !== undefined);
    return names.filter((name) => {
      const settings = settingsOf(name);
      return settings === undefined || isRestricted(settings);
    });
  }

  #isOn(connection: MirrorConnection, mirror: MirrorRecord): boolean {
    const known = this.#isOnHost.get(connection);
    if (known !== undefined) return known(mirror);
    const isOnHost = isOnHostOf(connection);
    this.#isOnHost.set(connection, isOnHost);
    return isOnHost(mirror);
  }

  /** Whether a connection was restricted when its settings were last known, perhaps to another process. */
  #wasRestricted(name: string): boolean {
    return (
      this.#readers.askedAt(name) !== undefined || this.#options.state.connection(name).isRestricted === true
    );
  }

  /** Whether a mirror may belong to a connection whose settings are unknown, because the state of mirrors was lost. */
  #isHolderUnknown({ holdings, repository }: MirrorRecord): boolean {
    const isPublic = repository.visibility === "public";
    return !isPublic && Object.keys(holdings).length === 0 && this.#options.known().removals !== "all";
  }

  #remoteNameOf({ id, name }: Repository): string {
    return foldName(this.#options.catalog.remoteNameOf(id) || name);
  }

  /** Whether a clone may turn out to be one of a private mirror, because its remote only has another address. */
  #mayBeRestricted(repository: Repository): boolean {
    if (this.#options.isCompared(repository.id)) return false;
    const remote = this.#remoteNameOf(repository);
    const mirrors = this.#mirrorIndex.byPath.get(remote.slice(remote.indexOf("/") + 1)) ?? [];
    return mirrors.some(
      (mirror) => mirror.repository.visibility !== "public" && this.#restricting(mirror).length > 0,
    );
  }

  get #mirrorIndex(): MirrorIndex {
    if (this.#index?.revision === this.#revision) return this.#index;
    const byName = new Map<string, MirrorRecord>();
    const byPath = new Map<string, MirrorRecord[]>();
    const { mirrors } = this.#options.state;
    for (const mirror of mirrors) {
      for (const path of mirror.formerPaths ?? []) byName.set(foldName(mirrorName(mirror, path)), mirror);
      for (const path of pathsOf(mirror)) byPath.set(path, [...(byPath.get(path) ?? []), mirror]);
    }
    // Current names take precedence over former ones.
    for (const mirror of mirrors) for (const each of namesOf(mirror)) byName.set(each, mirror);
    this.#index = { revision: this.#revision, byName, byPath };
    return this.#index;
  }

  /** Returns the name of a user on the host of a connection, in lower case. The configuration takes precedence. */
  #loginOf(connection: string, { email, logins }: CodeHostUser): string | undefined {
    const settings = this.#connections[connection];
    const configured =
      settings && email !== undefined && this.#configuredLogins(settings).get(foldCase(email));
    const isStated = this.#options.hasClaim(connection) && Object.hasOwn(logins, connection);
    const login = configured || (isStated ? logins[connection] : undefined);
    return login === undefined ? undefined : foldCase(login);
  }

  #configuredLogins(connection: MirrorConnection): ReadonlyMap<string, string> {
    const known = this.#logins.get(connection);
    if (known !== undefined) return known;
    const entries = Object.entries(connection.access?.logins ?? {});
    const logins = new Map(entries.map(([member, login]) => [foldCase(member), login]));
    this.#logins.set(connection, logins);
    return logins;
  }
}
