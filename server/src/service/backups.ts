import { isAbsolute } from "node:path";
import { ServiceError } from "#base/error";
import type { Service } from "#contract/service";
import type { Store } from "#store/store";

export function backupHandlers(store: () => Promise<Store>): Pick<Service, "backup" | "restore"> {
  return {
    async backup({ file }, { signal }) {
      checkAbsolute(file);
      return await (await store()).backup(file, signal);
    },
    async restore({ file, replace }, { signal }) {
      checkAbsolute(file);
      return await (await store()).restore(file, replace, signal);
    },
  };
}

/** The caller's current folder is not ours. */
function checkAbsolute(file: string): void {
  if (!isAbsolute(file))
    throw new ServiceError("INVALID_REQUEST_BODY", `"file" must be an absolute path, not ${file}.`);
}
