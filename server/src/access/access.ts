/**
 * Authentication and authorization.
 *
 * Every call is admitted here before anything else happens. `admit` first identifies the caller, then checks the
 * license, then the role. Admitted calls are recorded (`audit.ts`).
 *
 * Nothing from the store is cached here between calls, so that a removal, suspension or demotion takes effect on the
 * next request, whichever process made it. The first call that needs the store opens it; searches from an editor never
 * need it.
 */
import { ServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { RepositoryRules } from "#contract/access";
import type { Operation } from "#contract/operation";
import type { Actor, AnonymousRule, Call, Credentials } from "#contract/service";
import type { ApiKey, Member } from "#model/organization";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Store } from "#store/store";
import { hasApiKeyFormat, sha256 } from "./apiKeys";
import type { AuthThrottle } from "./authThrottle";
import type { InstalledLicense } from "./installedLicense";
import type { AccessTokens } from "./oauth";
import type { Organization } from "./organization";
import { anonymousScope, type Granting, type Holder, isBounded, memberScope } from "./repositoryRights";
import { renewedExpiry } from "./sessionTimes";

export interface AccessOptions {
  readonly organization: Pick<Organization, "store" | "checkNotLost">;
  readonly license: InstalledLicense;
  /** Absent: API keys are the only bearer tokens. */
  readonly tokens?: AccessTokens;
  /** The rules of this process. Absent: everyone who is admitted sees all repositories. */
  readonly repositoryRules?: RepositoryRules;
  /** Whether connections leave it to their code hosts who sees their repositories. Default: none does. */
  readonly asksCodeHosts?: () => boolean;
  readonly authThrottle: AuthThrottle;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts of a call that determine access. */
export interface AccessRequest
  extends Pick<Call, "credentials" | "anonymous" | "repositoryRules" | "address" | "signal"> {
  /** Ends the check of the credentials, but not the delay of a refusal. Default: `signal`. */
  readonly checkSignal?: AbortSignal;
}

export interface Access {
  /**
   * Returns the caller, with the repositories that it may see, if the call is allowed.
   *
   * Throws NOT_AUTHENTICATED, then LICENSE_REQUIRED, then INSUFFICIENT_PERMISSIONS; OVERLOADED if an address sends
   * wrong credentials too often; ENGINE_UNAVAILABLE if the credentials cannot be checked, or if the database has lost
   * its keys.
   */
  admit(operation: Operation, request: AccessRequest): Promise<Actor>;
}

/** Minimum time between two stored uses of a key, or activities of a member. */
const activityIntervalMs = 60_000;

export function createAccess(options: AccessOptions): Access {
  const { organization, license, tokens, authThrottle, clock, log, asksCodeHosts = () => false } = options;
  const { store } = organization;
  /** Ids of keys, members and sessions whose activity is being stored. */
  const storing = new Set<string>();

  return { admit };

  async function admit(
    operation: Operation,
    {
      credentials,
      anonymous,
      repositoryRules: rules = options.repositoryRules,
      address,
      signal,
      checkSignal = signal,
    }: AccessRequest,
  ): Promise<Actor> {
    if (operation.access === "open" && credentials.kind !== "local") return { kind: "anonymous" };
    let identified: IdentifiedActor;
    try {
      identified = await untilAborted(identify(operation, credentials, anonymous), checkSignal);
    } catch (error) {
      // Missing credentials and expired cookies are not guesses.
      const isGuess =
        error instanceof InvalidCredentials && credentials.kind !== "none" && credentials.kind !== "session";
      if (isGuess) await authThrottle.delayRefusal(address ?? "", signal);
      throw error;
    }
    if (operation.licensed !== undefined)
      await untilAborted(license.require(operation.licensed), checkSignal);
    const actor = withRights(operation, identified, { rules, asksCodeHosts: asksCodeHosts() });
    if (operation.access === "owner" && actor.kind === "member" && actor.role !== "OWNER") {
      throw new ServiceError("INSUFFICIENT_PERMISSIONS", "Only owners of the organization may do this.");
    }
    return actor;
  }

  async function identify(
    operation: Operation,
    credentials: Credentials,
    anonymous: AnonymousRule = "off",
  ): Promise<IdentifiedActor> {
    if (credentials.kind === "local") return { kind: "local" };
    if (credentials.kind === "none") {
      if (operation.access === "anonymous" && (await allowsAnonymous(anonymous)))
        return { kind: "anonymous" };
      throw new InvalidCredentials("This request needs credentials.");
    }
    const { kind, token } = credentials;
    if (kind === "session") return await authenticateSession(token);
    if (hasApiKeyFormat(token)) return await authenticateKey(token);
    if (kind === "bearer" && tokens !== undefined && (await license.allows("oauth"))) {
      const member = await tokens.memberOf(token);
      if (member !== undefined) return actorOf(member);
    }
    throw new InvalidCredentials("The credentials are not valid.");
  }

  async function allowsAnonymous(rule: AnonymousRule): Promise<boolean> {
    if (rule === "off") return false;
    // If all API keys are lost, access is closed whatever the rule says.
    await organization.checkNotLost();
    if (rule === "on") return true;
    return !(await (await store()).apiKeys.hasKeys());
  }

  async function authenticateKey(token: string): Promise<MemberActor> {
    const found = await (await store()).apiKeys.byHash(sha256(token));
    if (found === undefined) throw new InvalidCredentials("The API key is not valid.");
    return actorOfKey(found);
  }

  async function authenticateSession(token: string): Promise<MemberActor> {
    const found = await (await store()).sessions.byHash(sha256(token));
    const now = clock.now();
    if (found === undefined || found.session.expiresAt <= now) {
      throw new InvalidCredentials("This browser is no longer logged in. Log in again.");
    }
    const { session, key, member } = found;
    const { id, lastUsedAt, endsAt } = session;
    const actor = key === undefined ? actorOf(member) : actorOfKey({ key, member });
    const expiresAt = key === undefined ? renewedExpiry(now, endsAt) : endsAt;
    storeActivity(id, lastUsedAt, async (store) => store.sessions.recordUse(id, { time: now, expiresAt }));
    return { ...actor, sessionId: id };
  }

  function actorOfKey({ key, member }: KeyHolder): MemberActor {
    if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) {
      throw new InvalidCredentials(`The API key expired on ${new Date(key.expiresAt).toISOString()}.`);
    }
    return actorOf(member, key);
  }

  function actorOf(member: Member, key?: ApiKey): MemberActor {
    if (member.suspendedAt !== undefined) {
      throw new InvalidCredentials("The member with these credentials is disabled.");
    }
    recordActivity(member, key);
    const { id, role } = member;
    return {
      kind: "member",
      id,
      role,
      ...(key === undefined ? {} : { keyId: key.id }),
      holder: { member, key },
    };
  }

  /** Stores the time of this call. The call does not wait for it. */
  function recordActivity(member: Member, key: ApiKey | undefined): void {
    const now = clock.now();
    storeActivity(member.id, member.lastActivityAt, async (store) =>
      store.members.recordActivity(member.id, now),
    );
    if (key !== undefined)
      storeActivity(key.id, key.lastUsedAt, async (store) => store.apiKeys.recordUse(key.id, now));
  }

  function storeActivity(
    id: string,
    before: number | undefined,
    write: (store: Store) => Promise<void>,
  ): void {
    // Not skipped for a time in the future, which was stored while the clock was wrong.
    if (storing.has(id) || (before !== undefined && Math.abs(clock.now() - before) < activityIntervalMs))
      return;
    storing.add(id);
    store()
      .then(write)
      .catch((error: unknown) => log.warn("Could not store the activity of a member or key.", { error }))
      .finally(() => storing.delete(id));
  }
}

type MemberActor = Extract<Actor, { readonly kind: "member" }> & { readonly holder: Holder };
type IdentifiedActor = Exclude<Actor, { readonly kind: "member" }> | MemberActor;

/**
 * Adds what the caller may see. Throws INSUFFICIENT_PERMISSIONS if a bounded key is used for an operation that changes
 * something: it could create a key with more rights.
 */
function withRights(operation: Operation, actor: IdentifiedActor, granting: Granting): Actor {
  if (actor.kind === "local") return actor;
  if (actor.kind === "anonymous") {
    const sees = anonymousScope(granting);
    return sees === undefined ? actor : { ...actor, sees };
  }
  const { holder, ...member } = actor;
  if (operation.changes && isBounded(holder.key)) {
    throw new ServiceError(
      "INSUFFICIENT_PERMISSIONS",
      "The API key may only read. Use a key without bounds.",
    );
  }
  const sees = memberScope(holder, granting);
  // What owners may do concerns all repositories.
  const role = holder.key?.repositories === undefined ? member.role : "MEMBER";
  return { ...member, role, ...(sees === undefined ? {} : { sees }) };
}

interface KeyHolder {
  readonly key: ApiKey;
  readonly member: Member;
}

/** A separate class, so that only wrong credentials are throttled. */
class InvalidCredentials extends ServiceError {
  constructor(message: string) {
    super("NOT_AUTHENTICATED", message);
  }
}
