/** The databases that a store can lie in, one after the other. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "#platform/log";
import { startThread } from "#platform/workers";
import { embeddedDatabase } from "#store/embedded";
import type { DatabaseSource } from "#store/openStore";
import { postgresDatabase } from "#store/postgres";
import { projectRoot } from "#test/support/house";
import { howToGetPostgres, postgresFolder, startPostgres } from "#test/support/postgres";
import { heading } from "./report";

export interface BenchedDatabases {
  /** For files. */
  readonly scratch: string;
  /** The heading of a database's part. */
  readonly title: (database: string) => string;
  /** `source` may be asked again, for the same database. */
  readonly bench: (source: () => DatabaseSource) => Promise<void>;
}

export async function benchDatabases({ scratch, title, bench }: BenchedDatabases): Promise<void> {
  mkdirSync(scratch, { recursive: true });
  heading(title("Embedded database"));
  const script = join(projectRoot(), "dist/server/storeWorker.js");
  await bench(() => embeddedDatabase(join(scratch, "bench.db"), () => startThread(script)));
  heading(title("PostgreSQL"));
  const binaries = postgresFolder();
  if (binaries === undefined) {
    console.log(`${howToGetPostgres}\n`);
    return;
  }
  const server = await startPostgres(binaries);
  try {
    const url = await server.database();
    await bench(() => postgresDatabase(url, silentLog));
  } finally {
    await server.close();
  }
}
