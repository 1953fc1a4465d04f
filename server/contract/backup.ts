/** Copies of what the database holds. The person at this computer alone makes them, for they write and read files. */
import * as z from "zod";

const file = z.string().min(1).max(4096);

export const BackupRequest = z
  .object({ file: file.describe("Absolute path of the file to write, in place of what is there.") })
  .describe("Where the copy goes.");

export const RestoreRequest = z
  .object({
    file: file.describe("Absolute path of the copy."),
    replace: z
      .boolean()
      .default(false)
      .describe("Whether it may take the place of members, keys and records that are here."),
  })
  .describe("Where the copy is.");

export const BackupCounts = z
  .object({
    members: z.int().describe("Members of the organisation."),
    apiKeys: z.int().describe("API keys."),
    auditRecords: z.int().describe("Audit records."),
  })
  .describe("What is in the copy.");
export type BackupCounts = z.output<typeof BackupCounts>;
