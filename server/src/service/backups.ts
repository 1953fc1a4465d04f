import { isAbsolute } from "node:path";
import type { Audit } from "#access/audit";
import { ServiceError } from "#base/error";
import type { Service } from "#contract/service";
import type { Store } from "#store/store";

export interface BackupOptions {
  readonly store: () => Promise<Store>;
  readonly audit: Audit;
}

export function backupHandlers({ store, audit }: BackupOptions): Pick<Service, "backup" | "restore"> {
  return {
    async backup({ file }, { signal }) {
      checkAbsolute(file);
      return await (await store()).backup(file, signal);
    },
    async restore({ file, replace }, context) {
      checkAbsolute(file);
      const record = await audit.by(context);
      return await (await store()).restore(file, {
        replace,
        record: () => record({ action: "instance.restored", targetType: "org" }),
        signal: context.signal,
      });
    },
  };
}

/** The caller's current folder is not ours. */
function checkAbsolute(file: string): void {
  if (!isAbsolute(file))
    throw new ServiceError("INVALID_REQUEST_BODY", `"file" must be an absolute path, not ${file}.`);
}
