/** Browser sessions. Each acts as an API key, which a browser cannot send as a header when it opens a page. */
import { randomBytes } from "node:crypto";
import { sha256 } from "#access/apiKeys";
import type { Audit } from "#access/audit";
import { ServiceError } from "#base/error";
import type { Service } from "#contract/service";
import type { ApiKeyId, SessionId } from "#model/organization";
import type { Clock } from "#platform/clock";
import type { Store } from "#store/store";

export interface SessionOptions {
  readonly store: () => Promise<Store>;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** How long a session lasts: a week. */
const sessionMs = 7 * 24 * 60 * 60 * 1000;

export function sessionHandlers({
  store,
  audit,
  clock,
}: SessionOptions): Pick<Service, "signIn" | "signOut"> {
  return {
    async signIn(_request, context) {
      const { actor } = context;
      if (actor.kind !== "member" || actor.keyId === undefined || actor.sessionId !== undefined) {
        throw new ServiceError("INVALID_REQUEST_BODY", "To sign in, send an API key.");
      }
      const { id: memberId, keyId } = actor;
      const token = randomBytes(32).toString("base64url");
      const expiresAt = clock.now() + sessionMs;
      const record = await audit.recordBuilder(context);
      const session = await (await store()).sessions.create(
        { keyId: keyId as ApiKeyId, hash: sha256(token), expiresAt },
        () => record({ action: "user.signed_in", targetType: "user", targetId: memberId }),
      );
      // The key was revoked during this call.
      if (session === undefined) throw new ServiceError("NOT_AUTHENTICATED", "The API key is not valid.");
      return { token, expiresAt: new Date(expiresAt).toISOString() };
    },

    async signOut(_request, context) {
      const { actor } = context;
      if (actor.kind !== "member" || actor.sessionId === undefined) {
        throw new ServiceError("INVALID_REQUEST_BODY", "This browser is not signed in.");
      }
      const { id: memberId, sessionId } = actor;
      const record = await audit.recordBuilder(context);
      await (await store()).sessions.end(sessionId as SessionId, () =>
        record({ action: "user.signed_out", targetType: "user", targetId: memberId }),
      );
      return {};
    },
  };
}
