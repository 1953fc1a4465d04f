import type { Transaction } from "kysely";

/**
 * Adds the groups of members, and lets a session belong to a member who has logged in, instead of to a key. Sessions are
 * moved to a new table, because SQLite cannot drop the condition that each has a key.
 */
export async function migration0004(transaction: Transaction<unknown>): Promise<void> {
  const { schema } = transaction;
  await schema
    .alterTable("member")
    .addColumn("groups", "text", (column) => column.notNull().defaultTo("[]"))
    .execute();
  await schema
    .createTable("browserSession")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("memberId", "text", (column) => column.notNull().references("member.id"))
    .addColumn("keyId", "text", (column) => column.references("apiKey.id"))
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("lastUsedAt", "bigint", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .addColumn("endsAt", "bigint", (column) => column.notNull())
    .addColumn("loginHash", "text", (column) => column.unique())
    .addColumn("idToken", "text")
    .addColumn("userAgent", "text")
    .execute();
  const tables = transaction.withTables<Tables>();
  await tables
    .insertInto("browserSession")
    .columns(["id", "memberId", "keyId", "hash", "createdAt", "lastUsedAt", "expiresAt", "endsAt"])
    .expression(({ selectFrom }) =>
      selectFrom("session")
        .innerJoin("apiKey", "apiKey.id", "session.keyId")
        .select([
          "session.id",
          "apiKey.memberId",
          "session.keyId",
          "session.hash",
          "session.createdAt",
          "session.createdAt as lastUsedAt",
          "session.expiresAt",
          "session.expiresAt as endsAt",
        ]),
    )
    .execute();
  await schema.dropTable("session").execute();
  await schema.createIndex("browserSessionMember").on("browserSession").column("memberId").execute();
  await schema.createIndex("browserSessionKey").on("browserSession").column("keyId").execute();
  await schema.createIndex("browserSessionExpiry").on("browserSession").column("expiresAt").execute();
}

type OldSession = { id: string; keyId: string; hash: string; createdAt: number; expiresAt: number };
type NewSession = OldSession & { memberId: string; lastUsedAt: number; endsAt: number };

type Tables = {
  session: OldSession;
  browserSession: NewSession;
  apiKey: { id: string; memberId: string };
};
