/** Finds the modules that `go.sum` names in Go's module cache, or vendored in the project. */
import { join } from "node:path";
import { type InstalledPackage, isFolder, type PackageVersion } from "./package";

/** See `LockParser`. Omits modules of which only `go.mod` was needed. */
export function* parseGoSum(text: string): Generator<PackageVersion> {
  for (const line of text.split("\n")) {
    const [name, version, hash] = line.trim().split(" ");
    if (name && version && hash && !version.endsWith("/go.mod")) yield { name, version };
  }
}

/** Returns the modules of the cache; others from `vendorFolders`, where folders have no versions. */
export function downloadedModules(
  cache: string,
  vendorFolders: readonly string[],
  wanted: readonly PackageVersion[],
): readonly InstalledPackage[] {
  return wanted.flatMap(({ name, version }): InstalledPackage[] => {
    const cached = join(cache, `${escapePath(name)}@${escapePath(version)}`);
    const path = [cached, ...vendorFolders.map((folder) => join(folder, name))].find(isFolder);
    return path === undefined ? [] : [{ ecosystem: "go", name, version, path }];
  });
}

/** The cache is on file systems that ignore case, too. */
function escapePath(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}
