/** Handler of the audit log. */
import { ServiceError } from "#base/error";
import type { Handler } from "#contract/service";
import type { Store } from "#store/store";
import { isoTime } from "./isoTime";

export function auditHandlers(store: () => Promise<Store>): { audit: Handler<"audit"> } {
  return {
    async audit({ page, perPage, since, until }) {
      const from = since === undefined ? undefined : Date.parse(since);
      const to = until === undefined ? undefined : Date.parse(until);
      if (from !== undefined && to !== undefined && from > to) {
        throw new ServiceError("INVALID_QUERY_PARAMS", '"since" must not be later than "until".');
      }
      const { items, total } = await (await store()).auditLog.page({
        page,
        perPage,
        ...(from === undefined ? {} : { since: from }),
        ...(to === undefined ? {} : { until: to }),
      });
      const records = items.map(({ timestamp, ...record }) => ({
        ...record,
        timestamp: isoTime(timestamp),
        metadata: record.metadata === null ? null : { ...record.metadata },
      }));
      return { items: records, total };
    },
  };
}
