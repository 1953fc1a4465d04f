/** Finds the packages that the lock files of a project name and whose files are on this computer. */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, relative } from "node:path";
import { folderFromEnvironment } from "#platform/environment";
import type { Ecosystem } from "#query/packageName";
import { downloadedCrates, parseCargoLock } from "./cargo";
import { downloadedModules, parseGoSum } from "./go";
import { installedNodePackages } from "./nodeModules";
import { parseNpmLock } from "./npmLock";
import {
  type InstalledPackage,
  isSafe,
  type LockParser,
  type PackageVersion,
  readText,
  versionKey,
} from "./package";
import { parsePnpmLock } from "./pnpmLock";
import { findProjectFolders } from "./projectFolders";
import { installedDistributions, parsePipfileLock, parsePythonLock, parseRequirements } from "./python";
import { parseYarnLock } from "./yarnLock";

export interface DependencyScan {
  /** Real path of the project. */
  readonly root: string;
  readonly caches: PackageCaches;
}

/** Absolute paths of the folders in which package managers keep downloaded sources. */
export interface PackageCaches {
  readonly cargoHome: string;
  readonly goModules: string;
}

export interface FoundDependencies {
  readonly packages: readonly InstalledPackage[];
  /** Why there may be more, as a sentence. */
  readonly problem?: string;
}

const maxPackages = 5000;
const maxLockBytes = 64 * 1024 * 1024;

interface LockFormat {
  readonly ecosystem: Ecosystem;
  readonly parse: LockParser;
}

const lockFormats: Readonly<Record<string, LockFormat>> = {
  "package-lock.json": { ecosystem: "npm", parse: parseNpmLock },
  "npm-shrinkwrap.json": { ecosystem: "npm", parse: parseNpmLock },
  "pnpm-lock.yaml": { ecosystem: "npm", parse: parsePnpmLock },
  "yarn.lock": { ecosystem: "npm", parse: parseYarnLock },
  "Cargo.lock": { ecosystem: "cargo", parse: parseCargoLock },
  "go.sum": { ecosystem: "go", parse: parseGoSum },
  "uv.lock": { ecosystem: "pypi", parse: parsePythonLock },
  "poetry.lock": { ecosystem: "pypi", parse: parsePythonLock },
  "Pipfile.lock": { ecosystem: "pypi", parse: parsePipfileLock },
  "requirements.txt": { ecosystem: "pypi", parse: parseRequirements },
};

/** Whether a file of this name states the versions of packages. */
export function isLockFile(name: string): boolean {
  return Object.hasOwn(lockFormats, name);
}

/** Returns where the package managers of this user keep downloaded sources. */
export function userCaches(): PackageCaches {
  const goPath = folderFromEnvironment("GOPATH") ?? join(homedir(), "go");
  return {
    cargoHome: folderFromEnvironment("CARGO_HOME") ?? join(homedir(), ".cargo"),
    goModules: folderFromEnvironment("GOMODCACHE") ?? join(goPath, "pkg", "mod"),
  };
}

/** Never throws: `problem` describes what could not be read. */
export function findDependencies({ root, caches }: DependencyScan): FoundDependencies {
  const { lockFiles, isComplete, ...folders } = findProjectFolders(root, isLockFile);
  const wanted = new Map<Ecosystem, Map<string, PackageVersion>>();
  const problems = isComplete ? [] : ["The project has too many folders to find all lock files."];
  for (const file of lockFiles) {
    const format = lockFormats[basename(file)];
    if (format === undefined) continue;
    const versions = wanted.get(format.ecosystem) ?? new Map<string, PackageVersion>();
    wanted.set(format.ecosystem, versions);
    const isRead = readLockFile(file, format.parse, versions);
    if (!isRead) problems.push(`${relative(root, file)} is damaged or larger than 64 MiB.`);
  }
  const of = (ecosystem: Ecosystem) => wanted.get(ecosystem) ?? new Map<string, PackageVersion>();
  const keysOf = (ecosystem: Ecosystem) => new Set(of(ecosystem).keys());
  const { cargoHome, goModules } = caches;
  const installed = [
    ...installedNodePackages(folders.nodeModules, keysOf("npm")),
    ...installedDistributions(folders.virtualEnvironments, keysOf("pypi")),
    ...downloadedCrates(cargoHome, [...of("cargo").values()]),
    ...downloadedModules(goModules, folders.vendor, [...of("go").values()]),
  ].flatMap((each) => withRealPath(each, [root, cargoHome, goModules]) ?? []);
  if (installed.length > maxPackages) problems.push(`The lock files name more than ${maxPackages} packages.`);
  const packages = installed.slice(0, maxPackages);
  return problems.length === 0 ? { packages } : { packages, problem: problems.slice(0, 3).join(" ") };
}

/** Returns `undefined` for a package that symbolic links lead out of these folders. */
function withRealPath(installed: InstalledPackage, folders: readonly string[]): InstalledPackage | undefined {
  const realPath = (path: string) => {
    try {
      return realpathSync(path);
    } catch {
      return undefined;
    }
  };
  const path = realPath(installed.path);
  const isInside = (folder: string | undefined) =>
    folder !== undefined && path?.startsWith(join(folder, "/"));
  return path !== undefined && folders.map(realPath).some(isInside) ? { ...installed, path } : undefined;
}

/** Adds the packages of a lock file to `versions`. Returns false if it cannot be read. */
function readLockFile(file: string, parse: LockParser, versions: Map<string, PackageVersion>): boolean {
  const text = readText(file, maxLockBytes);
  if (text === undefined) return false;
  try {
    for (const version of parse(text)) if (isSafe(version)) versions.set(versionKey(version), version);
    return true;
  } catch {
    return false;
  }
}
