/** What lies at one path of a commit, found folder by folder. */
import { ServiceError } from "#base/error";
import { type BytePath, bytePathOfText, textOf } from "./bytePath";
import type { ObjectReader } from "./objectReader";
import { parseTreeObject, type RawEntry } from "./treeFiles";

export const folderMode = "040000";
export const symlinkMode = "120000";
export const submoduleMode = "160000";

export interface FoundEntry extends RawEntry {
  /** What its folder and the folders around that hold, the root first. */
  readonly around: readonly (readonly RawEntry[])[];
}

/** The entries of a tree, with the path of `folder` before their names. Throws GIT_FAILED where it is damaged. */
export async function readTree(
  objects: ObjectReader,
  tree: string,
  folder: BytePath,
): Promise<readonly RawEntry[]> {
  const found = await objects.read(tree);
  const entries = found?.type === "tree" ? parseTreeObject(found.bytes, folder, tree.length / 2) : undefined;
  if (entries === undefined) throw new ServiceError("GIT_FAILED", `The tree ${tree} cannot be read.`);
  return entries;
}

/**
 * What a commit has at the path of this text, which is not empty; `undefined` where it has nothing.
 *
 * Names are bytes: where none has exactly the text's, one counts that reads the same (its bytes are no UTF-8).
 */
export async function findEntry(
  objects: ObjectReader,
  commit: string,
  path: string,
): Promise<FoundEntry | undefined> {
  const around: (readonly RawEntry[])[] = [];
  let tree = await objects.treeOf(commit);
  let found: RawEntry | undefined;
  for (const segment of path.split("/")) {
    if (tree === undefined) return undefined;
    const entries: readonly RawEntry[] = await readTree(objects, tree, found?.path ?? ("" as BytePath));
    around.push(entries);
    found = entryNamed(entries, segment, found?.path);
    if (found === undefined) return undefined;
    tree = found.mode === folderMode ? found.hash : undefined;
  }
  return found && { ...found, around };
}

function entryNamed(
  entries: readonly RawEntry[],
  name: string,
  folder: BytePath | undefined,
): RawEntry | undefined {
  const start = folder === undefined ? 0 : folder.length + 1;
  const bytes = bytePathOfText(name);
  return (
    entries.find(({ path }) => path.slice(start) === bytes) ??
    entries.find(({ path }) => textOf(path.slice(start) as BytePath) === name)
  );
}
