/** The store on each of the databases that it can lie in. */
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Clock } from "#platform/clock";
import { silentLog } from "#platform/log";
import { type DatabaseSource, openStore } from "#store/openStore";
import { postgresDatabase } from "#store/postgres";
import type { Store } from "#store/store";
import { setClock } from "#test/support/clock";
import { embeddedFile } from "#test/support/embeddedFile";
import { type PostgresServer, startPostgres, withPostgres } from "#test/support/postgres";
import { temporaryFolder } from "#test/support/repo";

/** One database, which may be opened again and again. */
export interface TestDatabase {
  source(): DatabaseSource;
  /** Whether several stores may have it open at once. */
  readonly isShared: boolean;
}

export function openTestStore(database: TestDatabase, clock: Clock = setClock(0)): Promise<Store> {
  return openStore({ source: database.source(), version: "1.2.3", clock });
}

/** Runs a suite on every database that is here. `empty` gives a new one. */
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
