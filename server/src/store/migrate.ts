/**
 * Brings a database to the tables that this program knows: forward only, all in one transaction, each step once.
 *
 * The table `migration` names the steps that were taken. A name that is not known here was written by a newer program.
 */
import { sql, type Transaction } from "kysely";
import { ServiceError } from "#base/error";
import { migration0001 } from "./migrations/0001";
import { migration0002 } from "./migrations/0002";
import type { Database, DatabaseTransaction } from "./tables";

type Migration = (transaction: Transaction<unknown>, now: number) => Promise<void>;

/** In the order in which they are taken. */
const migrations: ReadonlyMap<string, Migration> = new Map([
  ["0001", migration0001],
  ["0002", migration0002],
]);

/** The step that was taken last, in every database that is open. */
export const latestMigration = [...migrations.keys()].at(-1) ?? "";

/**
 * `lockStatement` keeps other processes out until the transaction ends, where the database does not do so itself.
 *
 * Throws STORAGE_FAILED where the data is newer than the program.
 */
export async function migrate(
  database: Database,
  now: number,
  lockStatement: string | undefined,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    if (lockStatement !== undefined) await sql.raw(lockStatement).execute(transaction);
    await transaction.schema
      .createTable("migration")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("appliedAt", "bigint", (column) => column.notNull())
      .execute();
    const taken = await takenMigrations(transaction);
    const unknown = taken.filter((name) => !migrations.has(name));
    if (unknown.length > 0) throw newer(unknown);
    for (const [name, step] of migrations) {
      if (taken.includes(name)) continue;
      await step(transaction as unknown as Transaction<unknown>, now);
      await transaction.insertInto("migration").values({ name, appliedAt: now }).execute();
    }
  });
}

async function takenMigrations(transaction: DatabaseTransaction): Promise<readonly string[]> {
  const rows = await transaction.selectFrom("migration").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

function newer(unknown: readonly string[]): ServiceError {
  return new ServiceError(
    "STORAGE_FAILED",
    `The database was written by a newer Trawl: it has ${unknown.map((name) => `"${name}"`).join(", ")}, and ` +
      `this one knows "${latestMigration}" at most. Use that one, or another database.`,
  );
}
