/**
 * Who may do what.
 *
 * Every call comes by here before anything else is looked at: who calls, whether a licence is needed, whether the role
 * suffices, in this order. What was let in is recorded (`audit.ts`).
 *
 * Nothing is remembered here between calls of what the store says, so that a key, a member or a role that is gone is
 * gone for the very next call, whichever process took it away. The store is opened by the first call that needs it: who
 * only searches in their editor never does.
 */
import { ServiceError } from "#base/error";
import type { Operation } from "#contract/operation";
import type { Actor, AnonymousRule, Call, Credentials } from "#contract/service";
import type { ApiKey, Member } from "#model/organisation";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Store } from "#store/store";
import { looksLikeApiKey, sha256 } from "./apiKeys";
import type { InstalledLicense } from "./installedLicense";
import type { AccessTokens } from "./oauth";
import type { Refusals } from "./refusals";

export interface AccessOptions {
  readonly store: () => Promise<Store>;
  readonly license: InstalledLicense;
  /** Absent: API keys are the only bearer tokens. */
  readonly tokens?: AccessTokens;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is asked of a call. */
export type Asked = Pick<Call, "credentials" | "anonymous" | "address" | "signal">;

export interface Access {
  /**
   * The caller of `row`, where nothing stands against the call.
   *
   * Throws NOT_AUTHENTICATED, then LICENSE_REQUIRED, then INSUFFICIENT_PERMISSIONS; OVERLOADED where one address shows
   * wrong credentials too often, ENGINE_UNAVAILABLE where nobody can tell whether they are right.
   */
  admit(row: Operation, asked: Asked): Promise<Actor>;
}

/** How often it is noted that a key was used and a member active, at most. */
const noteMs = 60_000;

export function createAccess(options: AccessOptions): Access {
  const { store, license, tokens, refusals, clock, log } = options;
  /** Keys and members of which a note is on its way. */
  const noting = new Set<string>();

  return { admit };

  async function admit(row: Operation, { credentials, anonymous, address, signal }: Asked): Promise<Actor> {
    if (row.access === "open" && credentials.kind !== "local") return { kind: "anonymous" };
    let actor: Actor;
    try {
      actor = await identify(row, credentials, anonymous);
    } catch (error) {
      // Who shows nothing at all guesses nothing, and a cookie that has ended is no guess.
      const isGuess =
        error instanceof WrongCredentials && credentials.kind !== "none" && credentials.kind !== "session";
      if (isGuess) await refusals.wait(address ?? "", signal);
      throw error;
    }
    if (row.licensed !== undefined) await license.require(row.licensed);
    if (row.access === "owner" && actor.kind === "member" && actor.role !== "OWNER") {
      throw new ServiceError("INSUFFICIENT_PERMISSIONS", "Only owners of the organisation may do this.");
    }
    return actor;
  }

  async function identify(
    row: Operation,
    credentials: Credentials,
    anonymous: AnonymousRule = "off",
  ): Promise<Actor> {
    if (credentials.kind === "local") return { kind: "local" };
    if (credentials.kind === "none") {
      if (row.access === "anonymous" && (await isOpen(anonymous))) return { kind: "anonymous" };
      throw new WrongCredentials("This call needs credentials.");
    }
    const { kind, token } = credentials;
    if (kind === "session") return await signedIn(token);
    if (looksLikeApiKey(token)) return await holderOf(token);
    if (kind === "bearer" && tokens !== undefined && (await license.opens("oauth"))) {
      const member = await tokens.memberOf(token);
      if (member !== undefined) return actorOf(member);
    }
    throw new WrongCredentials("The credentials are not valid.");
  }

  async function isOpen(rule: AnonymousRule): Promise<boolean> {
    if (rule !== "untilKeys") return rule === "on";
    return !(await (await store()).apiKeys.exist());
  }

  async function holderOf(token: string): Promise<Actor> {
    const found = await (await store()).apiKeys.byHash(sha256(token));
    if (found === undefined) throw new WrongCredentials("The API key is not valid.");
    return keyHolder(found);
  }

  async function signedIn(token: string): Promise<Actor> {
    const found = await (await store()).sessions.byHash(sha256(token));
    if (found === undefined || found.session.expiresAt <= clock.now()) {
      throw new WrongCredentials("This browser is signed in no longer.");
    }
    return { ...keyHolder(found), sessionId: found.session.id };
  }

  function keyHolder({ key, member }: KeyHolder): MemberActor {
    if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) {
      throw new WrongCredentials(`The API key has expired on ${new Date(key.expiresAt).toISOString()}.`);
    }
    return actorOf(member, key);
  }

  function actorOf(member: Member, key?: ApiKey): MemberActor {
    if (member.suspendedAt !== undefined) {
      throw new WrongCredentials("The member whose credentials these are is suspended.");
    }
    noteActivity(member, key);
    const { id, role } = member;
    return { kind: "member", id, role, ...(key === undefined ? {} : { keyId: key.id }) };
  }

  /** The call does not wait for it. */
  function noteActivity(member: Member, key: ApiKey | undefined): void {
    const now = clock.now();
    note(member.id, member.lastActivityAt, async (to) => to.members.noteActivity(member.id, now));
    if (key !== undefined) note(key.id, key.lastUsedAt, async (to) => to.apiKeys.noteUse(key.id, now));
  }

  function note(id: string, before: number | undefined, write: (to: Store) => Promise<void>): void {
    if (noting.has(id) || (before !== undefined && clock.now() < before + noteMs)) return;
    noting.add(id);
    store()
      .then(write)
      .catch((error: unknown) => log.warn("It could not be noted who was active.", { error }))
      .finally(() => noting.delete(id));
  }
}

type MemberActor = Extract<Actor, { readonly kind: "member" }>;

interface KeyHolder {
  readonly key: ApiKey;
  readonly member: Member;
}

/** Told from other refusals, so that it alone is slowed down. */
class WrongCredentials extends ServiceError {
  constructor(message: string) {
    super("NOT_AUTHENTICATED", message);
  }
}
