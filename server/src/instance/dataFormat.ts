/** The version of the data directory's layout, in its file `format`. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import { type Files, replaceFile } from "#platform/files";

/** Increases when the meaning of files changes, except for files with a version of their own. */
const currentFormat = 1;

/**
 * Checks the format of the data directory, and records the current one. Deletes an index in an older format, so that it
 * is rebuilt.
 *
 * Throws STORAGE_FAILED for a newer format, or if the folder is not writable.
 */
export function checkDataFormat(dataDir: string, files: Files): void {
  const file = join(dataDir, "format");
  const found = readFormat(file);
  if (found === currentFormat) return;
  if (found !== undefined && found > currentFormat) {
    throw new ServiceError(
      "STORAGE_FAILED",
      `${dataDir} was written by a newer Trawl (format ${found}; this one supports up to ${currentFormat}). Use that Trawl, or another data directory.`,
    );
  }
  try {
    if (found !== undefined) rmSync(join(dataDir, "shards"), { recursive: true, force: true });
    replaceFile(files, file, new TextEncoder().encode(`${currentFormat}\n`));
  } catch (cause) {
    throw new ServiceError("STORAGE_FAILED", `Cannot write ${file}.`, { cause });
  }
}

/** Whether a newer Trawl wrote the data directory. Reads only. */
export function isNewerFormat(dataDir: string): boolean {
  return (readFormat(join(dataDir, "format")) ?? 0) > currentFormat;
}

/** Removes drafts of files that a killed process had not renamed yet. Call this only while holding the lock. */
export function removeDrafts(dataDir: string, files: Files): void {
  for (const name of readdirSync(dataDir)) {
    if (name.endsWith(".draft")) files.remove(join(dataDir, name));
  }
}

/** Returns `undefined` for a new folder, and 0, the oldest format, for a file that does not contain a number. */
function readFormat(file: string): number | undefined {
  try {
    const text = readFileSync(file, "utf8").trim();
    return /^\d{1,9}$/.test(text) ? Number(text) : 0;
  } catch {
    return undefined;
  }
}
