/** Finds the crates that `Cargo.lock` names in the sources that Cargo has downloaded. */
import { join } from "node:path";
import { type InstalledPackage, isFolder, type PackageVersion, readEntries } from "./package";
import { parseTomlLock } from "./tomlLock";

/** See `LockParser`. Omits crates of the project itself. */
export function* parseCargoLock(text: string): Generator<PackageVersion> {
  for (const { name, version, source } of parseTomlLock(text))
    if (source.startsWith("registry+")) yield { name, version };
}

/** Each registry has a folder of sources. */
export function downloadedCrates(
  cargoHome: string,
  wanted: readonly PackageVersion[],
): readonly InstalledPackage[] {
  const sources = join(cargoHome, "registry", "src");
  const registries = readEntries(sources)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(sources, entry.name));
  return wanted.flatMap(({ name, version }): InstalledPackage[] => {
    const path = registries.map((registry) => join(registry, `${name}-${version}`)).find(isFolder);
    return path === undefined ? [] : [{ ecosystem: "cargo", name, version, path }];
  });
}
