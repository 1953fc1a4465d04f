/** Whether any ref may have changed, without reading one. */
import * as fs from "node:fs";
import { join } from "node:path";
import type { GitPlace } from "./place";

/** What changed a moment ago may change again without any clock showing it. */
const restMs = 50;
/** More folders are not worth looking at. */
const maxFolders = 1000;

/**
 * A line that changes whenever HEAD, a branch, a tag or a remote branch does; `undefined` where that cannot be told.
 *
 * A ref is written as a new file that is renamed, which changes its folder's time; so folders alone are looked at.
 */
export function refsMark({ gitDir, commonDir }: GitPlace): string | undefined {
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
  return Date.now() - Math.max(...times) < restMs ? undefined : times.join(" ");
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
