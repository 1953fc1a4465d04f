/** Scans an added path for repositories, and collects what the catalog records about them. */
import type { RepositoryFacts } from "#catalog/facts";
import { discover, type FoundRepository, type ScanSettings } from "#git/discover";
import { originUrl, remoteName } from "#git/remoteName";
import { readConfig } from "#git/repository";
import type { CodeHostType } from "#model/repository";

export interface ScannedPath {
  readonly facts: readonly RepositoryFacts[];
  /** Folders that cannot be read. */
  readonly unreadable: readonly string[];
  /** Folders in which new repositories may appear. */
  readonly parentFolders: readonly string[];
}

export interface PathScan {
  readonly path: string;
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  readonly settings: ScanSettings;
}

/** Scans `path` for repositories. Throws NOT_FOUND if it is not a folder. */
export async function scanPath(
  { path, hosts, settings }: PathScan,
  signal: AbortSignal,
): Promise<ScannedPath> {
  const { repositories, unreadable, parentFolders } = await discover(path, signal, settings);
  return { facts: repositories.map((found) => factsOf(found, hosts)), unreadable, parentFolders };
}

/** Reads the kind, name and code host of a repository. */
export function factsOf(
  { kind, path, gitRepository }: FoundRepository,
  hosts: Readonly<Record<string, CodeHostType>>,
): RepositoryFacts {
  const url = gitRepository && originUrl(readConfig(gitRepository.commonDir));
  const remote = url === undefined ? undefined : remoteName(url, hosts);
  return {
    kind,
    path,
    codeHostType: remote?.codeHostType ?? "genericGitHost",
    ...(gitRepository === undefined ? {} : { gitDir: gitRepository.commonDir }),
    ...(remote === undefined ? {} : { remoteName: remote.name }),
    ...(remote?.hostUrl === undefined ? {} : { hostUrl: remote.hostUrl }),
  };
}
