/**
 * `organization.json` in the data directory: which organization its database contains.
 *
 * Without it, a lost database would look like a new one, and a new organization without keys would replace the lost
 * one. To start over deliberately, delete the file.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { OrganizationMemory, RememberedOrganization } from "#access/organization";
import { diskFiles, type Files, replaceFile } from "#platform/files";
import type { Log } from "#platform/log";

const Remembered = z.object({ uuid: z.string(), database: z.string(), hasKeys: z.boolean() });

/** Assumed if the file exists but cannot be read: an organization with keys. */
const unknownOrganization = { uuid: "", hasKeys: true };

/** `database` is the name of the database that this process uses (`DatabaseSource.name`). */
export function createOrganizationMemory(
  dataDir: string,
  database: string,
  log: Log,
  files: Files = diskFiles,
): OrganizationMemory {
  const file = join(dataDir, "organization.json");
  const read = (): RememberedOrganization | undefined => {
    try {
      return Remembered.parse(JSON.parse(readFileSync(file, "utf8")));
    } catch (error) {
      const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
      return isAbsent ? undefined : { ...unknownOrganization, database };
    }
  };
  return {
    read,
    write({ uuid, hasKeys }) {
      const text = `${JSON.stringify({ uuid, database, hasKeys })}\n`;
      if (JSON.stringify(read()) === text.trim()) return;
      try {
        replaceFile(files, file, new TextEncoder().encode(text));
      } catch (error) {
        log.warn("Cannot write organization.json, so a loss of the database would go unnoticed.", {
          file,
          error,
        });
      }
    },
  };
}
