import type { Organization } from "#model/organization";
import type { AuditWriter } from "./auditLog";
import type { AuditRecordFor, OrganizationStore } from "./store";
import { type Database, type OrganizationRow, organizationId, organizationRow } from "./tables";

export function organizationStore(database: Database, write: AuditWriter): OrganizationStore {
  const change = (
    values: Partial<Pick<OrganizationRow, "license" | "latestTime">>,
    record: AuditRecordFor<Organization> | undefined,
  ): Promise<void> =>
    database.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable("organisation")
        .set(values)
        .where("id", "=", organizationId)
        .returningAll()
        .executeTakeFirstOrThrow();
      await write(transaction, record?.(toOrganization(row)));
    });

  return {
    async get() {
      return toOrganization(await organizationRow(database));
    },
    setLicense: (token, record) => change({ license: token ?? null }, record),
    resetLatestTime: (time, record) => change({ latestTime: time }, record),
    async advanceLatestTime(time) {
      await database
        .updateTable("organisation")
        .set({ latestTime: time })
        .where("id", "=", organizationId)
        .where("latestTime", "<", time)
        .execute();
    },
  };
}

function toOrganization({ id, uuid, name, license, latestTime }: OrganizationRow): Organization {
  return { id, uuid, name, ...(license === null ? {} : { license }), latestTime };
}
