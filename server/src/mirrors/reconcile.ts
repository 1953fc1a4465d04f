/**
 * Compares what a connection mirrors with what its host lists, and decides what to add, change and remove. Pure.
 *
 * A repository is removed only on proof: every scope that contained it was listed completely without it, and the host
 * said several times, days apart, that its id does not exist. Failures, refusals and partial lists prove nothing. If
 * many repositories disappear at once, nothing happens until a person has confirmed it.
 */
import type { HostRepository, LookUp, ScopeListing } from "#hosts/codeHost";
import { dayMs, type Holding, type RemovalRules } from "./holding";

export interface HeldRepository {
  readonly repository: HostRepository;
  readonly holding: Holding;
}

export interface ReconcileInput {
  readonly held: readonly HeldRepository[];
  readonly listings: readonly ScopeListing[];
  /** What the host said about single repositories, by id. */
  readonly lookUps: ReadonlyMap<string, LookUp>;
  /** Returns why the configuration excludes a repository, or `undefined`. */
  readonly exclude: (repository: HostRepository) => string | undefined;
  readonly rules: RemovalRules;
  readonly maxRepositories?: number | undefined;
  /** Identifies the settings and credentials of this listing, and of the one before. */
  readonly fingerprint: string;
  readonly previousFingerprint: string | undefined;
  /** Ids whose disappearance a person has confirmed. */
  readonly confirmedIds: ReadonlySet<string>;
  readonly now: number;
}

export interface Reconciliation {
  readonly added: readonly HeldRepository[];
  /** All others that remain, changed or not. */
  readonly kept: readonly HeldRepository[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly excluded: readonly { readonly repository: HostRepository; readonly reason: string }[];
  /** To be deleted now. */
  readonly removed: readonly { readonly repository: HostRepository; readonly reason: string }[];
  /** To ask the host for, before this function is called again with the results. */
  readonly toLookUp: readonly HostRepository[];
  /** Set if too many disappeared at once: their ids, which a person must confirm. */
  readonly unconfirmedIds: readonly string[] | undefined;
}

/** The number of repositories that may disappear at once, whatever share of the connection they are. */
const minBrakeCount = 5;

export function reconcile(input: ReconcileInput): Reconciliation {
  const { held, fingerprint } = input;
  const listed = collectListed(input.listings);
  const missing = held.filter((each) => isMissing(each, listed, input));
  const unconfirmed = findUnconfirmed(missing, input);
  const missingIds = new Set(
    unconfirmed === undefined ? missing.map(({ repository }) => repository.hostId) : [],
  );
  const renamed: { from: string; to: string }[] = [];
  const excluded: { repository: HostRepository; reason: string }[] = [];
  const removed: { repository: HostRepository; reason: string }[] = [];
  const toLookUp: HostRepository[] = [];
  const kept: HeldRepository[] = [];

  for (const each of held) {
    const { hostId } = each.repository;
    const found = listed.get(hostId);
    let next: HeldRepository | undefined;
    if (found !== undefined) next = seen(each, found.repository, found.scopes, input);
    else if (missingIds.has(hostId)) {
      if (isLookUpDue(each.holding, input.now) && !input.lookUps.has(hostId)) toLookUp.push(each.repository);
      next = afterLookUp(each, input);
    } else next = notListed(each, input);
    const isExpired = isOlderThan(next?.holding.released?.at, input.rules.keepDays, input.now);
    if (next === undefined)
      removed.push({ repository: each.repository, reason: "The host no longer has it." });
    else if (isExpired)
      removed.push({ repository: each.repository, reason: next.holding.released?.reason ?? "" });
    else {
      kept.push(next);
      if (next.holding.released !== undefined)
        excluded.push({ repository: next.repository, reason: next.holding.released.reason });
      if (next.repository.path !== each.repository.path)
        renamed.push({ from: each.repository.path, to: next.repository.path });
    }
  }

  const heldIds = new Set(held.map(({ repository }) => repository.hostId));
  const added: HeldRepository[] = [];
  const room = (input.maxRepositories ?? Number.POSITIVE_INFINITY) - kept.length;
  for (const [hostId, { repository, scopes }] of listed) {
    if (heldIds.has(hostId)) continue;
    const isFull = added.length >= room;
    const reason =
      input.exclude(repository) ??
      (isFull ? `the limit is ${input.maxRepositories} repositories` : undefined);
    if (reason === undefined) added.push({ repository, holding: { scopes, seenWith: fingerprint } });
    else excluded.push({ repository, reason });
  }
  return { added, kept, renamed, excluded, removed, toLookUp, unconfirmedIds: unconfirmed };
}

interface Listed {
  readonly repository: HostRepository;
  readonly scopes: readonly string[];
}

function collectListed(listings: readonly ScopeListing[]): ReadonlyMap<string, Listed> {
  const listed = new Map<string, Listed>();
  for (const { scope, repositories } of listings) {
    for (const repository of repositories) {
      const scopes = new Set([...(listed.get(repository.hostId)?.scopes ?? []), scope]);
      listed.set(repository.hostId, { repository, scopes: [...scopes] });
    }
  }
  return listed;
}

/** Whether every scope that contained the repository was listed completely, without it. */
function isMissing(
  { repository, holding }: HeldRepository,
  listed: ReadonlyMap<string, Listed>,
  { listings }: ReconcileInput,
): boolean {
  if (holding.released !== undefined || holding.scopes.length === 0 || listed.has(repository.hostId))
    return false;
  return holding.scopes.every((scope) =>
    listings.some((listing) => listing.scope === scope && listing.outcome === "complete"),
  );
}

/** Returns the ids that a person must confirm, if there are too many. */
function findUnconfirmed(
  missing: readonly HeldRepository[],
  { held, listings, rules, confirmedIds }: ReconcileInput,
): readonly string[] | undefined {
  const fresh = missing.filter(
    ({ repository, holding }) => holding.unlistedSince === undefined && !confirmedIds.has(repository.hostId),
  );
  const active = held.filter(({ holding }) => holding.released === undefined);
  const isMany = fresh.length > Math.max(minBrakeCount, rules.maxShare * active.length);
  const isEmptied = listings.some(({ scope, outcome, repositories }) => {
    if (outcome !== "complete" || repositories.length > 0) return false;
    const isInScope = ({ holding }: HeldRepository) => holding.scopes.includes(scope);
    return active.filter(isInScope).length >= minBrakeCount && fresh.some(isInScope);
  });
  return isMany || isEmptied ? fresh.map(({ repository }) => repository.hostId) : undefined;
}

/** Whether no scope of the repository is still listed, because the settings changed. */
function isOutOfScope(
  { holding }: HeldRepository,
  { listings, fingerprint, previousFingerprint }: ReconcileInput,
): boolean {
  if (previousFingerprint === undefined || previousFingerprint === fingerprint) return false;
  return holding.scopes.every((scope) => listings.every((listing) => listing.scope !== scope));
}

function seen(
  { holding }: HeldRepository,
  repository: HostRepository,
  scopes: readonly string[],
  input: ReconcileInput,
): HeldRepository {
  const fresh = { repository, holding: { scopes, seenWith: input.fingerprint } };
  const reason = input.exclude(repository);
  if (reason === undefined) return fresh;
  return released({ repository, holding: { ...fresh.holding, ...releasedOf(holding) } }, reason, input);
}

/**
 * Applies the configuration to a repository of which the lists say nothing. If it is included again, it no longer
 * expires, even while its scope cannot be listed.
 */
function notListed(each: HeldRepository, input: ReconcileInput): HeldRepository {
  if (isOutOfScope(each, input)) return released(each, "its scope is no longer configured", input);
  const { released: mark, ...rest } = each.holding;
  const isConfigured = rest.scopes.some((scope) => input.listings.some((listing) => listing.scope === scope));
  const isIncluded = isConfigured && input.exclude(each.repository) === undefined;
  return mark !== undefined && isIncluded ? { ...each, holding: rest } : each;
}

/** Applies the host's answer about a missing repository. Returns `undefined` if it is to be removed. */
function afterLookUp(each: HeldRepository, input: ReconcileInput): HeldRepository | undefined {
  const { now, fingerprint, rules, lookUps } = input;
  const { unlistedSince = now, ...rest } = each.holding;
  const holding: Holding = { ...rest, unlistedSince };
  const lookUp = lookUps.get(each.repository.hostId);
  if (lookUp === undefined || lookUp.kind === "unknown") return { ...each, holding };
  if (lookUp.kind === "present") {
    const { confirmations: _, ...innocent } = holding;
    const found = { ...innocent, seenWith: fingerprint, lookedUpAt: now };
    const reason = input.exclude(lookUp.repository);
    const present = { repository: lookUp.repository, holding: found };
    return reason === undefined ? present : released(present, reason, input);
  }
  // With other credentials, 404 may also mean that these may not see it.
  const isComparable = holding.seenWith === fingerprint;
  const earlier = isComparable ? (holding.confirmations ?? []) : [];
  const isFresh = isOlderThan(earlier.at(-1) ?? Number.NEGATIVE_INFINITY, 1, now);
  const confirmations = isComparable && isFresh ? [...earlier, now] : earlier;
  if (confirmations.length >= rules.confirmations && isOlderThan(confirmations[0], rules.keepDays, now))
    return undefined;
  return { ...each, holding: { ...holding, seenWith: fingerprint, lookedUpAt: now, confirmations } };
}

function isLookUpDue({ lookedUpAt }: Holding, now: number): boolean {
  return lookedUpAt === undefined || isOlderThan(lookedUpAt, 1, now);
}

function released(each: HeldRepository, reason: string, { now }: ReconcileInput): HeldRepository {
  const at = each.holding.released?.at ?? now;
  return { ...each, holding: { ...each.holding, released: { at, reason } } };
}

function releasedOf({ released }: Holding): Pick<Holding, "released"> {
  return released === undefined ? {} : { released };
}

function isOlderThan(time: number | undefined, days: number, now: number): boolean {
  return time !== undefined && now - time >= days * dayMs;
}
