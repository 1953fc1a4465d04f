/** Runs a benchmark on each database that a store supports. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "#platform/log";
import { startThread } from "#platform/workerThread";
import type { DatabaseSource } from "#store/connection";
import { embeddedDatabase } from "#store/embedded";
import { postgresDatabase } from "#store/postgres";
import { projectRoot } from "#test/support/house";
import { howToGetPostgres, postgresFolder, startPostgres } from "#test/support/postgres";
import { heading } from "./report";

export interface BenchedDatabases {
  /** A folder for files. */
  readonly scratch: string;
  /** Returns the heading for a database. */
  readonly title: (database: string) => string;
  /** `source` can be called again for the same database. */
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
