/** Detects changes of refs from modification times, without reading the refs. */
import * as fs from "node:fs";
import { join } from "node:path";
import type { GitRepository } from "#git/repository";

/** A file that changed this recently may change again without a new modification time. */
const settleMs = 50;
/** Checking more folders is not worthwhile. */
const maxFolders = 1000;

/**
 * Returns a string that changes whenever HEAD, a branch, a tag or a remote branch does, or `undefined` if that cannot
 * be determined.
 *
 * Only the folders of refs are checked: git writes a ref to a new file and renames it, which updates its folder.
 */
export function refsFingerprint({ gitDir, commonDir }: GitRepository): string | undefined {
  const paths = [join(gitDir, "HEAD"), join(commonDir, "packed-refs"), join(commonDir, "reftable")];
  const folders = [join(commonDir, "refs")];
  for (let at = 0; at < folders.length; at++) {
    if (folders.length > maxFolders) return undefined;
    const folder = folders[at] ?? "";
    for (const entry of entriesOf(folder)) if (entry.isDirectory()) folders.push(join(folder, entry.name));
  }
  const times = [...paths, ...folders].map(
    (path) => fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Date.now() - Math.max(...times) < settleMs ? undefined : times.join(" ");
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
