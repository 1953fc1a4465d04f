import type { SessionId } from "#model/organisation";
import type { Clock } from "#platform/clock";
import { newIdentifier } from "./identifier";
import { memberRow, toMember } from "./members";
import type { SessionStore } from "./store";
import { type Database, lockOrganisation } from "./tables";

export function sessionStore(database: Database, clock: Clock): SessionStore {
  return {
    create: ({ memberId, hash, expiresAt }) =>
      database.transaction().execute(async (transaction) => {
        await lockOrganisation(transaction);
        if ((await memberRow(transaction, memberId)) === undefined) return undefined;
        const createdAt = clock.now();
        const session = { id: newIdentifier(createdAt) as SessionId, memberId, createdAt, expiresAt };
        await transaction
          .insertInto("session")
          .values({ ...session, hash })
          .execute();
        return session;
      }),
    async byHash(hash) {
      const row = await database
        .selectFrom("session")
        .innerJoin("member", "member.id", "session.memberId")
        .selectAll("member")
        .select([
          "session.id as sessionId",
          "session.createdAt as sessionCreatedAt",
          "session.expiresAt as sessionExpiresAt",
        ])
        .where("session.hash", "=", hash)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const session = {
        id: row.sessionId,
        memberId: row.id,
        createdAt: row.sessionCreatedAt,
        expiresAt: row.sessionExpiresAt,
      };
      return { session, member: toMember(row) };
    },
    async end(id) {
      await database.deleteFrom("session").where("id", "=", id).execute();
    },
    async removeExpired(time) {
      await database.deleteFrom("session").where("expiresAt", "<=", time).execute();
    },
  };
}
