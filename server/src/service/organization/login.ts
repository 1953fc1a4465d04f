/** Handlers of the login with an OpenID issuer. */
import { sha256 } from "#access/apiKeys";
import { type Audit, refusedLoginRecord } from "#access/audit";
import type { AuthThrottle } from "#access/authThrottle";
import { isLimitedToGroups, parseGroups, type RolesByGroup, roleOfGroups } from "#access/groups";
import { type Identified, type Login, RefusedCode } from "#access/login";
import { addMember, findMember, type MembershipOptions } from "#access/membership";
import { newSessionTimes } from "#access/sessionTimes";
import { ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import { sanitize } from "#base/sanitize";
import type { CallContext, RequestOf, ResponseOf, Service } from "#contract/service";
import type { Member, OAuthIdentity, Role } from "#model/organization";
import type { Clock } from "#platform/clock";
import { isoTime } from "./isoTime";
import { newSessionToken, shownUserAgent } from "./sessions";

export interface LoginHandlerOptions extends MembershipOptions {
  readonly audit: Audit;
  readonly clock: Clock;
  readonly authThrottle: AuthThrottle;
  /** Absent: users cannot log in. */
  readonly login?: Login | undefined;
  /** URL of the issuer. */
  readonly issuer?: string | undefined;
  readonly createsMembers: boolean;
  /** Absent: logging in does not change roles. */
  readonly rolesByGroup?: RolesByGroup | undefined;
}

/** How many logins may wait for the issuer at once. Anyone can send a code that the issuer then has to refuse. */
const maxConcurrent = 16;

export function loginHandlers(options: LoginHandlerOptions): Pick<Service, "beginLogin" | "completeLogin"> {
  const { store, audit, clock, authThrottle, issuer = "", createsMembers, rolesByGroup = {} } = options;
  const limiter = new Limiter(maxConcurrent);

  return {
    async beginLogin({ returnTo }, { baseUrl }) {
      const { login, base } = requireLogin(baseUrl);
      return await login.begin(returnTo, base);
    },
    async completeLogin(request, context) {
      const identified = await identify(request, context);
      const member = await admit(identified, context);
      return await startSession(member, identified, request, context);
    },
  };

  function requireLogin(baseUrl: string | undefined) {
    const { login } = options;
    if (login !== undefined && baseUrl !== undefined) return { login, base: baseUrl };
    throw new ServiceError(
      "NOT_FOUND",
      "No login is configured for this server, or for the process that leads its data directory.",
    );
  }

  async function identify(
    { transaction, ...response }: RequestOf<"completeLogin">,
    { baseUrl, address = "", signal }: CallContext,
  ): Promise<Identified> {
    const { login, base } = requireLogin(baseUrl);
    try {
      return await limiter.run(() => login.complete(response, transaction, base), signal, address);
    } catch (error) {
      if (error instanceof RefusedCode) await authThrottle.delayRefusal(address, signal);
      throw error;
    }
  }

  /** Returns the member who has logged in, with the role and the groups that the issuer says. */
  async function admit(identified: Identified, context: CallContext): Promise<Member> {
    const { subject, profile } = identified;
    const identity: OAuthIdentity = { issuer, subject };
    const groups = parseGroups(identified.groups, rolesByGroup);
    const role = roleOfGroups(groups, rolesByGroup);
    const claims = { groups, role, codeHostLogins: identified.codeHostLogins };
    const known = await findMember(options, identity, profile);
    if (known !== undefined) await updateClaims(known, claims, context);
    const name = profile.email ?? subject;
    if (isLimitedToGroups(rolesByGroup) && role === undefined) {
      if (known !== undefined) await endLogins(known, context);
      await refuse("groups", `${name} is in none of the groups that may use this server.`, known);
    }
    if (known !== undefined) {
      if (known.suspendedAt === undefined) return known;
      await refuse("suspended", `${name} is disabled. Ask an owner of the organization.`, known);
    }
    if (!createsMembers) {
      await refuse("unknown", `${name} is not a member of this organization. Ask an owner to add you.`);
    }
    const joining = await addMember(options, identity, profile, role);
    switch (joining.kind) {
      case "member":
        await updateClaims(joining.member, claims, context);
        return joining.member;
      case "unverified":
        return await refuse(
          "unverified",
          "The login server has not verified your email address, so you cannot become a member.",
        );
      case "full":
        return await refuse("full", "All seats of the license are taken. Ask an owner of the organization.");
      case "outdated":
        return await refuse(
          "outdated",
          "You logged in before the last removal of a member, so you cannot become a member. Log in again in a minute.",
        );
    }

    async function refuse(reason: string, message: string, member?: Member): Promise<never> {
      const { email = "" } = profile;
      const metadata = { reason, subject, ...(email === "" ? {} : { email }) };
      await (await store()).auditLog.append(refusedLoginRecord(member, metadata));
      throw new ServiceError("INSUFFICIENT_PERMISSIONS", sanitize(message));
    }
  }

  /** Ends the sessions of a member whose logins are no longer accepted. */
  async function endLogins(member: Member, context: CallContext): Promise<void> {
    const { sessions } = await store();
    const record = await audit.recordBuilder(actingAs(member, context));
    for (const { id, keyId } of await sessions.ofMember(member.id)) {
      if (keyId !== undefined) continue;
      await sessions.end(id, () =>
        record({
          action: "user.session_revoked",
          targetType: "user",
          targetId: member.id,
          metadata: { session: id, reason: "groups" },
        }),
      );
    }
  }

  async function updateClaims(
    member: Member,
    { role, ...claims }: Claims,
    context: CallContext,
  ): Promise<void> {
    const hasRoles = Object.keys(rolesByGroup).length > 0;
    const newRole = hasRoles ? (role ?? "MEMBER") : undefined;
    const action = newRole === "OWNER" ? "org.member_promoted_to_owner" : "org.owner_demoted_to_member";
    const record = await audit.recordBuilder(actingAs(member, context));
    await (await store()).members.setClaims(member.id, { ...claims, role: newRole }, ({ id }) =>
      record({ action, targetType: "user", targetId: id, metadata: { reason: "groups" } }),
    );
  }

  async function startSession(
    { id: memberId, ...member }: Member,
    { loginHash, idToken, returnPath }: Identified,
    { replacedToken, userAgent }: RequestOf<"completeLogin">,
    context: CallContext,
  ): Promise<ResponseOf<"completeLogin">> {
    const token = newSessionToken();
    const times = newSessionTimes(clock.now());
    const record = await audit.recordBuilder(actingAs({ id: memberId, ...member }, context));
    const session = await (await store()).sessions.create(
      {
        memberId,
        hash: sha256(token),
        ...times,
        loginHash,
        idToken,
        userAgent: shownUserAgent(userAgent),
        replacedHash: replacedToken && sha256(replacedToken),
      },
      () =>
        record({
          action: "user.signed_in",
          targetType: "user",
          targetId: memberId,
          metadata: { method: "login" },
        }),
    );
    // The transaction was used before, or the member was removed during this call.
    if (session === undefined) throw new ServiceError("NOT_AUTHENTICATED", "This login was used already.");
    return { token, expiresAt: isoTime(times.endsAt), returnTo: returnPath };
  }
}

/** What the issuer says about a user at each login. */
interface Claims extends Pick<Identified, "codeHostLogins"> {
  readonly groups: readonly string[];
  readonly role: Role | undefined;
}

/** Returns the context of what a member does who has just logged in. */
function actingAs({ id, role }: Pick<Member, "id" | "role">, { source }: CallContext) {
  const actor = { kind: "member", id, role } as const;
  return source === undefined ? { actor } : { actor, source };
}
