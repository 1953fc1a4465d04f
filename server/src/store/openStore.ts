import { type Dialect, Kysely } from "kysely";
import type { Clock } from "#platform/clock";
import { apiKeyStore } from "./apiKeys";
import { auditLogStore, auditRecorder } from "./auditLog";
import { writeBackup } from "./backup";
import { memberStore } from "./members";
import { withMemory } from "./memory";
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
  /** Whether nobody else writes it for as long as it is open. */
  readonly isOurs: boolean;
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
  const record = auditRecorder({ clock, version });
  const store: Store = {
    organisation: organisationStore(database, record),
    members: memberStore(database, clock, record),
    apiKeys: apiKeyStore(database, clock, record),
    sessions: sessionStore(database, clock, record),
    auditLog: auditLogStore(database, { clock, version }),
    backup: (file, signal) => writeBackup(database, { file, version, now: clock.now(), signal }),
    restore: (file, options) => readBackup(database, { ...options, file, now: clock.now(), write: record }),
    close: () => database.destroy(),
  };
  return source.isOurs ? withMemory(store) : store;
}
