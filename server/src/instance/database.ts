/** The database of an instance: a file in its data directory, or the configured PostgreSQL. Loads code on demand. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ServiceError, usageError } from "#base/error";
import { systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import { startThread } from "#platform/workerThread";
import type { DatabaseSource } from "#store/connection";
import type { FailedIndex, IndexQueue } from "#store/indexQueue";
import type { ExpectedOrganization } from "#store/lostOrganization";
import type { Store } from "#store/store";
import type { Configuration } from "./configuration";

/** Whether a database is configured or exists in the data directory, and so may contain expired records. */
export function hasDatabase({ dataDir, database }: Configuration): boolean {
  return database !== undefined || existsSync(databaseFile(dataDir));
}

/**
 * Returns a hash of the settings that determine which credentials are valid: the database, the OAuth issuer and the
 * license keys. Processes on one data directory accept the same credentials if their hashes are equal. Passwords are
 * excluded.
 */
export function authorityOf({ database, oauth, licenseMakers }: Configuration): string {
  const parts = [removePassword(database) ?? null, oauth ?? null, [...licenseMakers].sort()];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

function removePassword(database: string | undefined): string | undefined {
  if (database === undefined) return undefined;
  const url = new URL(database);
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}

/**
 * Opens the database. Call this only while holding the lock of the data directory.
 *
 * Throws STORAGE_FAILED, ENGINE_UNAVAILABLE, or `OrganizationLost` if the database does not contain the `expected`
 * organization.
 */
export async function openDatabase(
  configuration: Configuration,
  version: string,
  log: Log,
  expected: ExpectedOrganization | undefined,
): Promise<Store> {
  const [{ openStore }, { withRetention }, source] = await Promise.all([
    import("#store/openStore"),
    import("#store/retention"),
    databaseSource(configuration, log),
  ]);
  const store = await openStore({ source, version, clock: systemClock, expected });
  return withRetention(store, { days: configuration.auditDays, clock: systemClock, log });
}

/** Opens the queue of index jobs. Throws USAGE without a PostgreSQL database, and ENGINE_UNAVAILABLE. */
export async function openConfiguredQueue(
  { database }: Configuration,
  log: Log,
  maxConnections?: number,
): Promise<IndexQueue> {
  if (database === undefined)
    throw usageError(
      'Indexers beside Zoekt nodes, and "trawl cluster", need a PostgreSQL database. Set "database" in the configuration file.',
    );
  const [{ openIndexQueue }, { postgresDatabase }] = await Promise.all([
    import("#store/openIndexQueue"),
    import("#store/postgres"),
  ]);
  return await openIndexQueue(postgresDatabase(database, log, maxConnections), systemClock);
}

/** What a frontend reads from the queue of index jobs. Connects with the first call, again if that failed. */
export interface FrontendQueue extends Pick<IndexQueue, "idsOf" | "leaving"> {
  /** Returns what the indexers of the configured nodes could not index. */
  failures(): Promise<readonly FailedIndex[]>;
  close(): Promise<void>;
}

/** Returns undefined without a PostgreSQL database. */
export function frontendQueue(configuration: Configuration, log: Log): FrontendQueue | undefined {
  if (configuration.database === undefined) return undefined;
  let opening: Promise<IndexQueue> | undefined;
  let isClosed = false;
  const queue = async () => {
    if (isClosed) throw new ServiceError("CANCELLED", "The database is no longer needed.");
    opening ??= openConfiguredQueue(configuration, log).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return await opening;
  };
  return {
    idsOf: async (names) => (await queue()).idsOf(names),
    leaving: async (nodes) => (await queue()).leaving(nodes),
    async failures() {
      const nodes = configuration.zoekt?.nodes.filter(({ hasIndexer }) => hasIndexer) ?? [];
      return nodes.length === 0 ? [] : (await queue()).failures(nodes.map(({ name }) => name));
    },
    async close() {
      isClosed = true;
      const queue = await opening?.catch(() => undefined);
      await queue?.close();
    },
  };
}

async function databaseSource({ dataDir, database }: Configuration, log: Log): Promise<DatabaseSource> {
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
