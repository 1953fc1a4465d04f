import type { Transaction } from "kysely";

/** Never edit a released migration; add another one. */
export async function migration0001(transaction: Transaction<unknown>, now: number): Promise<void> {
  const { schema } = transaction;
  await schema
    .createTable("organisation")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("license", "text")
    .addColumn("latestTime", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("member")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("organisationId", "integer", (column) => column.notNull().references("organisation.id"))
    .addColumn("name", "text")
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("emailKey", "text", (column) => column.notNull().unique())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("oauthIssuer", "text")
    .addColumn("oauthSubject", "text")
    .addColumn("suspendedAt", "bigint")
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("updatedAt", "bigint", (column) => column.notNull())
    .addColumn("lastActivityAt", "bigint")
    .addUniqueConstraint("memberOAuth", ["oauthIssuer", "oauthSubject"])
    .execute();
  await schema
    .createTable("apiKey")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("memberId", "text", (column) => column.notNull().references("member.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("lastUsedAt", "bigint")
    .addColumn("expiresAt", "bigint")
    .addUniqueConstraint("apiKeyName", ["memberId", "name"])
    .execute();
  await schema
    .createTable("session")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("memberId", "text", (column) => column.notNull().references("member.id"))
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("sessionMember").on("session").column("memberId").execute();
  await schema.createIndex("sessionExpiry").on("session").column("expiresAt").execute();
  // Records are queried by time alone, so the key begins with it.
  await schema
    .createTable("auditRecord")
    .addColumn("timestamp", "bigint", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("organisationId", "integer", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("actorId", "text", (column) => column.notNull())
    .addColumn("actorType", "text", (column) => column.notNull())
    .addColumn("targetId", "text", (column) => column.notNull())
    .addColumn("targetType", "text", (column) => column.notNull())
    .addColumn("serviceVersion", "text", (column) => column.notNull())
    .addColumn("metadata", "text")
    .addPrimaryKeyConstraint("auditRecordKey", ["timestamp", "id"])
    .execute();
  await schema
    .createTable("auditCount")
    .addColumn("level", "integer", (column) => column.notNull())
    .addColumn("start", "bigint", (column) => column.notNull())
    .addColumn("count", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("auditCountKey", ["level", "start"])
    .execute();
  await transaction
    .withTables<{ organisation: { id: number; name: string; license: null; latestTime: number } }>()
    .insertInto("organisation")
    .values({ id: 1, name: "Trawl", license: null, latestTime: now })
    .execute();
}
