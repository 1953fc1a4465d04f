/** Finds the entry at a path of a commit by descending through its trees. */
import { ServiceError } from "#base/error";
import { type BytePath, bytePathFromText, textOf } from "#git/bytePath";
import { folderMode } from "./fileMode";
import type { ObjectReader } from "./objectReader";
import { parseTreeObject, type RawEntry } from "./treeObject";

export interface FoundEntry extends RawEntry {
  /** The entries of each folder on the path, the root first. */
  readonly ancestors: readonly (readonly RawEntry[])[];
}

/**
 * Reads the entries of a tree, with paths that start with `folder`.
 *
 * Throws NOT_FOUND if the tree is missing, GIT_FAILED if the object is not a readable tree.
 */
export async function readTree(
  objects: ObjectReader,
  tree: string,
  folder: BytePath,
): Promise<readonly RawEntry[]> {
  const { type, bytes } = await objects.readExisting(tree);
  const entries = type === "tree" ? parseTreeObject(bytes, folder, tree.length / 2) : undefined;
  if (entries === undefined) throw new ServiceError("GIT_FAILED", `Cannot read the tree ${tree}.`);
  return entries;
}

/**
 * Returns the entry of a commit at `path`, which must not be empty; `undefined` if there is none.
 *
 * Names are bytes: if none matches the UTF-8 bytes of `path`, one whose decoded text is the same is used.
 */
export async function findEntry(
  objects: ObjectReader,
  commit: string,
  path: string,
): Promise<FoundEntry | undefined> {
  const ancestors: (readonly RawEntry[])[] = [];
  let tree = await objects.treeOf(commit);
  let found: RawEntry | undefined;
  for (const segment of path.split("/")) {
    if (tree === undefined) return undefined;
    const entries: readonly RawEntry[] = await readTree(objects, tree, found?.path ?? ("" as BytePath));
    ancestors.push(entries);
    found = entryNamed(entries, segment, found?.path);
    if (found === undefined) return undefined;
    tree = found.mode === folderMode ? found.hash : undefined;
  }
  return found && { ...found, ancestors };
}

function entryNamed(
  entries: readonly RawEntry[],
  name: string,
  folder: BytePath | undefined,
): RawEntry | undefined {
  const start = folder === undefined ? 0 : folder.length + 1;
  const bytes = bytePathFromText(name);
  return (
    entries.find(({ path }) => path.slice(start) === bytes) ??
    entries.find(({ path }) => textOf(path.slice(start) as BytePath) === name)
  );
}
