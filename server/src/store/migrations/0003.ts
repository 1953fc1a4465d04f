import type { Transaction } from "kysely";
import { newIdentifier } from "#store/identifier";

/** Adds an id that distinguishes an organization from one that takes its place. */
export async function migration0003(transaction: Transaction<unknown>, now: number): Promise<void> {
  await transaction.schema
    .alterTable("organisation")
    .addColumn("uuid", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await transaction
    .withTables<{ organisation: { uuid: string } }>()
    .updateTable("organisation")
    .set({ uuid: newIdentifier(now) })
    .execute();
}
