import type { Organisation } from "#model/organisation";
import type { OrganisationStore } from "./store";
import { type Database, type OrganisationRow, organisationId } from "./tables";

export function organisationStore(database: Database): OrganisationStore {
  return {
    async get() {
      const row = await database
        .selectFrom("organisation")
        .selectAll()
        .where("id", "=", organisationId)
        .executeTakeFirstOrThrow();
      return toOrganisation(row);
    },
    async setLicense(token) {
      await database
        .updateTable("organisation")
        .set({ license: token ?? null })
        .where("id", "=", organisationId)
        .execute();
    },
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
