import type { Session, SessionId } from "#model/organization";
import type { Clock } from "#platform/clock";
import { toApiKey } from "./apiKeys";
import type { AuditWriter } from "./auditLog";
import { newIdentifier } from "./identifier";
import { memberRow, toMember } from "./members";
import type { NewSession, SessionStore } from "./store";
import {
  type ApiKeyRow,
  type Database,
  type DatabaseTransaction,
  isOutdated,
  lockOrganization,
  type SessionRow,
} from "./tables";

export function sessionStore(database: Database, clock: Clock, write: AuditWriter): SessionStore {
  const sessions = database.selectFrom("browserSession").selectAll();
  return {
    async all() {
      const rows = await sessions.orderBy("memberId").orderBy("createdAt").orderBy("id").execute();
      return rows.map(toSession);
    },
    async ofMember(id) {
      const rows = await sessions.where("memberId", "=", id).orderBy("createdAt").orderBy("id").execute();
      return rows.map(toSession);
    },
    create: (session, record) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganization(transaction);
        const holder = await holderOf(transaction, session);
        if (holder === undefined) return undefined;
        const { hash, expiresAt, endsAt = expiresAt, userAgent } = session;
        const { replacedHash, loginHash, idToken } = "loginHash" in session ? session : {};
        const createdAt = clock.now();
        const row: SessionRow = {
          id: newIdentifier(createdAt) as SessionId,
          ...holder,
          hash,
          createdAt,
          lastUsedAt: createdAt,
          expiresAt,
          endsAt,
          loginHash: loginHash ?? null,
          idToken: idToken ?? null,
          userAgent: userAgent ?? null,
        };
        const inserted = await transaction
          .insertInto("browserSession")
          .values(row)
          .onConflict((conflict) => conflict.column("loginHash").doNothing())
          .returningAll()
          .executeTakeFirst();
        if (inserted === undefined) return undefined;
        if (replacedHash !== undefined)
          await transaction.deleteFrom("browserSession").where("hash", "=", replacedHash).execute();
        const created = toSession(inserted);
        await write(transaction, record?.(created));
        return created;
      }),
    async byHash(hash) {
      const row = await sessions.where("hash", "=", hash).executeTakeFirst();
      if (row === undefined) return undefined;
      const [member, key] = await Promise.all([
        memberRow(database, row.memberId),
        row.keyId === null ? undefined : keyRow(database, row.keyId),
      ]);
      // Ended in the meantime, with its member or its key.
      if (member === undefined || (row.keyId !== null && key === undefined)) return undefined;
      return {
        session: toSession(row),
        ...(key === undefined ? {} : { key: toApiKey(key) }),
        member: toMember(member),
      };
    },
    async recordUse(id, { time, expiresAt }) {
      await database
        .updateTable("browserSession")
        .set({ lastUsedAt: time, expiresAt })
        .where("id", "=", id)
        .where(isOutdated("lastUsedAt", time))
        .execute();
    },
    end: (id, record) =>
      database.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom("browserSession")
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        const session = toSession(row);
        await write(transaction, record?.(session));
        return session;
      }),
    async removeExpired(time) {
      await database.deleteFrom("browserSession").where("expiresAt", "<=", time).execute();
    },
  };
}

/** Returns the member and key of a new session; undefined if one of them does not exist. */
async function holderOf(
  transaction: DatabaseTransaction,
  session: NewSession,
): Promise<Pick<SessionRow, "memberId" | "keyId"> | undefined> {
  if ("keyId" in session) {
    const key = await keyRow(transaction, session.keyId);
    return key && { memberId: key.memberId, keyId: key.id };
  }
  const member = await memberRow(transaction, session.memberId);
  return member && { memberId: member.id, keyId: null };
}

function keyRow(database: Database, id: ApiKeyRow["id"]): Promise<ApiKeyRow | undefined> {
  return database.selectFrom("apiKey").selectAll().where("id", "=", id).executeTakeFirst();
}

function toSession(row: SessionRow): Session {
  const { id, memberId, keyId, createdAt, lastUsedAt, expiresAt, endsAt, idToken, userAgent } = row;
  return {
    id,
    memberId,
    ...(keyId === null ? {} : { keyId }),
    createdAt,
    lastUsedAt,
    expiresAt,
    endsAt,
    ...(idToken === null ? {} : { idToken }),
    ...(userAgent === null ? {} : { userAgent }),
  };
}
