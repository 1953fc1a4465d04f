/** Tests of the store on each supported database. */
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { Kysely, sql } from "kysely";
import type { NewAuditRecord } from "#model/audit";
import type { Clock } from "#platform/clock";
import { silentLog } from "#platform/log";
import type { DatabaseSource } from "#store/connection";
import { openStore } from "#store/openStore";
import { postgresDatabase } from "#store/postgres";
import type { Store } from "#store/store";
import { manualClock } from "#test/support/clock";
import { embeddedFile } from "#test/support/embeddedFile";
import { type PostgresServer, startPostgres, withPostgres } from "#test/support/postgres";
import { temporaryFolder } from "#test/support/repo";

/** A database that can be opened repeatedly. */
export interface TestDatabase {
  source(): DatabaseSource;
  /** Whether several stores can open it at once. */
  readonly isShared: boolean;
}

export function openTestStore(database: TestDatabase, clock: Clock = manualClock(0)): Promise<Store> {
  return openStore({ source: database.source(), version: "1.2.3", clock });
}

/** Returns a function that creates the record of a change. */
export function auditRecord(action: NewAuditRecord["action"]) {
  return ({ id }: { readonly id: string | number }): NewAuditRecord => ({
    action,
    actorId: "m1",
    actorType: "user",
    targetId: String(id),
    targetType: "user",
    metadata: null,
  });
}

/** Runs one SQL statement. */
export async function run(source: DatabaseSource, statement: string): Promise<readonly unknown[]> {
  const database = new Kysely<unknown>({ dialect: source.dialect });
  try {
    return (await sql.raw(statement).execute(database)).rows;
  } finally {
    await database.destroy();
  }
}

/** Runs a suite on every database that is installed. `empty` creates a new one. */
export function onEachDatabase(suite: (empty: () => Promise<TestDatabase>) => void): void {
  describe("embedded", () => {
    suite(async () => {
      const file = join(temporaryFolder(), "trawl.db");
      return { source: () => embeddedFile(file), isShared: false };
    });
  });
  withPostgres("PostgreSQL", (binaries) => {
    describe("PostgreSQL", () => {
      let server: PostgresServer;
      before(async () => {
        server = await startPostgres(binaries);
      });
      after(() => server.close());
      suite(async () => {
        const url = await server.database();
        return { source: () => postgresDatabase(url, silentLog), isShared: true };
      });
    });
  });
}
