import { Kysely, sql } from "kysely";
import type { Clock } from "#platform/clock";
import type { Files } from "#platform/files";
import { apiKeyStore } from "./apiKeys";
import { auditLogStore, auditWriter } from "./auditLog";
import { writeBackup } from "./backup";
import { withCache } from "./cachedStore";
import type { DatabaseSource } from "./connection";
import { type ExpectedOrganization, type Loss, OrganizationLost } from "./lostOrganization";
import { memberStore } from "./members";
import { migrate } from "./migrate";
import { organizationStore } from "./organization";
import { readBackup } from "./restore";
import { sessionStore } from "./sessions";
import type { Store } from "./store";
import { type Database, organizationId, type Tables } from "./tables";

export interface StoreOptions {
  readonly source: DatabaseSource;
  /** Trawl's version, for audit records and backups. */
  readonly version: string;
  readonly clock: Clock;
  /** The organization that the database must contain. Absent: one is created if there is none. */
  readonly expected?: ExpectedOrganization | undefined;
  /** Writes backups. */
  readonly files?: Files;
}

/**
 * Opens the database, and creates its tables if they do not exist. Throws STORAGE_FAILED, ENGINE_UNAVAILABLE, or
 * `OrganizationLost` if the database does not contain `expected`; nothing is then created.
 */
export async function openStore({ source, version, clock, expected, files }: StoreOptions): Promise<Store> {
  const missing = expected && source.missing?.();
  if (missing !== undefined) throw new OrganizationLost(missing, source.name, expected?.database ?? "");
  const database = new Kysely<Tables>({ dialect: source.dialect });
  try {
    await migrate(database, { source, now: clock.now(), expected });
    const loss = expected && (await findLoss(database, expected));
    if (loss !== undefined) throw new OrganizationLost(loss, source.name, expected?.database ?? "");
  } catch (error) {
    await database.destroy();
    throw error;
  }
  const record = auditWriter({ clock, version });
  const store: Store = {
    organization: organizationStore(database, record),
    members: memberStore(database, clock, record),
    apiKeys: apiKeyStore(database, clock, record),
    sessions: sessionStore(database, clock, record),
    auditLog: auditLogStore(database, { clock, version }),
    backup: (file, signal, texts) =>
      writeBackup(database, { file, version, now: clock.now(), signal, texts, ...(files && { files }) }),
    restore: (file, options) => readBackup(database, { ...options, file, now: clock.now(), write: record }),
    close: () => database.destroy(),
  };
  return source.isExclusive ? withCache(store, () => checkpoint(database)) : store;
}

/**
 * Moves committed changes from SQLite's write-ahead log into the database: losing the log after a crash must not bring
 * back a revoked key. If this fails, as on a full disk, the changes stay committed in the log.
 */
async function checkpoint(database: Database): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(database).catch(() => undefined);
}

/** Returns why a migrated database does not contain `expected`, or undefined if it does. */
async function findLoss(database: Database, expected: ExpectedOrganization): Promise<Loss | undefined> {
  const { uuid } =
    (await database
      .selectFrom("organisation")
      .select("uuid")
      .where("id", "=", organizationId)
      .executeTakeFirst()) ?? {};
  const members = await database.selectFrom("member").select("id").limit(2).execute();
  // The last owner cannot be removed, so an organization always has a member.
  if (uuid === undefined || members.length === 0) return "empty";
  if (expected.uuid === "" || expected.uuid === uuid) return undefined;
  const key = await database.selectFrom("apiKey").select("id").limit(1).executeTakeFirst();
  // A single member without keys is the first owner of an instance that was started with a new database.
  return members.length === 1 && key === undefined ? "empty" : "other";
}
