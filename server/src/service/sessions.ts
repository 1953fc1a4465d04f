/** Browsers that are signed in, each with an API key: for the pages, because nobody can give a browser a header. */
import { randomBytes } from "node:crypto";
import { sha256 } from "#access/apiKeys";
import type { Audit } from "#access/audit";
import { ServiceError } from "#base/error";
import type { Service } from "#contract/service";
import type { ApiKeyId, SessionId } from "#model/organisation";
import type { Clock } from "#platform/clock";
import type { Store } from "#store/store";

export interface SessionOptions {
  readonly store: () => Promise<Store>;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** Who is signed in for a week looks up a key once a week. */
const lengthMs = 7 * 24 * 60 * 60 * 1000;

export function sessionHandlers({
  store,
  audit,
  clock,
}: SessionOptions): Pick<Service, "signIn" | "signOut"> {
  return {
    async signIn(_request, context) {
      const { actor } = context;
      if (actor.kind !== "member" || actor.keyId === undefined || actor.sessionId !== undefined) {
        throw new ServiceError("INVALID_REQUEST_BODY", "A browser is signed in with an API key.");
      }
      const { id: memberId, keyId } = actor;
      const token = randomBytes(32).toString("base64url");
      const expiresAt = clock.now() + lengthMs;
      const record = await audit.by(context);
      const session = await (await store()).sessions.create(
        { keyId: keyId as ApiKeyId, hash: sha256(token), expiresAt },
        () => record({ action: "user.signed_in", targetType: "user", targetId: memberId }),
      );
      // It was revoked in this very moment.
      if (session === undefined) throw new ServiceError("NOT_AUTHENTICATED", "The API key is not valid.");
      return { token, expiresAt: new Date(expiresAt).toISOString() };
    },

    async signOut(_request, context) {
      const { actor } = context;
      if (actor.kind !== "member" || actor.sessionId === undefined) {
        throw new ServiceError("INVALID_REQUEST_BODY", "Only a browser that is signed in is signed out.");
      }
      const { id: memberId, sessionId } = actor;
      const record = await audit.by(context);
      await (await store()).sessions.end(sessionId as SessionId, () =>
        record({ action: "user.signed_out", targetType: "user", targetId: memberId }),
      );
      return {};
    },
  };
}
