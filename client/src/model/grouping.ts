/** Groups repositories and shortens their names for lists. Pure: does not use VS Code. */
import type { RepositoryItem } from "#contract/repositories";

export interface RepositoryGroup {
  /**
   * Host and owner, such as `github.com/acme`; the URL of the team's server for its repositories; empty for repositories
   * with a clone on this computer.
   */
  readonly namespace: string;
  readonly ids: readonly number[];
}

/** Groups repositories: local clones first, then by namespace. Keeps the given order within a group. */
export function groupsOf(
  items: Iterable<RepositoryItem>,
  hasClone: (id: number) => boolean,
): readonly RepositoryGroup[] {
  const groups = new Map<string, number[]>();
  for (const { repoId, repoName, server } of items) {
    const namespace = hasClone(repoId)
      ? ""
      : (server ?? repoName.split("/").slice(0, -1).slice(0, 2).join("/"));
    const ids = groups.get(namespace);
    if (ids === undefined) groups.set(namespace, [repoId]);
    else ids.push(repoId);
  }
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([namespace, ids]) => ({ namespace, ids }));
}

/** Maps each name to its shortest suffix of whole segments that no other name ends with. */
export function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const suffixes = (name: string) =>
    name.split("/").map((_, from, segments) => segments.slice(from).join("/"));
  const counts = new Map<string, number>();
  for (const name of names)
    for (const suffix of suffixes(name)) counts.set(suffix, (counts.get(suffix) ?? 0) + 1);
  return new Map(
    names.map((name) => [
      name,
      suffixes(name)
        .reverse()
        .find((suffix) => counts.get(suffix) === 1) ?? name,
    ]),
  );
}

/** Returns the git command that an error message ends with, if it does. */
export function fixingCommand(error: string): string | undefined {
  return / (git config --global .+)$/.exec(error)?.[1];
}
