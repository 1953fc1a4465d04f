/** Brings the state up to date with the listing of a connection. */
import type { HostRepository } from "#hosts/codeHost";
import { type HostAccess, hostAddress, isRestricted, type MirrorConnection } from "./connection";
import { dayMs, type Holding } from "./holding";
import { type ConnectionListing, isOnHostOf } from "./listConnection";
import type { ConnectionRecord, FetchRecord, MirrorRecord } from "./mirrorRecord";
import type { MirrorState } from "./state";

const maxFormerPaths = 20;

/** The connections of a process, which may not know those of others on the same data directory. */
export interface KnownConnections {
  readonly connections: Readonly<Record<string, MirrorConnection>>;
  /** Which connections that are not among these were removed: all, or only those that were added in an editor. */
  readonly removals: "all" | "added" | "none";
  /** Those that were added in an editor. */
  readonly addedNames?: readonly string[];
}

export interface AppliedListing {
  readonly name: string;
  readonly connection: MirrorConnection;
  readonly listing: ConnectionListing;
  readonly state: MirrorState;
  readonly now: number;
}

/** Applies a listing. Returns the mirrors that no connection includes now, which the caller must remove. */
export function applyListing(options: AppliedListing): readonly MirrorRecord[] {
  const { name, connection, listing, state, now } = options;
  const { plan } = listing;
  const byId = new Map(
    state.mirrors.filter(isOnHostOf(connection)).map((each) => [each.repository.hostId, each]),
  );
  const update = (repository: HostRepository, holding: Holding) => {
    const mirror = byId.get(repository.hostId);
    if (mirror === undefined) {
      const description = { type: connection.type, url: hostAddress(connection), repository };
      state.add({ ...description, holdings: { [name]: holding }, fetches: { nextAt: now, failures: 0 } });
    } else {
      const fetches = fetchesAfterListing(mirror.fetches, repository, connection, now);
      const holdings = { ...mirror.holdings, [name]: holding };
      state.put({ ...mirror, ...formerPathsOf(mirror, repository), repository, holdings, fetches });
    }
  };
  for (const { repository, holding } of [...plan.kept, ...plan.added]) update(repository, holding);
  forgetTakenPaths(state, connection);
  const orphans: MirrorRecord[] = [];
  for (const { repository } of plan.removed) {
    const mirror = byId.get(repository.hostId);
    if (mirror !== undefined) orphans.push(...withoutHolding(mirror, name, state));
  }
  state.putConnection(name, {
    listedAt: now,
    nextListAt: now + connection.sync.listEvery,
    failures: 0,
    fingerprint: listing.fingerprint,
    problems: listing.problems,
    ...settingsToKeep(connection, state.connection(name).isAdded === true),
    ...confirmationsAfter(options),
  });
  return orphans;
}

/** For connections that were removed before their own setting was recorded. */
const defaultKeepDays = 7;

/**
 * Releases the mirrors of connections that are no longer configured, and those of other hosts than a connection now has.
 * Restores those that were released because of such a change that was undone, except those that `select` excludes.
 * Forgets connections that are not configured and have no mirrors. Returns the mirrors to remove.
 */
export function releaseUnconfigured(
  state: MirrorState,
  known: KnownConnections,
  now: number,
  select: HostAccess["selectRepositories"],
): readonly MirrorRecord[] {
  const { connections, addedNames = [] } = known;
  for (const [name, connection] of Object.entries(connections))
    recordSettings(name, settingsToKeep(connection, addedNames.includes(name)), state);
  const orphans: MirrorRecord[] = [];
  const held = new Set<string>();
  for (const mirror of state.mirrors) {
    for (const [name, holding] of Object.entries(mirror.holdings)) {
      const connection = Object.hasOwn(connections, name) ? connections[name] : undefined;
      if (connection === undefined && !wasRemoved(name, known, state)) {
        held.add(name);
        continue;
      }
      const reasons = releaseReasons(name);
      if (connection !== undefined && isOnHostOf(connection)(mirror)) {
        const { released, ...kept } = holding;
        const wasReleased = released !== undefined && Object.values(reasons).includes(released.reason);
        // The connection has been restored or corrected, which must not wait for a host that is down.
        if (wasReleased && select(connection, [mirror.repository]).kept.length > 0)
          putHolding(mirror, name, kept, state);
        continue;
      }
      const reason = connection === undefined ? reasons.removed : reasons.moved;
      const { released = { at: now, reason } } = holding;
      const keepDays = state.connection(name).keepDays ?? defaultKeepDays;
      const current = state.get(mirror.number) ?? mirror;
      if (now - released.at >= keepDays * dayMs) {
        orphans.push(...withoutHolding(current, name, state));
        continue;
      }
      held.add(name);
      if (holding.released === undefined) putHolding(mirror, name, { ...holding, released }, state);
    }
  }
  for (const name of state.connectionNames)
    if (wasRemoved(name, known, state) && !held.has(name)) state.forgetConnection(name);
  return orphans;
}

function releaseReasons(name: string) {
  return {
    removed: `The connection "${name}" was removed.`,
    moved: `The connection "${name}" has another host now.`,
  };
}

function putHolding(mirror: MirrorRecord, name: string, holding: Holding, state: MirrorState): void {
  const current = state.get(mirror.number) ?? mirror;
  state.put({ ...current, holdings: { ...current.holdings, [name]: holding } });
}

export interface HoldingConnection {
  readonly name: string;
  readonly settings: MirrorConnection;
}

/** Returns the connection that decides how a mirror is fetched and indexed: the first that includes it. */
export function connectionOf(
  { holdings }: MirrorRecord,
  connections: KnownConnections["connections"],
): HoldingConnection | undefined {
  for (const [name, { released }] of Object.entries(holdings)) {
    const settings = Object.hasOwn(connections, name) ? connections[name] : undefined;
    if (released === undefined && settings !== undefined) return { name, settings };
  }
  return undefined;
}

/** Whether a connection is no longer configured, as far as this process can know. */
export function wasRemoved(
  name: string,
  { connections, removals }: KnownConnections,
  state: MirrorState,
): boolean {
  if (Object.hasOwn(connections, name)) return false;
  return removals === "all" || (removals === "added" && state.connection(name).isAdded === true);
}

type KeptSettings = Pick<ConnectionRecord, "keepDays" | "isAdded" | "isRestricted">;

/** Returns what is recorded of the settings of a connection, for processes that do not know them. */
function settingsToKeep(connection: MirrorConnection, isAdded: boolean): KeptSettings {
  return {
    keepDays: connection.onRemoved.keepDays,
    ...(isAdded ? { isAdded } : {}),
    ...(isRestricted(connection) ? { isRestricted: true } : {}),
  };
}

function recordSettings(name: string, settings: KeptSettings, state: MirrorState): void {
  const { keepDays, isAdded, isRestricted, ...record } = state.connection(name);
  const isSame =
    keepDays === settings.keepDays && isAdded === settings.isAdded && isRestricted === settings.isRestricted;
  if (!isSame) state.putConnection(name, { ...record, ...settings });
}

/** An incomplete listing says nothing about what has to be confirmed, or was. */
function confirmationsAfter({
  name,
  listing: { plan, scopes },
  state,
}: AppliedListing): Pick<ConnectionRecord, "unconfirmedIds" | "confirmedIds"> {
  const before = state.connection(name);
  const isComplete = scopes.every(({ outcome }) => outcome === "complete");
  const unconfirmedIds = plan.unconfirmedIds ?? (isComplete ? undefined : before.unconfirmedIds);
  const confirmedIds = isComplete && unconfirmedIds === undefined ? undefined : before.confirmedIds;
  return {
    ...(unconfirmedIds === undefined ? {} : { unconfirmedIds }),
    ...(confirmedIds === undefined ? {} : { confirmedIds }),
  };
}

function withoutHolding(mirror: MirrorRecord, name: string, state: MirrorState): readonly MirrorRecord[] {
  const { [name]: _, ...holdings } = mirror.holdings;
  if (Object.keys(holdings).length === 0) return [mirror];
  state.put({ ...mirror, holdings });
  return [];
}

function formerPathsOf(
  { formerPaths = [], repository: { path } }: MirrorRecord,
  renamed: HostRepository,
): Pick<MirrorRecord, "formerPaths"> {
  if (path === renamed.path) return {};
  const others = formerPaths.filter((each) => each !== path && each !== renamed.path);
  return { formerPaths: [path, ...others].slice(0, maxFormerPaths) };
}

/** A path that another repository has taken never again leads to the one that had it before. */
function forgetTakenPaths(state: MirrorState, connection: MirrorConnection): void {
  const mirrors = state.mirrors.filter(isOnHostOf(connection));
  const taken = new Set(mirrors.map(({ repository }) => repository.path));
  for (const { formerPaths = [], ...mirror } of mirrors) {
    const free = formerPaths.filter((path) => !taken.has(path));
    if (free.length < formerPaths.length)
      state.put(free.length === 0 ? mirror : { ...mirror, formerPaths: free });
  }
}

/** Fetches at once what has moved according to the host, and seldom what has not moved for long. */
function fetchesAfterListing(
  fetches: FetchRecord,
  repository: HostRepository,
  { sync }: MirrorConnection,
  now: number,
): FetchRecord {
  const fingerprint = fingerprintOf(repository);
  if (fingerprint === undefined || fetches.fetchedAt === undefined || fetches.failures > 0) return fetches;
  if (fingerprint !== fetches.fingerprint) return { ...fetches, nextAt: now };
  // The list may have been read before the push that a webhook has reported.
  if ((fetches.hintedAt ?? 0) >= fetches.fetchedAt) return fetches;
  const isQuiet = now - (fetches.changedAt ?? 0) > 2 * sync.listEvery;
  return isQuiet
    ? { ...fetches, nextAt: Math.max(fetches.nextAt, fetches.fetchedAt + sync.fetchMax) }
    : fetches;
}

/** Returns what changes whenever a branch may have moved, if the host says anything like that. */
export function fingerprintOf({ fingerprint, pushedAt }: HostRepository): string | undefined {
  return fingerprint ?? (pushedAt === undefined ? undefined : String(pushedAt));
}
