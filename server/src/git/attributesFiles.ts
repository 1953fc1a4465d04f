/** The `.gitattributes` of a tree or of a folder on disk, as text. What stands in them is not our business here. */
import { type BytePath, folderOf, foldersOf, joined, textOf } from "./bytePath";
import { readObjects } from "./objects";
import type { GitPlace } from "./place";
import type { TreeEntry } from "./tree";
import type { WorkingFiles } from "./workingFile";

export interface AttributesText {
  /** Where it lies; `""` for the root. */
  readonly folder: string;
  readonly text: string;
}

export const attributesName = ".gitattributes";
/** Git itself believes none that is much larger. */
const maxBytes = 1024 * 1024;
const maxFiles = 1000;

export function isAttributesFile(path: BytePath): boolean {
  return path === attributesName || path.endsWith(`/${attributesName}`);
}

/** Links are passed over, as git does it. */
export async function attributesInTree(
  place: GitPlace,
  entries: readonly TreeEntry[],
  signal?: AbortSignal,
): Promise<AttributesText[]> {
  const wanted = entries
    .filter(({ path, isSymlink }) => !isSymlink && isAttributesFile(path))
    .slice(0, maxFiles);
  const found: AttributesText[] = [];
  const hashes = wanted.map(({ hash }) => hash);
  await readObjects(
    place,
    hashes,
    maxBytes,
    (object, index) => {
      const path = wanted[index]?.path;
      if (object.kind === "content" && path !== undefined) found.push(attributesText(path, object.bytes));
      return undefined;
    },
    signal,
  );
  return found;
}

/** Those that say something of one of `paths`: in its folder, or in one around it. */
export function attributesOnDisk(files: WorkingFiles, paths: Iterable<BytePath>): AttributesText[] {
  const found: AttributesText[] = [];
  for (const folder of foldersOf(paths)) {
    const path = joined(folder, attributesName);
    const file = files.stat(path)?.isFile() ? files.read(path, maxBytes) : undefined;
    if (file?.kind === "content") found.push(attributesText(path, file.bytes));
    if (found.length === maxFiles) break;
  }
  return found;
}

function attributesText(path: BytePath, bytes: Buffer): AttributesText {
  return { folder: textOf(folderOf(path)), text: bytes.toString("utf8") };
}
