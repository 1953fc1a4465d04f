/** Lists the files of an installed package that are indexed, within limits. */
import { ServiceError } from "#base/error";
import { type FolderFile, walkFolder } from "#git/workTree/folderFiles";
import type { Repository } from "#model/repository";
import type { ContentSettings } from "#shard/format/skipReason";

/** What belongs to a package in its folder. */
export interface PackageContents {
  /** Names of entries of the folder; absent if all belong to it. */
  readonly entries?: readonly string[];
}

/** Returns what belongs to a package; `undefined` for other repositories. */
export function contentsOf({ kind, entries }: Repository): PackageContents | undefined {
  if (kind !== "package") return undefined;
  return entries === undefined ? {} : { entries };
}

const maxFiles = 20_000;
const maxTextBytes = 100 * 1024 * 1024;
/** Files that are made from others of the package, for machines. */
const generatedFiles = ["*.map", "*.min.js", "*.min.css", "*.pyc"];

/** Returns the settings with which packages are indexed: generated files are found by name only. */
export function packageSettings(settings: ContentSettings): ContentSettings {
  return { ...settings, indexExclude: [...settings.indexExclude, ...generatedFiles] };
}

/** Returns all files, or `undefined` for more than `maxCount`, or more text than `maxBytes`. */
export function packageFiles(
  root: string,
  { entries }: PackageContents,
  { maxFileBytes }: Pick<ContentSettings, "maxFileBytes">,
  maxCount: number,
  maxBytes: number,
): readonly FolderFile[] | undefined {
  const found: FolderFile[] = [];
  let bytes = 0;
  for (const file of walkFolder(root, { entries, skipsPackages: true })) {
    found.push(file);
    if (file.size <= maxFileBytes) bytes += file.size;
    if (found.length > maxCount || bytes > maxBytes) return undefined;
  }
  return found;
}

/** Returns all files. Throws STORAGE_FAILED for a package that is too large to be indexed. */
export function requirePackageFiles(
  root: string,
  contents: PackageContents,
  settings: ContentSettings,
): readonly FolderFile[] {
  const found = packageFiles(root, contents, settings, maxFiles, maxTextBytes);
  if (found !== undefined) return found;
  throw new ServiceError(
    "STORAGE_FAILED",
    `The package has more than ${maxFiles} files, or more than ${maxTextBytes / 1024 / 1024} MiB of text.`,
  );
}
