/** Parses the files in which Gradle projects state exact versions: lock files, version catalogs and build scripts. */
import type { PackageVersion } from "./package";

/** Real lines are shorter. */
const maxLineLength = 2000;

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.length <= maxLineLength);
}

/** See `LockParser`. Parses `gradle.lockfile`. */
export function* parseGradleLock(text: string): Generator<PackageVersion> {
  for (const line of linesOf(text)) {
    const [, name, version] = /^([\w.-]+:[\w.-]+):([^\s=:]+)=/.exec(line) ?? [];
    if (name !== undefined && version !== undefined) yield { name, version };
  }
}

/** See `LockParser`. Parses `libs.versions.toml`. */
export function* parseVersionCatalog(text: string): Generator<PackageVersion> {
  const versions = new Map<string, string>();
  const libraries: string[] = [];
  let section = "";
  for (const line of linesOf(text)) {
    const [, key, value = ""] = /^\s*([\w.-]+|"[\w.-]+")\s*=\s*(\S.*)/.exec(line) ?? [];
    section = /^\s*\[([\w.-]+)\]/.exec(line)?.[1] ?? section;
    if (key === undefined) continue;
    if (section === "libraries") libraries.push(value);
    else if (section === "versions") versions.set(key.replaceAll('"', ""), versionIn(value));
  }
  for (const value of libraries) {
    const [, notation, short] = /^["']([\w.-]+:[\w.-]+)(?::([^"':\s]+))?["']/.exec(value) ?? [];
    const name = notation ?? (field(value, "module") || `${field(value, "group")}:${field(value, "name")}`);
    const reference = field(value, "version.ref") || field(value, "ref");
    const [, inline = ""] = /\bversion\s*=\s*(.*)/.exec(value) ?? [];
    yield { name, version: short ?? versions.get(reference) ?? versionIn(inline) };
  }
}

/** Returns the version of `"1.0"` and of `{ strictly = "1.0" }`. */
function versionIn(value: string): string {
  if (!value.startsWith("{")) return /^["']([^"']+)["']/.exec(value)?.[1] ?? "";
  return field(value, "strictly") || field(value, "require") || field(value, "prefer");
}

/** Returns the value of a field of an inline table, or `""`. */
function field(table: string, name: string): string {
  const pattern = new RegExp(`(?:^|[{,\\s])${name.replace(".", "\\.")}\\s*=\\s*["']([^"']*)["']`);
  return pattern.exec(table)?.[1] ?? "";
}

/** See `LockParser`. Parses `build.gradle` and `build.gradle.kts`: only coordinates that are written in full. */
export function* parseBuildScript(text: string): Generator<PackageVersion> {
  for (const line of linesOf(text)) {
    if (line.trimStart().startsWith("//")) continue;
    for (const [, name, version] of line.matchAll(/["']([\w.-]+:[\w.-]+):([\w.+-]+)(?:@\w+)?["']/g))
      if (name !== undefined && version !== undefined) yield { name, version };
  }
}
