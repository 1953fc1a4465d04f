/** Browser sessions, which a login starts, or an API key, which a browser cannot send as a header when it opens a page. */
import { randomBytes } from "node:crypto";
import { sha256 } from "#access/apiKeys";
import type { Audit } from "#access/audit";
import { type Login, logoutPath } from "#access/login";
import { ServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type * as contract from "#contract/organization";
import type { Service } from "#contract/service";
import type { ApiKeyId, MemberId, Session, SessionId } from "#model/organization";
import type { Clock } from "#platform/clock";
import type { Store } from "#store/store";
import { idOf, mayManageAll } from "./actors";
import { isoTime } from "./isoTime";

export interface SessionOptions {
  readonly store: () => Promise<Store>;
  readonly audit: Audit;
  /** Absent: users cannot log in. */
  readonly login?: Login | undefined;
  readonly clock: Clock;
}

/** How long a session lasts that was started with an API key: a week. */
const keySessionMs = 7 * 24 * 60 * 60 * 1000;

type SessionOperation = "signIn" | "signOut" | "sessions" | "revokeSession";

export function sessionHandlers({
  store,
  audit,
  login,
  clock,
}: SessionOptions): Pick<Service, SessionOperation> {
  return {
    async signIn({ userAgent }, context) {
      const { actor } = context;
      if (actor.kind !== "member" || actor.keyId === undefined || actor.sessionId !== undefined) {
        throw new ServiceError("INVALID_REQUEST_BODY", "To log in, send an API key.");
      }
      const { id: memberId, keyId } = actor;
      const member = await (await store()).members.get(idOf(actor));
      if (member?.isService)
        throw new ServiceError("INSUFFICIENT_PERMISSIONS", "A service account cannot log in in a browser.");
      const token = newSessionToken();
      const expiresAt = clock.now() + keySessionMs;
      const record = await audit.recordBuilder(context);
      const session = await (await store()).sessions.create(
        { keyId: keyId as ApiKeyId, hash: sha256(token), expiresAt, userAgent: shownUserAgent(userAgent) },
        () => record({ action: "user.signed_in", targetType: "user", targetId: memberId }),
      );
      // The key was revoked during this call.
      if (session === undefined) throw new ServiceError("NOT_AUTHENTICATED", "The API key is not valid.");
      return { token, expiresAt: isoTime(expiresAt) };
    },

    async signOut(_request, context) {
      const { actor, baseUrl } = context;
      if (actor.kind !== "member" || actor.sessionId === undefined) {
        throw new ServiceError("INVALID_REQUEST_BODY", "This browser is not logged in.");
      }
      const { id: memberId, sessionId } = actor;
      const record = await audit.recordBuilder(context);
      const session = await (await store()).sessions.end(sessionId as SessionId, () =>
        record({ action: "user.signed_out", targetType: "user", targetId: memberId }),
      );
      if (session === undefined || session.keyId !== undefined || baseUrl === undefined) return {};
      return { url: (await login?.logoutUrl(session.idToken, baseUrl)) ?? `${baseUrl}${logoutPath}` };
    },

    async sessions(_request, { actor }) {
      const { sessions } = await store();
      const all = mayManageAll(actor) ? await sessions.all() : await sessions.ofMember(idOf(actor));
      const current = actor.kind === "member" ? actor.sessionId : undefined;
      const now = clock.now();
      return all
        .filter(({ expiresAt }) => expiresAt > now)
        .map((session) => toContractSession(session, session.id === current));
    },

    async revokeSession({ sessionId }, context) {
      const { actor } = context;
      const { sessions } = await store();
      const own = mayManageAll(actor) ? undefined : await sessions.ofMember(idOf(actor));
      const isAllowed = own === undefined || own.some(({ id }) => id === sessionId);
      const record = await audit.recordBuilder(context);
      const revocation = ({ id, memberId }: Session) =>
        record({
          action: "user.session_revoked",
          targetType: "user",
          targetId: memberId,
          metadata: { session: id },
        });
      const session = isAllowed ? await sessions.end(sessionId as SessionId, revocation) : undefined;
      if (session === undefined) throw new ServiceError("NOT_FOUND", `There is no session ${sessionId}.`);
      return {};
    },
  };
}

/** Returns 43 characters of base64url, which encode 32 random bytes. */
export function newSessionToken(): string {
  return randomBytes(32).toString("base64url");
}

const maxUserAgentCharacters = 200;

/** Makes what a browser says about itself safe to show. */
export function shownUserAgent(userAgent: string | undefined): string | undefined {
  return userAgent && sanitize(userAgent.slice(0, maxUserAgentCharacters));
}

function toContractSession(session: Session, isCurrent: boolean): contract.Session {
  const { id, memberId, keyId, userAgent, createdAt, lastUsedAt, expiresAt } = session;
  return {
    id,
    userId: memberId satisfies MemberId,
    keyId: keyId ?? null,
    userAgent: userAgent ?? null,
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTime(lastUsedAt),
    expiresAt: isoTime(expiresAt),
    isCurrent,
  };
}
