import type { Transaction } from "kysely";

/** When a member was removed last was known to one process alone: it may have been just now. */
export async function migration0002(transaction: Transaction<unknown>, now: number): Promise<void> {
  await transaction.schema
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
