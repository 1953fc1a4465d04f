import type { Transaction } from "kysely";

/** Adds the bounds of API keys. Existing keys have none. */
export async function migration0005(transaction: Transaction<unknown>): Promise<void> {
  const { schema } = transaction;
  await schema
    .alterTable("apiKey")
    .addColumn("isReadOnly", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("apiKey").addColumn("repositories", "text").execute();
}
