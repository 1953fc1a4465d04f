/** Finds the distributions that Python lock files name in the virtual environments of a project. */
import { join } from "node:path";
import {
  type InstalledPackage,
  isObject,
  type PackageVersion,
  readEntries,
  readText,
  versionKey,
} from "./package";
import { parseTomlLock } from "./tomlLock";

/** See `LockParser`. Parses `uv.lock` and `poetry.lock`; omits projects that are installed in place. */
export function* parsePythonLock(text: string): Generator<PackageVersion> {
  for (const { name, version, source } of parseTomlLock(text))
    if (!/\b(?:editable|virtual|directory)\b/.test(source)) yield { name: normalize(name), version };
}

/** See `LockParser`. */
export function* parsePipfileLock(text: string): Generator<PackageVersion> {
  const lock: unknown = JSON.parse(text);
  for (const section of isObject(lock) ? [lock["default"], lock["develop"]] : []) {
    for (const [name, entry] of Object.entries(isObject(section) ? section : {})) {
      const version = isObject(entry) ? entry["version"] : undefined;
      if (typeof version === "string") yield { name: normalize(name), version: version.replace(/^==/, "") };
    }
  }
}

/** See `LockParser`. Only exact requirements name a version. */
export function* parseRequirements(text: string): Generator<PackageVersion> {
  for (const line of text.split("\n")) {
    const [, name, version] = /^([\w.-]+)(?:\[[^\]]*\])?\s*==\s*([^\s;,\\]+)/.exec(line) ?? [];
    if (name !== undefined && version !== undefined) yield { name: normalize(name), version };
  }
}

/** Names of a distribution differ in case and separators (PEP 503). */
function normalize(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

const maxRecordBytes = 16 * 1024 * 1024;

export function installedDistributions(
  environments: readonly string[],
  wanted: ReadonlySet<string>,
): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  for (const path of environments.flatMap(sitePackages)) {
    for (const { name: folder } of readEntries(path)) {
      const [, written = "", version = ""] = /^(.+)-([^-]+)\.dist-info$/.exec(folder) ?? [];
      const name = normalize(written);
      const key = versionKey({ name, version });
      if (!wanted.has(key) || found.has(key)) continue;
      const entries = recordedEntries(readText(join(path, folder, "RECORD"), maxRecordBytes) ?? "");
      if (entries.length > 0) found.set(key, { ecosystem: "pypi", name, version, path, entries });
    }
  }
  return [...found.values()];
}

/** Returns the folders of a virtual environment in which distributions are installed. */
function sitePackages(environment: string): string[] {
  const versions = readEntries(join(environment, "lib"))
    .filter((entry) => entry.isDirectory() && entry.name.startsWith("python"))
    .map((entry) => join(environment, "lib", entry.name));
  return [...versions, join(environment, "Lib")].map((folder) => join(folder, "site-packages"));
}

/** Returns the first parts of the paths in `RECORD`, without scripts, which are outside of the folder. */
function recordedEntries(record: string): string[] {
  const entries = new Set<string>();
  for (const line of record.split("\n")) {
    const [, entry] = /^"?([^/,"\\]+)[/,"]/.exec(line) ?? [];
    if (entry !== undefined && !["..", ".", "__pycache__"].includes(entry)) entries.add(entry);
  }
  return [...entries];
}
