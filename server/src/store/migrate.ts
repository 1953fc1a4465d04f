/**
 * Migrates a database to the current tables: forward only, in one transaction, each step once.
 *
 * The table `migration` lists the applied steps. A step that this version does not know comes from a newer version.
 */
import { sql, type Transaction } from "kysely";
import { ServiceError } from "#base/error";
import type { DatabaseSource } from "./connection";
import { newIdentifier } from "./identifier";
import { type ExpectedOrganization, OrganizationLost } from "./lostOrganization";
import { migration0001 } from "./migrations/0001";
import { migration0002 } from "./migrations/0002";
import { migration0003 } from "./migrations/0003";
import { migration0004 } from "./migrations/0004";
import { migration0005 } from "./migrations/0005";
import { migration0006 } from "./migrations/0006";
import { type Database, type DatabaseTransaction, organizationId } from "./tables";

export interface MigrateOptions {
  readonly source: Pick<DatabaseSource, "migrationLock" | "isExclusive" | "name">;
  readonly now: number;
  readonly expected?: ExpectedOrganization | undefined;
}

type Migration = (transaction: Transaction<unknown>, now: number) => Promise<void>;

/** In the order of application. */
const migrations: ReadonlyMap<string, Migration> = new Map([
  ["0001", migration0001],
  ["0002", migration0002],
  ["0003", migration0003],
  ["0004", migration0004],
  ["0005", migration0005],
  ["0006", migration0006],
]);

/** The name of the last step. Every open store has applied it. */
export const latestMigration = [...migrations.keys()].at(-1) ?? "";

/**
 * Applies the missing steps. Throws ENGINE_UNAVAILABLE, and changes nothing, if a newer version has migrated the
 * database, if a database file contains the tables of another program, or if there are no tables to contain `expected`.
 */
export async function migrate(database: Database, { source, now, expected }: MigrateOptions): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    if (source.migrationLock !== undefined) await sql.raw(source.migrationLock).execute(transaction);
    if (source.isExclusive) await refuseForeignTables(transaction);
    await transaction.schema
      .createTable("migration")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("appliedAt", "bigint", (column) => column.notNull())
      .execute();
    const applied = await appliedMigrations(transaction);
    if (expected !== undefined && applied.length === 0)
      throw new OrganizationLost("empty", source.name, expected.database);
    const unknown = applied.filter((name) => !migrations.has(name));
    if (unknown.length > 0) throw newerDatabase(unknown);
    for (const [name, step] of migrations) {
      if (applied.includes(name)) continue;
      await step(transaction as unknown as Transaction<unknown>, now);
      await transaction.insertInto("migration").values({ name, appliedAt: now }).execute();
    }
    // A no-op after migration 0001, unless somebody has emptied the tables.
    if (expected === undefined) await addOrganization(transaction, now);
  });
}

async function addOrganization(transaction: DatabaseTransaction, now: number): Promise<void> {
  const row = { id: organizationId, name: "Trawl", license: null, latestTime: now, lastRemovalAt: 0 };
  await transaction
    .insertInto("organisation")
    .values({ ...row, uuid: newIdentifier(now) })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

async function appliedMigrations(transaction: DatabaseTransaction): Promise<readonly string[]> {
  const rows = await transaction.selectFrom("migration").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

async function refuseForeignTables(transaction: DatabaseTransaction): Promise<void> {
  // Kysely's introspection reads all columns of all tables, which would take a tenth of the time of a short command.
  const names = async (text: string) => (await sql.raw<{ name: string }>(text).execute(transaction)).rows;
  const tables = await names(
    "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name",
  );
  const columns = await names("select name from pragma_table_info('migration')");
  if (tables.length === 0 || columns.some(({ name }) => name === "appliedAt")) return;
  throw new ServiceError(
    "ENGINE_UNAVAILABLE",
    `trawl.db is the database of another program: it has the table "${tables[0]?.name}". Move it out of the data directory.`,
  );
}

function newerDatabase(unknown: readonly string[]): ServiceError {
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    `The database was written by a newer Trawl: it contains ${unknown.map((name) => `"${name}"`).join(", ")}, but ` +
      `this version supports migrations up to "${latestMigration}". Use the newer Trawl, or another database.`,
  );
}
