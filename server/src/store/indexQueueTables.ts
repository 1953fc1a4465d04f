import { sql } from "kysely";
import { type DatabaseSource, isReadOnly } from "./connection";
import type { Database } from "./tables";

/**
 * Creates the tables of the queue of index jobs if they do not exist. They are no part of the migrations of the
 * organization: an indexer must not create an organization in a database that has lost its own, because nothing would
 * define permissions then. Servers of several versions use these tables at once, and nothing alters existing ones: what a
 * later version needs in addition goes into a table of its own.
 */
export async function createQueueTables(database: Database, source: DatabaseSource): Promise<void> {
  try {
    await createTables(database, source);
  } catch (error) {
    // A database that is read-only refuses to create even what exists.
    if (!isReadOnly(error) || !(await hasTables(database))) throw error;
  }
}

/** Whether the tables exist. Looks for the one that is created last: all are created together. */
function hasTables(database: Database): Promise<boolean> {
  const query = database.selectFrom("clusterRepository").select("id").limit(1);
  return query.execute().then(
    () => true,
    () => false,
  );
}

async function createTables(database: Database, source: DatabaseSource): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    if (source.migrationLock !== undefined) await sql.raw(source.migrationLock).execute(transaction);
    const { schema } = transaction;
    await schema
      .createTable("indexJob")
      .ifNotExists()
      .addColumn("repositoryId", "integer", (column) => column.notNull())
      .addColumn("node", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("source", "text", (column) => column.notNull())
      .addColumn("maxFileBytes", "bigint", (column) => column.notNull())
      .addColumn("wanted", "text", (column) => column.notNull())
      .addColumn("indexed", "text")
      .addColumn("version", "bigint", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("wantedAt", "bigint", (column) => column.notNull())
      .addColumn("dueAt", "bigint")
      .addColumn("lease", "text")
      .addColumn("lastError", "text")
      .addPrimaryKeyConstraint("indexJobKey", ["repositoryId", "node"])
      .execute();
    await schema
      .createIndex("indexJobDue")
      .ifNotExists()
      .on("indexJob")
      .columns(["node", "dueAt", "repositoryId"])
      .execute();
    await schema
      .createTable("clusterNode")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("isDrained", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("seenAt", "bigint")
      .execute();
    await schema
      .createTable("clusterRepository")
      .ifNotExists()
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull().unique())
      .execute();
  });
}
