import { isAbsolute } from "node:path";
import type { Audit } from "#access/audit";
import type { Organization } from "#access/organization";
import { ServiceError } from "#base/error";
import type { Service } from "#contract/service";
import type { BackupTexts } from "#store/store";

/** What a backup contains besides the database. */
export interface SavedState {
  /** Returns it as texts by name. */
  read(): { readonly texts: BackupTexts; readonly counts: SavedCounts };
  /** Adds what is new in such texts. Throws INVALID_REQUEST_BODY if they are damaged. */
  add(texts: BackupTexts): SavedCounts;
  /** Starts to index what was added, if this process serves. */
  apply(): void;
}

export interface SavedCounts {
  readonly paths: number;
  readonly mirrors: number;
}

export interface BackupHandlerOptions {
  readonly organization: Organization;
  readonly audit: Audit;
  readonly savedState: SavedState;
}

export function backupHandlers({
  organization,
  audit,
  savedState,
}: BackupHandlerOptions): Pick<Service, "backup" | "restore"> {
  return {
    async backup({ file }, { signal }) {
      checkAbsolute(file);
      const { texts, counts } = savedState.read();
      return { ...(await (await organization.store()).backup(file, signal, texts)), ...counts };
    },
    async restore({ file, replace }, context) {
      checkAbsolute(file);
      let added: SavedCounts = { paths: 0, mirrors: 0 };
      const counts = await organization.restore(async (store) => {
        const record = await audit.recordBuilder(context, store);
        return await store.restore(file, {
          replace,
          record: () => record({ action: "instance.restored", targetType: "org" }),
          useTexts: (texts) => {
            added = savedState.add(texts);
          },
          signal: context.signal,
        });
      });
      savedState.apply();
      return { ...counts, ...added };
    },
  };
}

/** Relative paths are ambiguous, because the caller's current directory differs from ours. */
function checkAbsolute(file: string): void {
  if (!isAbsolute(file))
    throw new ServiceError("INVALID_REQUEST_BODY", `"file" must be an absolute path, not ${file}.`);
}
