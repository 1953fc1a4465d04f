/** Decides which of the listed repositories are kept, and says why others are not. */
import { matchesGlob } from "#base/glob";
import type { HostRepository } from "./codeHost";
import type { Connection } from "./connection";
import { nameMatcher } from "./namePattern";

export interface Selection {
  readonly kept: readonly HostRepository[];
  readonly excluded: readonly { readonly repository: HostRepository; readonly reason: string }[];
}

/** The settings that select, of which each type of host has those that its API can answer. */
interface Only {
  readonly names: readonly string[];
  readonly topics?: readonly string[];
  readonly visibility?: readonly HostRepository["visibility"][];
}

interface Exclude {
  readonly names: readonly string[];
  readonly topics?: readonly string[];
  readonly archived?: boolean;
  readonly forks?: boolean;
  readonly mirrors?: boolean;
  readonly empty?: boolean;
  readonly disabled?: boolean;
  readonly sizeBytes?: number | undefined;
}

/**
 * Applies `only` and `exclude`. A repository that `include.repos` names is kept unless it is disabled or too large. A
 * condition on something that the host does not say about a repository does not exclude it.
 */
export function selectRepositories(
  connection: Connection,
  repositories: readonly HostRepository[],
): Selection {
  const reasonOf = exclusion(connection);
  const kept: HostRepository[] = [];
  const excluded: { repository: HostRepository; reason: string }[] = [];
  for (const repository of repositories) {
    const reason = reasonOf(repository);
    if (reason === undefined) kept.push(repository);
    else excluded.push({ repository, reason });
  }
  return { kept, excluded };
}

/** Returns a function that says why a repository is excluded. */
function exclusion(connection: Connection): (repository: HostRepository) => string | undefined {
  const isCaseSensitive = connection.type === "gerrit" || connection.type === "genericGitHost";
  const fold = (path: string) => (isCaseSensitive ? path : path.toLowerCase());
  const named = new Set(connection.include.repos.map((path) => fold(path.replace(/\.git$/, ""))));
  const matchers = (patterns: readonly string[]) =>
    patterns.map((pattern) => ({ pattern, matches: nameMatcher(pattern, isCaseSensitive) }));
  const only: Only = connection.only;
  const exclude: Exclude = connection.exclude;
  const onlyNames = matchers(only.names);
  const excludedNames = matchers(exclude.names);

  return (repository) => {
    const decisive = unconditionalReason(repository, exclude);
    if (decisive !== undefined || named.has(fold(repository.path))) return decisive;
    const pattern = excludedNames.find(({ matches }) => matches(repository.path))?.pattern;
    if (pattern !== undefined) return `Its name matches ${pattern} in "exclude.names".`;
    if (onlyNames.length > 0 && !onlyNames.some(({ matches }) => matches(repository.path))) {
      return 'Its name matches no pattern in "only.names".';
    }
    return propertyReason(repository, only, exclude);
  };
}

/** Returns the reasons that also apply to repositories in `include.repos`. */
function unconditionalReason(
  { isDisabled, sizeBytes }: HostRepository,
  exclude: Exclude,
): string | undefined {
  if (exclude.disabled && isDisabled) return 'It is disabled ("exclude.disabled").';
  if (exclude.sizeBytes === undefined || sizeBytes === undefined || sizeBytes <= exclude.sizeBytes)
    return undefined;
  return `It has ${sizeBytes} bytes, more than ${exclude.sizeBytes} ("exclude.sizeBytes").`;
}

function propertyReason(repository: HostRepository, only: Only, exclude: Exclude): string | undefined {
  if (exclude.archived && repository.isArchived) return 'It is archived ("exclude.archived").';
  if (exclude.forks && repository.isFork) return 'It is a fork ("exclude.forks").';
  if (exclude.mirrors && repository.isMirror) return 'It is a mirror ("exclude.mirrors").';
  if (exclude.empty && repository.isEmpty) return 'It is empty ("exclude.empty").';
  const { topics = [], visibility } = repository;
  const topic = topics.find((each) => hasMatch(exclude.topics, each));
  if (topic !== undefined) return `Its topic ${topic} is in "exclude.topics".`;
  if (isSet(only.topics) && !topics.some((each) => hasMatch(only.topics, each))) {
    return 'It has no topic in "only.topics".';
  }
  if (isSet(only.visibility) && !only.visibility.includes(visibility)) {
    return `It is ${visibility}, which is not in "only.visibility".`;
  }
  return undefined;
}

function isSet<Item>(list: readonly Item[] | undefined): list is readonly Item[] {
  return list !== undefined && list.length > 0;
}

/** Matches topics, which hosts write in lower case, against globs. */
function hasMatch(patterns: readonly string[] = [], topic: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern.toLowerCase(), topic.toLowerCase()));
}
