/** What happens when a newer version has migrated the database. Loads no database code. */
import { ServiceError } from "#base/error";

/** Thrown when this version cannot use the database, because a newer one has applied the steps `unknown`. */
export class NewerDatabase extends ServiceError {
  constructor(unknown: readonly string[], latestMigration: string) {
    super(
      "ENGINE_UNAVAILABLE",
      `The database was written by a newer Trawl: it contains ${unknown.map((name) => `"${name}"`).join(", ")}, but ` +
        `this version supports migrations up to "${latestMigration}". Use the newer Trawl, or another database.`,
    );
  }
}
