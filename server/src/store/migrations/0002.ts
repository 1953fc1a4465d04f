import type { Transaction } from "kysely";

/**
 * Sessions belong to keys instead of members; there were no sessions yet. Adds the time of the last removal of a
 * member, which was not stored before, so it may have been just now.
 */
export async function migration0002(transaction: Transaction<unknown>, now: number): Promise<void> {
  const { schema } = transaction;
  await schema.dropTable("session").execute();
  await schema
    .createTable("session")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("keyId", "text", (column) => column.notNull().references("apiKey.id"))
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("sessionKey").on("session").column("keyId").execute();
  await schema.createIndex("sessionExpiry").on("session").column("expiresAt").execute();
  await schema
    .alterTable("organisation")
    .addColumn("lastRemovalAt", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await transaction
    .withTables<{ organisation: { lastRemovalAt: number }; member: { id: string } }>()
    .updateTable("organisation")
    .set({ lastRemovalAt: now })
    .where(({ exists, selectFrom }) => exists(selectFrom("member").select("id")))
    .execute();
}
