/** Finds the lock files of a project, and the folders in it that contain installed packages. */
import { join } from "node:path";
import { readEntries } from "./package";

export interface ProjectFolders {
  /** Absolute paths. */
  readonly lockFiles: readonly string[];
  readonly nodeModules: readonly string[];
  readonly virtualEnvironments: readonly string[];
  readonly vendor: readonly string[];
  /** Whether all folders were read. */
  readonly isComplete: boolean;
}

/** Lock files of workspaces and services are rarely deeper. */
const maxDepth = 6;
const maxFolders = 20_000;

export function findProjectFolders(root: string, isLockFile: (name: string) => boolean): ProjectFolders {
  const lockFiles: string[] = [];
  const nodeModules: string[] = [];
  const virtualEnvironments: string[] = [];
  const vendor: string[] = [];
  const queue = [{ path: root, depth: 0 }];
  let next = 0;
  for (; next < Math.min(queue.length, maxFolders); next++) {
    const { path, depth } = queue[next] ?? { path: root, depth: 0 };
    const entries = readEntries(path);
    // Another repository.
    if (depth > 0 && entries.some(({ name }) => name === ".git")) continue;
    for (const entry of entries) {
      // The paths of most files are not needed, and joining them takes as long as reading the folder.
      if (!entry.isDirectory()) {
        if (entry.isFile() && isLockFile(entry.name)) lockFiles.push(join(path, entry.name));
        continue;
      }
      const inner = join(path, entry.name);
      if (entry.name === "node_modules") nodeModules.push(inner);
      else if (entry.name === ".venv" || entry.name === "venv") virtualEnvironments.push(inner);
      else if (entry.name === "vendor") vendor.push(inner);
      else if (!entry.name.startsWith(".") && depth < maxDepth) queue.push({ path: inner, depth: depth + 1 });
    }
  }
  return { lockFiles, nodeModules, virtualEnvironments, vendor, isComplete: next === queue.length };
}
