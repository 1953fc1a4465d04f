/**
 * Migrates a database to the current tables: forward only, in one transaction, each step once.
 *
 * The table `migration` lists the applied steps. A step that this version does not know comes from a newer version, and
 * is refused unless its name says that versions like this one can still use the database: they can after a step named
 * `NNNN-from-MMMM` if they know step MMMM.
 */
import { sql, type Transaction } from "kysely";
import { ServiceError } from "#base/error";
import { type DatabaseSource, isReadOnly } from "./connection";
import { newIdentifier } from "./identifier";
import { type ExpectedOrganization, OrganizationLost } from "./lostOrganization";
import { migration0001 } from "./migrations/0001";
import { migration0002 } from "./migrations/0002";
import { migration0003 } from "./migrations/0003";
import { migration0004 } from "./migrations/0004";
import { migration0005 } from "./migrations/0005";
import { migration0006 } from "./migrations/0006";
import { NewerDatabase } from "./newerDatabase";
import { type Database, type DatabaseTransaction, organizationId } from "./tables";

export interface MigrateOptions {
  readonly source: Pick<DatabaseSource, "migrationLock" | "isExclusive" | "name">;
  readonly now: number;
  readonly expected?: ExpectedOrganization | undefined;
}

type Migration = (transaction: Transaction<unknown>, now: number) => Promise<void>;

/**
 * In the order of application. A step that only adds tables, or columns with defaults, is named `NNNN-from-MMMM`, where
 * MMMM is the latest step that the previous release knows. Then servers of both releases can run at once. Do not name a
 * step so if what it adds limits what somebody may do or see, because servers that do not know it would ignore the limit.
 */
const migrations: ReadonlyMap<string, Migration> = new Map([
  ["0001", migration0001],
  ["0002", migration0002],
  ["0003", migration0003],
  ["0004", migration0004],
  ["0005", migration0005],
  ["0006", migration0006],
]);

/** The name of the last step that this version knows. Every open store has applied it. */
export const latestMigration = [...migrations.keys()].at(-1) ?? "";

/**
 * Applies the missing steps. Throws ENGINE_UNAVAILABLE, and changes nothing, if a newer version has migrated the
 * database so that this one cannot use it, if a database file contains the tables of another program, or if there are
 * no tables to contain `expected`.
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<void> {
  try {
    await applyMigrations(database, options);
  } catch (error) {
    // A database that is read-only refuses to create even what exists.
    if (!isReadOnly(error) || !(await isMigrated(database))) throw error;
  }
}

/** Whether no step is missing, so that the database can be read. */
async function isMigrated(database: Database): Promise<boolean> {
  const applied = await appliedMigrations(database).catch((): string[] => []);
  refuseUnknown(applied);
  return [...migrations.keys()].every((name) => applied.includes(name));
}

function refuseUnknown(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !migrations.has(name) && !isCompatible(name));
  if (unknown.length > 0) throw new NewerDatabase(unknown, latestMigration);
}

async function applyMigrations(database: Database, { source, now, expected }: MigrateOptions): Promise<void> {
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
    refuseUnknown(applied);
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

/** Returns the names of all steps that were applied to the database, in their order. */
export async function appliedMigrations(database: Database): Promise<readonly string[]> {
  const rows = await database.selectFrom("migration").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

/** Whether an unknown step is named `NNNN-from-MMMM`, and this version knows MMMM. */
function isCompatible(name: string): boolean {
  const [, from] = /^\d{4}-from-(\d{4})$/.exec(name) ?? [];
  return from !== undefined && from <= latestMigration.slice(0, 4);
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
