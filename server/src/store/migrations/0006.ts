import type { Transaction } from "kysely";

/** Adds the queue of the indexers that run beside Zoekt nodes, and what is known about the nodes. */
export async function migration0006(transaction: Transaction<unknown>): Promise<void> {
  const { schema } = transaction;
  await schema
    .createTable("indexJob")
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
  await schema.createIndex("indexJobDue").on("indexJob").columns(["node", "dueAt", "repositoryId"]).execute();
  await schema
    .createTable("clusterNode")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("isDrained", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("seenAt", "bigint")
    .execute();
}
