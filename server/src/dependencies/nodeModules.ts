/** Finds the packages that npm, pnpm or Yarn have installed in `node_modules`. */
import { join } from "node:path";
import { type InstalledPackage, isFolder, isObject, readEntries, readText, versionKey } from "./package";

const maxManifestBytes = 1024 * 1024;
/** Folders of packages that are read in a project. */
const maxFolders = 50_000;

/** Returns the wanted packages, by name and version as their own `package.json` states them. */
export function installedNodePackages(
  folders: readonly string[],
  wanted: ReadonlySet<string>,
): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const queue = [...folders];
  let readCount = 0;
  for (let folder = queue.pop(); folder !== undefined && readCount < maxFolders; folder = queue.pop()) {
    for (const entry of readEntries(folder)) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      if (entry.name === ".pnpm") queue.push(...storedByPnpm(path));
      else if (entry.name.startsWith("@")) queue.push(path);
      if (/^[.@]/.test(entry.name) || ++readCount > maxFolders) continue;
      const installed = readManifest(path);
      const key = installed && versionKey(installed);
      if (installed !== undefined && key !== undefined && wanted.has(key) && !found.has(key))
        found.set(key, installed);
      const nested = join(path, "node_modules");
      if (isFolder(nested)) queue.push(nested);
    }
  }
  return [...found.values()];
}

/** Each folder of the store contains a package and links to those that it depends on. */
function storedByPnpm(store: string): string[] {
  return readEntries(store)
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
    .map((entry) => join(store, entry.name, "node_modules"))
    .filter(isFolder);
}

function readManifest(path: string): InstalledPackage | undefined {
  try {
    const manifest: unknown = JSON.parse(readText(join(path, "package.json"), maxManifestBytes) ?? "");
    if (!isObject(manifest)) return undefined;
    const { name, version } = manifest;
    if (typeof name !== "string" || typeof version !== "string") return undefined;
    return { ecosystem: "npm", name, version, path };
  } catch {
    return undefined;
  }
}
