/** Parses `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3. */
import { isObject, type PackageVersion } from "./package";

/** See `LockParser`. */
export function* parseNpmLock(text: string): Generator<PackageVersion> {
  const lock: unknown = JSON.parse(text);
  if (!isObject(lock)) return;
  if (isObject(lock["packages"])) yield* installedAt(lock["packages"]);
  else yield* nested(lock);
}

/** Versions 2 and 3: entries by the path at which they are installed. Other paths are those of workspaces. */
function* installedAt(packages: Readonly<Record<string, unknown>>): Generator<PackageVersion> {
  const folder = "node_modules/";
  for (const [path, entry] of Object.entries(packages)) {
    const at = path.lastIndexOf(folder);
    if (at < 0 || !isObject(entry)) continue;
    // An alias is installed under another name.
    const { name = path.slice(at + folder.length), version } = entry;
    if (typeof name === "string" && typeof version === "string") yield { name, version };
  }
}

/** Version 1: entries by name, each with those that are installed below it. */
function* nested(lock: Readonly<Record<string, unknown>>): Generator<PackageVersion> {
  const queue = [lock["dependencies"]];
  for (let entries = queue.pop(); isObject(entries); entries = queue.pop()) {
    for (const [name, entry] of Object.entries(entries)) {
      if (!isObject(entry)) continue;
      const { version, dependencies } = entry;
      if (typeof version === "string") yield aliased(name, version);
      if (isObject(dependencies)) queue.push(dependencies);
    }
  }
}

/** Resolves `npm:name@version`, the version of an alias. */
function aliased(name: string, version: string): PackageVersion {
  const at = version.lastIndexOf("@");
  if (!version.startsWith("npm:") || at < 0) return { name, version };
  return { name: version.slice("npm:".length, at), version: version.slice(at + 1) };
}
