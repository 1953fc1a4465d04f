import type { Transaction } from "kysely";

/** Adds service accounts, and the names of members on code hosts. Existing members are persons without such names. */
export async function migration0006(transaction: Transaction<unknown>): Promise<void> {
  const { schema } = transaction;
  await schema
    .alterTable("member")
    .addColumn("isService", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable("member")
    .addColumn("codeHostLogins", "text", (column) => column.notNull().defaultTo("{}"))
    .execute();
}
