/** Reads the `.gitattributes` files of a tree or of a folder on disk, without parsing them. */
import { ancestorsOf, type BytePath, joinPath, parentOf, textOf } from "#git/bytePath";
import { readObjects } from "#git/objects/readObjects";
import type { TreeEntry } from "#git/objects/tree";
import type { GitRepository } from "#git/repository";
import type { WorkingFiles } from "./workingFile";

export interface AttributesText {
  /** The folder that contains it; `""` for the root. */
  readonly folder: string;
  readonly text: string;
}

export const attributesName = ".gitattributes";
/** Git itself ignores files of more than 100 MB. */
const maxBytes = 1024 * 1024;
const maxFiles = 1000;

export function isAttributesFile(path: BytePath): boolean {
  return path === attributesName || path.endsWith(`/${attributesName}`);
}

/** Reads the files among the entries of a tree. Ignores symbolic links, as git does. */
export async function attributesInTree(
  repository: GitRepository,
  entries: readonly TreeEntry[],
  signal?: AbortSignal,
): Promise<AttributesText[]> {
  const wanted = entries
    .filter(({ path, isSymlink }) => !isSymlink && isAttributesFile(path))
    .slice(0, maxFiles);
  const found: AttributesText[] = [];
  const hashes = wanted.map(({ hash }) => hash);
  await readObjects(
    repository,
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

/** Reads the files that can apply to `paths`: in their folders, and in all ancestor folders. */
export function attributesOnDisk(files: WorkingFiles, paths: Iterable<BytePath>): AttributesText[] {
  const found: AttributesText[] = [];
  for (const folder of ancestorsOf(paths)) {
    const path = joinPath(folder, attributesName);
    const file = files.stat(path)?.isFile() ? files.read(path, maxBytes) : undefined;
    if (file?.kind === "content") found.push(attributesText(path, file.bytes));
    if (found.length === maxFiles) break;
  }
  return found;
}

function attributesText(path: BytePath, bytes: Buffer): AttributesText {
  return { folder: textOf(parentOf(path)), text: bytes.toString("utf8") };
}
