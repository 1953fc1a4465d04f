/** The error for a database that no longer contains the organization it contained before. Loads no database code. */
import { ServiceError } from "#base/error";

/** The organization that a database must contain, as stored outside of it. */
export interface ExpectedOrganization {
  /** `""` if unknown; any organization is then accepted. */
  readonly uuid: string;
  /** The name of the database that contained it (`DatabaseSource.name`). */
  readonly database: string;
}

/** The names of the databases in messages. These may be shown to anyone, so they contain no path and no address. */
export const databaseNames = { embedded: "trawl.db", postgres: "the PostgreSQL database" } as const;

/** Why the expected organization is gone: the database is missing, is empty, or belongs to another organization. */
export type Loss = "missing" | "empty" | "other";

const lossTexts: Readonly<Record<Loss, string>> = {
  missing: "is missing from the data directory",
  empty: "is empty",
  other: "belongs to another organization",
};

/**
 * Thrown when the organization of an instance is gone. Access stays closed until the organization is restored or the
 * user starts over.
 */
export class OrganizationLost extends ServiceError {
  constructor(loss: Loss, database: string, previousDatabase: string) {
    const origin = previousDatabase === database ? "" : ` They were in ${previousDatabase} before.`;
    super(
      "ENGINE_UNAVAILABLE",
      `Access is closed, because the members and API keys of this Trawl are gone: ${database} ${lossTexts[loss]}.${origin} ` +
        'Put them back, or run "trawl restore FILE" with a backup. To start over without them, delete ' +
        "organization.json in the data directory.",
    );
  }
}
