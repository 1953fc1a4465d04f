/** Schemas of backups. Only the local user may make them, because they read and write files. */
import * as z from "zod";

const file = z.string().min(1).max(4096);

export const BackupRequest = z
  .object({ file: file.describe("Absolute path of the backup file. An existing file is replaced.") })
  .describe("Where to write the backup.");

export const RestoreRequest = z
  .object({
    file: file.describe("Absolute path of the backup file."),
    replace: z
      .boolean()
      .default(false)
      .describe("Whether existing members, keys and records may be replaced."),
  })
  .describe("The backup to restore.");

export const BackupCounts = z
  .object({
    members: z.int().describe("Number of members."),
    apiKeys: z.int().describe("Number of API keys."),
    auditRecords: z.int().describe("Number of audit records."),
    paths: z.int().describe("Number of added paths. When restoring: of those that were new."),
    mirrors: z
      .int()
      .describe("Number of repositories of code hosts. When restoring: of those that were new."),
  })
  .describe("Number of items in the backup.");
export type BackupCounts = z.output<typeof BackupCounts>;
