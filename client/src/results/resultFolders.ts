/** Nests the files of a repository in folders, as in VS Code's Search. Pure: does not use VS Code. */
import type { FileMatch } from "#contract/search";

export interface Folder {
  readonly path: string;
  /** Path relative to the parent: several names if each of the folders between contains only the next. */
  readonly name: string;
  /** In the order of their first files. */
  readonly entries: readonly (Folder | FileMatch)[];
  /** All files in the folder and below, in row order. */
  readonly files: readonly FileMatch[];
  readonly matchCount: number;
}

type Contents = Pick<Folder, "entries" | "files" | "matchCount">;
type MatchCount = (file: FileMatch) => number;

export function isFolder(entry: Folder | FileMatch): entry is Folder {
  return "entries" in entry;
}

interface GrowingFolder {
  readonly path: string;
  readonly entries: (GrowingFolder | FileMatch)[];
}

/** Returns the folder at the root. */
export function nestedInFolders(files: readonly FileMatch[], matchCount: MatchCount): Folder {
  const root: GrowingFolder = { path: "", entries: [] };
  const folders = new Map([["", root]]);
  const folderAt = (path: string): GrowingFolder => {
    const existing = folders.get(path);
    if (existing !== undefined) return existing;
    const folder: GrowingFolder = { path, entries: [] };
    folders.set(path, folder);
    folderAt(parentPath(path)).entries.push(folder);
    return folder;
  };
  for (const file of files) folderAt(parentPath(file.fileName.text)).entries.push(file);
  return { path: "", name: "", ...contentsOf(root, matchCount) };
}

function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function isGrowing(entry: GrowingFolder | FileMatch): entry is GrowingFolder {
  return "entries" in entry;
}

function contentsOf({ path, entries: growing }: GrowingFolder, matchCount: MatchCount): Contents {
  const entries: (Folder | FileMatch)[] = [];
  const files: FileMatch[] = [];
  let matches = 0;
  for (const entry of growing) {
    if (isGrowing(entry)) {
      const folder = compacted(entry, path, matchCount);
      entries.push(folder);
      for (const file of folder.files) files.push(file);
      matches += folder.matchCount;
    } else {
      entries.push(entry);
      files.push(entry);
      matches += matchCount(entry);
    }
  }
  return { entries, files, matchCount: matches };
}

/** Joins a folder with those that contain nothing else than the next. */
function compacted(folder: GrowingFolder, parent: string, matchCount: MatchCount): Folder {
  let last = folder;
  for (;;) {
    const [only] = last.entries;
    if (only === undefined || last.entries.length > 1 || !isGrowing(only)) break;
    last = only;
  }
  const name = last.path.slice(parent === "" ? 0 : parent.length + 1);
  return { path: last.path, name, ...contentsOf(last, matchCount) };
}
