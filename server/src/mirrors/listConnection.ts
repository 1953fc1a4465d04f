/** Lists the host of a connection and plans what to mirror. Changes nothing. */
import { createHmac } from "node:crypto";
import { isServiceError } from "#base/error";
import type { CodeHost, HostRepository, LookUp, ScopeListing } from "#hosts/codeHost";
import { type HostAccess, hostAddress, type MirrorConnection } from "./connection";
import type { Holding } from "./holding";
import type { ConnectionProblem, MirrorRecord } from "./mirrorRecord";
import { type HeldRepository, type ReconcileInput, type Reconciliation, reconcile } from "./reconcile";
import type { MirrorState } from "./state";

export interface ConnectionListing {
  readonly plan: Reconciliation;
  readonly fingerprint: string;
  /** The account that the host knows; absent without credentials. */
  readonly account?: string;
  readonly scopes: readonly Pick<ScopeListing, "scope" | "outcome">[];
  readonly listedCount: number;
  readonly problems: readonly ConnectionProblem[];
  readonly requestCount: number;
}

export interface ListOptions {
  readonly name: string;
  readonly connection: MirrorConnection;
  readonly host: CodeHost;
  readonly select: HostAccess["selectRepositories"];
  readonly state: Pick<MirrorState, "mirrors" | "connection" | "salt">;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Returns the problem if the host cannot be reached or rejects the credentials. Throws CANCELLED. */
export async function listConnection(options: ListOptions): Promise<ConnectionListing | ConnectionProblem> {
  try {
    return await listReachable(options);
  } catch (error) {
    if (isServiceError(error, "CANCELLED")) throw error;
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

async function listReachable(options: ListOptions): Promise<ConnectionListing | ConnectionProblem> {
  const { name, connection, host, select, state, now, signal } = options;
  const requestsBefore = host.requestCount;
  // First proves who asks: some hosts list less to strangers, instead of refusing.
  const identity = await host.identify(signal);
  if ("message" in identity) return { message: identity.message, ...statusOf(identity) };
  const fingerprint = await fingerprintOf(state.salt, connection, host, identity.account, identity.scopes);
  const listings: ScopeListing[] = [];
  for await (const listing of host.list(signal)) listings.push(listing);

  const listed = listings.flatMap(({ repositories }) => repositories);
  const reasons = reasonsOf(select(connection, listed).excluded);
  const { fingerprint: previousFingerprint, confirmedIds = [] } = state.connection(name);
  const input: ReconcileInput = {
    held: heldBy(name, connection, state, listings),
    listings,
    lookUps: new Map(),
    exclude: ({ hostId }) => reasons.get(hostId),
    rules: connection.onRemoved,
    fingerprint,
    previousFingerprint,
    confirmedIds: new Set(confirmedIds),
    now,
  };
  const lookUps = new Map<string, LookUp>();
  for (const each of reconcile(input).toLookUp) lookUps.set(each.hostId, await host.lookUp(each, signal));
  const present = [...lookUps.values()].flatMap((each) => (each.kind === "present" ? [each.repository] : []));
  const presentReasons = reasonsOf(select(connection, present).excluded);
  return {
    plan: reconcile({
      ...input,
      lookUps,
      exclude: ({ hostId }) => reasons.get(hostId) ?? presentReasons.get(hostId),
    }),
    fingerprint,
    ...(identity.account === undefined ? {} : { account: identity.account }),
    scopes: listings.map(({ scope, outcome }) => ({ scope, outcome })),
    listedCount: new Set(listed.map(({ hostId }) => hostId)).size,
    problems: listings.flatMap(({ scope, problems }) =>
      problems.map((problem) => ({ scope, message: problem.message, ...statusOf(problem) })),
    ),
    requestCount: host.requestCount - requestsBefore,
  };
}

function statusOf({ status }: { readonly status?: number }): { readonly status?: number } {
  return status === undefined ? {} : { status };
}

function reasonsOf(
  excluded: readonly { readonly repository: HostRepository; readonly reason: string }[],
): ReadonlyMap<string, string> {
  return new Map(excluded.map(({ repository, reason }) => [repository.hostId, reason]));
}

/** Returns the mirrors of a connection, and those on its host that belong to no connection, after their state was lost. */
function heldBy(
  name: string,
  connection: MirrorConnection,
  state: ListOptions["state"],
  listings: readonly ScopeListing[],
): readonly HeldRepository[] {
  const unclaimed: Holding = { scopes: listings.map(({ scope }) => scope), seenWith: "" };
  return state.mirrors.filter(isOnHostOf(connection)).flatMap(({ repository, holdings }) => {
    const isUnclaimed = Object.keys(holdings).length === 0;
    const holding = Object.hasOwn(holdings, name) ? holdings[name] : isUnclaimed ? unclaimed : undefined;
    return holding === undefined ? [] : [{ repository, holding }];
  });
}

/** Returns a predicate of mirrors on the host of a connection. */
export function isOnHostOf(connection: MirrorConnection): (mirror: MirrorRecord) => boolean {
  const address = hostAddress(connection);
  return ({ type, url }) => type === connection.type && url === address;
}

/** Identifies what may change the repositories that a connection sees, without revealing it. */
async function fingerprintOf(
  salt: string,
  connection: MirrorConnection,
  host: CodeHost,
  account: string | undefined,
  scopes: readonly string[] = [],
): Promise<string> {
  const credentials = host.hasTemporaryCredentials ? undefined : await host.gitCredentials();
  const secret = credentials === undefined ? "" : `${credentials.user}:${credentials.password.reveal()}`;
  const text = JSON.stringify([connection, account, [...scopes].sort(), secret]);
  return createHmac("sha256", salt).update(text).digest("hex").slice(0, 16);
}
