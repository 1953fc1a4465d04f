/** The data folder as a leader finds it: `format` says which version of its layout it has. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import { type Files, replaceFile } from "#platform/files";

/** Grows when files of the folder change their meaning; files with versions of their own do not count. */
const currentFormat = 1;

/**
 * Refuses a folder of a newer version, and takes what an older one has indexed away, to be built anew.
 *
 * Throws STORAGE_FAILED.
 */
export function checkDataFormat(dataDir: string, files: Files): void {
  const file = join(dataDir, "format");
  const found = readFormat(file);
  if (found === currentFormat) return;
  if (found !== undefined && found > currentFormat) {
    throw new ServiceError(
      "STORAGE_FAILED",
      `${dataDir} was written by a newer Trawl (format ${found}; this one knows ${currentFormat}). Use that one, or another data folder.`,
    );
  }
  try {
    if (found !== undefined) rmSync(join(dataDir, "shards"), { recursive: true, force: true });
    replaceFile(files, file, new TextEncoder().encode(`${currentFormat}\n`));
  } catch (cause) {
    throw new ServiceError("STORAGE_FAILED", `${file} cannot be written.`, { cause });
  }
}

/** Removes what a process that was killed had not renamed yet. Only for the one that holds the folder. */
export function removeDrafts(dataDir: string, files: Files): void {
  for (const name of readdirSync(dataDir)) {
    if (name.endsWith(".draft")) files.remove(join(dataDir, name));
  }
}

/** `undefined` where the folder is new. What is no number is taken for the oldest format. */
function readFormat(file: string): number | undefined {
  try {
    const text = readFileSync(file, "utf8").trim();
    return /^\d{1,9}$/.test(text) ? Number(text) : 0;
  } catch {
    return undefined;
  }
}
