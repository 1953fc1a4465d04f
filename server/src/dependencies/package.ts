/** Packages as lock files name them, and as they are found on this computer. */
import * as fs from "node:fs";
import type { PackageName } from "#query/packageName";

export type PackageVersion = Pick<PackageName, "name" | "version">;

/** A package whose files are on this computer. */
export interface InstalledPackage extends PackageName {
  /** Absolute path of the folder that contains its files. */
  readonly path: string;
  /** Names of the entries of the folder that belong to it; absent if all do. */
  readonly entries?: readonly string[];
  /** See `Repository`. */
  readonly namespaces?: readonly string[];
}

/** Returns the packages that a lock file names. Throws an error for a damaged file. */
export type LockParser = (text: string) => Iterable<PackageVersion>;

/** Identifies a package within its ecosystem. */
export function versionKey({ name, version }: PackageVersion): string {
  return `${name}@${version}`;
}

const maxNameLength = 300;
const maxVersionLength = 100;

/** Whether name and version cannot lead out of a folder when they become parts of a path. Names have `/` or `:` between parts. */
export function isSafe({ name, version }: PackageVersion): boolean {
  if (name.length > maxNameLength || version.length > maxVersionLength) return false;
  const isSafeVersion = /^[\w.+!~-]+$/.test(version) && !/^\.+$/.test(version);
  return isSafeVersion && name.split(/[/:]/).every(isSafePart);
}

function isSafePart(part: string): boolean {
  return /^@?[\w.~-]+$/.test(part) && part !== "." && part !== "..";
}

/** Returns the text of a file of at most `maxBytes`; `undefined` if it is larger, a symbolic link, or unreadable. */
export function readText(path: string, maxBytes: number): string | undefined {
  try {
    const stat = fs.lstatSync(path);
    return stat.isFile() && stat.size <= maxBytes ? fs.readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the entries of a folder, none if it cannot be read. Symbolic links are neither files nor folders. */
export function readEntries(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Whether there is a folder at `path`, which is not a symbolic link. */
export function isFolder(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
