/** The database of an instance: in its data folder, or the one that it was told of. Its code is loaded here and not before. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Configuration } from "#cli/configuration";
import { systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import { startThread } from "#platform/workers";
import type { DatabaseSource } from "#store/openStore";
import type { Store } from "#store/store";

/** Whether there is one, which may hold records that are past their time. */
export function hasDatabase({ dataDir, database }: Configuration): boolean {
  return database !== undefined || existsSync(databaseFile(dataDir));
}

/** Only for the process that holds the data folder. Throws STORAGE_FAILED, ENGINE_UNAVAILABLE. */
export async function openDatabase(configuration: Configuration, version: string, log: Log): Promise<Store> {
  const [{ openStore }, { withRetention }, source] = await Promise.all([
    import("#store/openStore"),
    import("#store/retention"),
    sourceOf(configuration, log),
  ]);
  const store = await openStore({ source, version, clock: systemClock });
  return withRetention(store, { days: configuration.auditDays, clock: systemClock, log });
}

async function sourceOf({ dataDir, database }: Configuration, log: Log): Promise<DatabaseSource> {
  if (database !== undefined) {
    const { postgresDatabase } = await import("#store/postgres");
    return postgresDatabase(database, log);
  }
  const { embeddedDatabase } = await import("#store/embedded");
  const script = join(__dirname, "storeWorker.js");
  return embeddedDatabase(databaseFile(dataDir), () => startThread(script));
}

function databaseFile(dataDir: string): string {
  return join(dataDir, "trawl.db");
}
