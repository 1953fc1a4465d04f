import { isAbsolute } from "node:path";
import type { Audit } from "#access/audit";
import type { Organization } from "#access/organization";
import { ServiceError } from "#base/error";
import type { Service } from "#contract/service";

export interface BackupHandlerOptions {
  readonly organization: Organization;
  readonly audit: Audit;
}

export function backupHandlers({
  organization,
  audit,
}: BackupHandlerOptions): Pick<Service, "backup" | "restore"> {
  return {
    async backup({ file }, { signal }) {
      checkAbsolute(file);
      return await (await organization.store()).backup(file, signal);
    },
    async restore({ file, replace }, context) {
      checkAbsolute(file);
      return await organization.restore(async (store) => {
        const record = await audit.recordBuilder(context, store);
        return await store.restore(file, {
          replace,
          record: () => record({ action: "instance.restored", targetType: "org" }),
          signal: context.signal,
        });
      });
    },
  };
}

/** Relative paths are ambiguous, because the caller's current directory differs from ours. */
function checkAbsolute(file: string): void {
  if (!isAbsolute(file))
    throw new ServiceError("INVALID_REQUEST_BODY", `"file" must be an absolute path, not ${file}.`);
}
