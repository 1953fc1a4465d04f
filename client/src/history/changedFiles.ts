/** Changed files of a comparison, as a tree lists them. Pure: does not use VS Code. */
import type { ChangedFile } from "#contract/commits";

const noFile = "/dev/null";
const submoduleMode = "160000";

/** Git's status letters: added, deleted, renamed, modified. */
export type StatusLetter = "A" | "D" | "R" | "M";

export function statusOf({ oldPath, newPath }: ChangedFile): StatusLetter {
  if (oldPath === noFile) return "A";
  if (newPath === noFile) return "D";
  return oldPath === newPath ? "M" : "R";
}

/** Returns the new path of a file, or the old path if it was deleted. */
export function pathOf({ oldPath, newPath }: ChangedFile): string {
  return newPath === noFile ? oldPath : newPath;
}

/** Returns the paths on both sides; absent where the file does not exist. */
export function sidesOf({ oldPath, newPath }: ChangedFile): { readonly old?: string; readonly new?: string } {
  return { ...(oldPath === noFile ? {} : { old: oldPath }), ...(newPath === noFile ? {} : { new: newPath }) };
}

/** Returns whether either side is a submodule, which has no text. */
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

/** Groups files by folder, sorted by path, root first. */
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
