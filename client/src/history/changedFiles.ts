/** Changed files of a comparison, as a tree lists them. Pure: knows no VS Code. */
import type { ChangedFile } from "#contract/commits";

const noFile = "/dev/null";
const submoduleMode = "160000";

/** As git writes them: added, deleted, renamed, modified. */
export type ChangeLetter = "A" | "D" | "R" | "M";

export function letterOf({ oldPath, newPath }: ChangedFile): ChangeLetter {
  if (oldPath === noFile) return "A";
  if (newPath === noFile) return "D";
  return oldPath === newPath ? "M" : "R";
}

/** The name it has now, or, deleted, had. */
export function pathOf({ oldPath, newPath }: ChangedFile): string {
  return newPath === noFile ? oldPath : newPath;
}

/** The names on both sides; absent where the file is not there. */
export function sidesOf({ oldPath, newPath }: ChangedFile): { readonly old?: string; readonly new?: string } {
  return { ...(oldPath === noFile ? {} : { old: oldPath }), ...(newPath === noFile ? {} : { new: newPath }) };
}

/** What stands for another repository holds no text. */
export function isSubmodule({ oldMode, newMode }: ChangedFile): boolean {
  return oldMode === submoduleMode || newMode === submoduleMode;
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export function lineCounts(files: readonly ChangedFile[]): LineCounts {
  let added = 0;
  let removed = 0;
  for (const { addedLines = 0, removedLines = 0 } of files) {
    added += addedLines;
    removed += removedLines;
  }
  return { added, removed };
}

export interface ChangedFolder {
  /** Empty for the root. */
  readonly folder: string;
  readonly files: readonly ChangedFile[];
}

/** In the order of their paths, the files of the root first. */
export function foldersOf(files: readonly ChangedFile[]): readonly ChangedFolder[] {
  const folders = new Map<string, ChangedFile[]>();
  for (const file of files) {
    const path = pathOf(file);
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    const inside = folders.get(folder);
    if (inside === undefined) folders.set(folder, [file]);
    else inside.push(file);
  }
  return [...folders]
    .map(([folder, inside]) => ({ folder, files: inside }))
    .sort((one, other) => (one.folder < other.folder ? -1 : 1));
}
