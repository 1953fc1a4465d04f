/** From a PATH that somebody gave to what the catalogue wants to know of the repositories there. */
import type { RepositoryFacts } from "#catalogue/catalogue";
import { discover, type FoundRepository, type ScanChoice } from "#git/discover";
import { readConfig } from "#git/place";
import { originUrl, remoteName } from "#git/remoteName";
import type { CodeHostType } from "#model/repository";

export interface LookedThrough {
  readonly facts: readonly RepositoryFacts[];
  readonly unreadable: readonly string[];
  readonly around: readonly string[];
}

/** Throws NOT_FOUND for what is no folder. */
export async function lookThrough(
  path: string,
  hosts: Readonly<Record<string, CodeHostType>>,
  signal: AbortSignal,
  choice: ScanChoice,
): Promise<LookedThrough> {
  const { repositories, unreadable, around } = await discover(path, signal, choice);
  return { facts: repositories.map((found) => factsOf(found, hosts)), unreadable, around };
}

/** What a repository tells of itself. */
export function factsOf(
  { kind, path, place }: FoundRepository,
  hosts: Readonly<Record<string, CodeHostType>>,
): RepositoryFacts {
  const url = place && originUrl(readConfig(place.commonDir));
  const remote = url === undefined ? undefined : remoteName(url, hosts);
  return {
    kind,
    path,
    codeHostType: remote?.codeHostType ?? "genericGitHost",
    ...(place === undefined ? {} : { gitDir: place.commonDir }),
    ...(remote === undefined ? {} : { remoteName: remote.name }),
    ...(remote?.hostUrl === undefined ? {} : { hostUrl: remote.hostUrl }),
  };
}
