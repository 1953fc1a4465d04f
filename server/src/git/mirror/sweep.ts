/** Removes what killed processes have left in the folder of mirrors. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "#platform/files";
import { killProcessesOf } from "#platform/strayProcesses";

/** How names of folders end in which a clone is not complete, and of a mirror that is being replaced. */
export const draftSuffix = ".cloning";
export const replacedSuffix = ".replaced";

/**
 * Deletes incomplete clones, locks and temporary packfiles, and restores a mirror that was being replaced. Call this
 * before any git process uses the folder. Those that a killed process has left still do, and are killed first; if that
 * fails, nothing is deleted.
 */
export function sweepMirrors(folder: string, files: Files): void {
  // `networkGit.ts` and `maintenance.ts` give this home folder to all processes that write to mirrors.
  if (!killProcessesOf("HOME", folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith(replacedSuffix)) {
      const original = path.slice(0, -replacedSuffix.length);
      if (existsSync(original)) files.removeFolder(path);
      else files.rename(path, original);
    }
  }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith(draftSuffix)) files.removeFolder(path);
    else if (/^\d+\.git$/.test(name)) sweepMirror(path, files);
  }
}

/** Deletes what killed git processes have left in a mirror. None may be running in it. */
export function sweepMirror(gitDir: string, files: Files): void {
  const removeAll = (folder: string, isLeftOver: (name: string) => boolean) => {
    for (const name of entriesOf(join(gitDir, folder)).filter(isLeftOver))
      files.remove(join(gitDir, folder, name));
  };
  const isLock = (name: string) => name.endsWith(".lock") || name.endsWith(".draft");
  removeAll("", isLock);
  removeAll("objects/info", isLock);
  removeAll("objects/pack", (name) => /^(tmp_|\.tmp-)|\.lock$/.test(name));
  removeLocksBelow(join(gitDir, "refs"), files);
}

/** No branch has a name that ends in `.lock`. */
function removeLocksBelow(folder: string, files: Files): void {
  for (const name of entriesOf(folder, true).filter((each) => each.endsWith(".lock")))
    files.remove(join(folder, name));
}

function entriesOf(folder: string, recursive = false): readonly string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive, encoding: "utf8" }) : [];
}
