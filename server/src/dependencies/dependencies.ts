/** Finds the packages that the lock files of a project name and whose files are on this computer. */
import { basename, join, relative } from "node:path";
import { folderFromEnvironment, homeFolder } from "#platform/environment";
import { diskFiles, type Files, realPath } from "#platform/files";
import type { Ecosystem } from "#query/packageName";
import { downloadedCrates, parseCargoLock } from "./cargo";
import { downloadedModules, parseGoSum } from "./go";
import { parseBuildScript, parseGradleLock, parseVersionCatalog } from "./gradle";
import { type ArtifactCaches, downloadedArtifacts, maxPomBytes, readPom } from "./maven";
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
import { resolvePoms } from "./pom";
import { findProjectFolders } from "./projectFolders";
import { installedDistributions, parsePipfileLock, parsePythonLock, parseRequirements } from "./python";
import { unpackArchive } from "./unpack";
import { parseYarnLock } from "./yarnLock";

export interface DependencyScan {
  /** Real path of the project. */
  readonly root: string;
  readonly caches: PackageCaches;
  /** Absolute path of the folder into which archives of sources are unpacked. */
  readonly unpackFolder: string;
}

/** Absolute paths of the folders in which package managers keep downloaded sources. */
export interface PackageCaches extends ArtifactCaches {
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
/** The POM files of a project are in memory at once. In UTF-16 code units. */
const maxPomsLength = 32 * 1024 * 1024;

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
  "gradle.lockfile": { ecosystem: "maven", parse: parseGradleLock },
  "libs.versions.toml": { ecosystem: "maven", parse: parseVersionCatalog },
  "build.gradle": { ecosystem: "maven", parse: parseBuildScript },
  "build.gradle.kts": { ecosystem: "maven", parse: parseBuildScript },
};

/** Versions in it may come from other files of this name. */
const pomFile = "pom.xml";

/** Whether a file of this name states the versions of packages. */
export function isLockFile(name: string): boolean {
  return name === pomFile || Object.hasOwn(lockFormats, name);
}

/** Returns where the package managers of this user keep downloaded sources. */
export function userCaches(): PackageCaches {
  const goPath = folderFromEnvironment("GOPATH") ?? join(homeFolder(), "go");
  const gradleHome = folderFromEnvironment("GRADLE_USER_HOME") ?? join(homeFolder(), ".gradle");
  return {
    cargoHome: folderFromEnvironment("CARGO_HOME") ?? join(homeFolder(), ".cargo"),
    goModules: folderFromEnvironment("GOMODCACHE") ?? join(goPath, "pkg", "mod"),
    mavenRepository: join(homeFolder(), ".m2", "repository"),
    gradleModules: join(gradleHome, "caches", "modules-2", "files-2.1"),
  };
}

/** Never throws: `problem` describes what could not be read. */
export function findDependencies(
  { root, caches, unpackFolder }: DependencyScan,
  files: Files = diskFiles,
): FoundDependencies {
  const { lockFiles, isComplete, ...folders } = findProjectFolders(root, isLockFile);
  const wanted = new Map<Ecosystem, Map<string, PackageVersion>>();
  const of = (ecosystem: Ecosystem) => {
    const versions = wanted.get(ecosystem) ?? new Map<string, PackageVersion>();
    wanted.set(ecosystem, versions);
    return versions;
  };
  const problems = isComplete ? [] : ["The project has too many folders to find all lock files."];
  const poms: string[] = [];
  let pomsLength = 0;
  for (const file of lockFiles) {
    const format = lockFormats[basename(file)];
    const text = readText(file, format === undefined ? maxPomBytes : maxLockBytes);
    let isRead = false;
    if (text !== undefined && format !== undefined) {
      isRead = addAll(() => format.parse(text), of(format.ecosystem));
    } else if (text !== undefined && pomsLength + text.length <= maxPomsLength) {
      pomsLength += text.length;
      poms.push(text);
      isRead = true;
    }
    if (!isRead) problems.push(`${relative(root, file)} is damaged or too large.`);
  }
  const findPom = (artifact: PackageVersion) => (isSafe(artifact) ? readPom(artifact, caches) : undefined);
  addAll(() => resolvePoms(poms, findPom), of("maven"));
  const keysOf = (ecosystem: Ecosystem) => new Set(of(ecosystem).keys());
  const { cargoHome, goModules, mavenRepository, gradleModules } = caches;
  const installed = [
    ...installedNodePackages(folders.nodeModules, keysOf("npm")),
    ...installedDistributions(folders.virtualEnvironments, keysOf("pypi")),
    ...downloadedCrates(cargoHome, [...of("cargo").values()]),
    ...downloadedModules(goModules, folders.vendor, [...of("go").values()]),
    ...downloadedArtifacts(caches, [...of("maven").values()]),
  ].flatMap((each) => withRealPath(each, [root, cargoHome, goModules, mavenRepository, gradleModules]) ?? []);
  if (installed.length > maxPackages) problems.push(`The lock files name more than ${maxPackages} packages.`);
  const packages = installed.slice(0, maxPackages).flatMap((each) => {
    if (each.ecosystem !== "maven") return [each];
    const folder = join(unpackFolder, versionKey(each).replace(":", "+"));
    try {
      return [{ ...each, ...unpackArchive(each.path, folder, files) }];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.push(`Cannot read the sources of ${versionKey(each)}: ${reason}.`);
      return [];
    }
  });
  return problems.length === 0 ? { packages } : { packages, problem: problems.slice(0, 3).join(" ") };
}

/** Returns `undefined` for a package that symbolic links lead out of these folders. */
function withRealPath(installed: InstalledPackage, folders: readonly string[]): InstalledPackage | undefined {
  const path = realPath(installed.path);
  const isInside = (folder: string | undefined) =>
    folder !== undefined && path?.startsWith(join(folder, "/"));
  return path !== undefined && folders.map(realPath).some(isInside) ? { ...installed, path } : undefined;
}

/** Adds the packages that are safe to look for. Returns false for a damaged lock file. */
function addAll(parse: () => Iterable<PackageVersion>, versions: Map<string, PackageVersion>): boolean {
  try {
    for (const version of parse()) if (isSafe(version)) versions.set(versionKey(version), version);
    return true;
  } catch {
    return false;
  }
}
