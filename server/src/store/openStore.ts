import { type Dialect, Kysely } from "kysely";
import type { Clock } from "#platform/clock";
import { apiKeyStore } from "./apiKeys";
import { auditLogStore } from "./auditLog";
import { writeBackup } from "./backup";
import { memberStore } from "./members";
import { migrate } from "./migrate";
import { organisationStore } from "./organisation";
import { readBackup } from "./restore";
import { sessionStore } from "./sessions";
import type { Store } from "./store";
import type { Tables } from "./tables";

/** One of the databases that a store can lie in. */
export interface DatabaseSource {
  readonly dialect: Dialect;
  /** What keeps other processes from migrating until the transaction ends, where they can get as far. */
  readonly migrationLock?: string;
}

export interface StoreOptions {
  readonly source: DatabaseSource;
  /** Of this Trawl; audit records carry it. */
  readonly version: string;
  readonly clock: Clock;
}

/** Opens the database, and makes its tables where they are not there yet. Throws STORAGE_FAILED, ENGINE_UNAVAILABLE. */
export async function openStore({ source, version, clock }: StoreOptions): Promise<Store> {
  const database = new Kysely<Tables>({ dialect: source.dialect });
  try {
    await migrate(database, clock.now(), source.migrationLock);
  } catch (error) {
    await database.destroy();
    throw error;
  }
  return {
    organisation: organisationStore(database),
    members: memberStore(database, clock),
    apiKeys: apiKeyStore(database, clock),
    sessions: sessionStore(database, clock),
    auditLog: auditLogStore(database, { clock, version }),
    backup: (file, signal) => writeBackup(database, { file, version, now: clock.now(), signal }),
    restore: (file, replace, signal) => readBackup(database, { file, replace, signal }),
    close: () => database.destroy(),
  };
}
