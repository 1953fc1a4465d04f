import type { Session, SessionId } from "#model/organization";
import type { Clock } from "#platform/clock";
import { toApiKey } from "./apiKeys";
import type { AuditWriter } from "./auditLog";
import { newIdentifier } from "./identifier";
import { toMember } from "./members";
import type { SessionStore } from "./store";
import { type Database, lockOrganization, type SessionRow } from "./tables";

export function sessionStore(database: Database, clock: Clock, write: AuditWriter): SessionStore {
  return {
    create: ({ keyId, hash, expiresAt }, record) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganization(transaction);
        const key = await transaction
          .selectFrom("apiKey")
          .select("id")
          .where("id", "=", keyId)
          .executeTakeFirst();
        if (key === undefined) return undefined;
        const createdAt = clock.now();
        const row: SessionRow = {
          id: newIdentifier(createdAt) as SessionId,
          keyId,
          hash,
          createdAt,
          expiresAt,
        };
        await transaction.insertInto("session").values(row).execute();
        const session = toSession(row);
        await write(transaction, record?.(session));
        return session;
      }),
    async byHash(hash) {
      const row = await database
        .selectFrom("session")
        .innerJoin("apiKey", "apiKey.id", "session.keyId")
        .innerJoin("member", "member.id", "apiKey.memberId")
        .selectAll("member")
        .select([
          "session.id as sessionId",
          "session.createdAt as sessionCreatedAt",
          "session.expiresAt as sessionExpiresAt",
          "apiKey.id as keyId",
          "apiKey.name as keyName",
          "apiKey.hash as keyHash",
          "apiKey.createdAt as keyCreatedAt",
          "apiKey.expiresAt as keyExpiresAt",
          "apiKey.lastUsedAt",
        ])
        .where("session.hash", "=", hash)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { keyId } = row;
      return {
        session: {
          id: row.sessionId,
          keyId,
          createdAt: row.sessionCreatedAt,
          expiresAt: row.sessionExpiresAt,
        },
        key: toApiKey({
          id: keyId,
          memberId: row.id,
          name: row.keyName,
          hash: row.keyHash,
          createdAt: row.keyCreatedAt,
          lastUsedAt: row.lastUsedAt,
          expiresAt: row.keyExpiresAt,
        }),
        member: toMember(row),
      };
    },
    end: (id, record) =>
      database.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom("session")
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) await write(transaction, record?.(toSession(row)));
      }),
    async removeExpired(time) {
      await database.deleteFrom("session").where("expiresAt", "<=", time).execute();
    },
  };
}

function toSession({ id, keyId, createdAt, expiresAt }: SessionRow): Session {
  return { id, keyId, createdAt, expiresAt };
}
