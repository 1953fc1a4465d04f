/** Finds the sources of artifacts in the local repository of Maven and in Gradle's cache. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type InstalledPackage, type PackageVersion, readEntries, readText } from "./package";

export interface ArtifactCaches {
  /** Absolute path of Maven's local repository. */
  readonly mavenRepository: string;
  /** Absolute path of the folder in which Gradle keeps the files of modules. */
  readonly gradleModules: string;
}

export const maxPomBytes = 4 * 1024 * 1024;

/** Returns the POM file of an artifact in the local repository. */
export function readPom(
  { name, version }: PackageVersion,
  { mavenRepository }: ArtifactCaches,
): string | undefined {
  const [group = "", artifact = ""] = name.split(":");
  return readText(
    join(mavenRepository, ...group.split("."), artifact, version, `${artifact}-${version}.pom`),
    maxPomBytes,
  );
}

/** Returns the wanted artifacts, with the path of the archive of their sources. Omits snapshots, which change. */
export function downloadedArtifacts(
  caches: ArtifactCaches,
  wanted: readonly PackageVersion[],
): readonly InstalledPackage[] {
  return wanted.flatMap(({ name, version }): InstalledPackage[] => {
    const [group, artifact, ...others] = name.split(":");
    if (!group || !artifact || others.length > 0 || version.endsWith("-SNAPSHOT")) return [];
    const file = `${artifact}-${version}-sources.jar`;
    const cached = join(caches.gradleModules, group, artifact, version);
    const path = [
      join(caches.mavenRepository, ...group.split("."), artifact, version, file),
      ...readEntries(cached).map((entry) => join(cached, entry.name, file)),
    ].find(isFile);
    return path === undefined ? [] : [{ ecosystem: "maven", name, version, path }];
  });
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
