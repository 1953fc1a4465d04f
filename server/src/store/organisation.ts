import type { Organisation } from "#model/organisation";
import type { Recorder } from "./auditLog";
import type { OrganisationStore, RecordOf } from "./store";
import { type Database, type OrganisationRow, organisationId } from "./tables";

export function organisationStore(database: Database, write: Recorder): OrganisationStore {
  const change = (
    values: Partial<Pick<OrganisationRow, "license" | "latestTime">>,
    record: RecordOf<Organisation> | undefined,
  ): Promise<void> =>
    database.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable("organisation")
        .set(values)
        .where("id", "=", organisationId)
        .returningAll()
        .executeTakeFirstOrThrow();
      await write(transaction, record?.(toOrganisation(row)));
    });

  return {
    async get() {
      const row = await database
        .selectFrom("organisation")
        .selectAll()
        .where("id", "=", organisationId)
        .executeTakeFirstOrThrow();
      return toOrganisation(row);
    },
    setLicense: (token, record) => change({ license: token ?? null }, record),
    resetTime: (time, record) => change({ latestTime: time }, record),
    async noteTime(time) {
      await database
        .updateTable("organisation")
        .set({ latestTime: time })
        .where("id", "=", organisationId)
        .where("latestTime", "<", time)
        .execute();
    },
  };
}

function toOrganisation({ id, name, license, latestTime }: OrganisationRow): Organisation {
  return { id, name, ...(license === null ? {} : { license }), latestTime };
}
